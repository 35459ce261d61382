# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Moves one servo, to check its calibration and to find its trim."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable
from dataclasses import replace

from bea_ros.hardware.errors import HardwareError
from bea_ros.hardware.output_link import OutputLink
from bea_ros.hardware.servos import LARGEST_TRIM, Servo, Servos, ServosError

SPEED = 1.0  # rad/s, at most
PERIOD = 0.02  # s
ANGLE_STEP, TRIM_STEP = 0.05, 0.01  # rad for each key press
KEYS = "left/right: angle   -/+: trim   0: neutral   s: save   q: relax and quit"


class ServoTrial:
    """Powers one servo and relaxes the others. Starts at neutral; raises HardwareError."""

    def __init__(self, servos: Servos, servo: Servo, pins: str) -> None:
        self.servo = servo
        self.target = self.position = servo.neutral
        self.ticked = time.monotonic()
        self.link = OutputLink(servos.board, pins, [one.output for one in servos.servos])

    def go_to(self, angle: float) -> None:
        """Set the target angle (rad), clipped to the servo's limits."""
        self.target = min(max(angle, self.servo.lower), self.servo.upper)

    def trim(self, trim: float) -> None:
        """Try a trim (rad), clipped to +-LARGEST_TRIM; ignored if pulses would be invalid."""
        trim = min(max(trim, -LARGEST_TRIM), LARGEST_TRIM)
        with contextlib.suppress(ServosError):
            self.servo = replace(self.servo, trim=round(trim, 4)).check()

    def tick(self) -> None:
        """Move one step towards the target, for a period at most; raises HardwareError."""
        now = time.monotonic()
        step = min(SPEED, self.servo.velocity) * min(now - self.ticked, PERIOD)
        self.ticked = now
        self.position = min(max(self.target, self.position - step), self.position + step)
        self.link.send({self.servo.output: self.servo.pulse_of(self.position)})
        if self.link.fault:
            raise HardwareError(self.link.fault)

    def hold(self, seconds: float) -> None:
        """Go to the target, and stay there for some seconds; raises HardwareError."""
        while self.position != self.target:
            self.tick()
            time.sleep(PERIOD)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.tick()
            time.sleep(PERIOD)

    def by_keys(self, save: Callable[[float], str]) -> None:
        """Obey a terminal's keys until q, or until the terminal is gone.

        `save` gets the trim (rad) and returns a note.
        """
        print(KEYS)
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        note = ""
        try:
            tty.setcbreak(terminal)
            while True:
                self.tick()
                print(f"\r\033[K{self.status()}  {note}", end="", flush=True)
                if not select.select([terminal], [], [], PERIOD)[0]:
                    continue
                typed = os.read(terminal, 64)
                if not typed:
                    return
                for key in keys_in(typed):
                    if key == "q":
                        return
                    note = save(self.servo.trim) if key == "s" else ""
                    self.obey(key)
        finally:
            with contextlib.suppress(termios.error):  # it is gone
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)
            print()

    def obey(self, key: str) -> None:
        """Carry out a key that moves the servo."""
        if key in ("left", "right"):
            self.go_to(self.target + (ANGLE_STEP if key == "right" else -ANGLE_STEP))
        elif key in "+=-":
            self.trim(self.servo.trim + (-TRIM_STEP if key == "-" else TRIM_STEP))
        elif key == "0":
            self.go_to(self.servo.neutral)

    def status(self) -> str:
        """The servo's angle, trim and pulse, in words."""
        pulse = self.servo.pulse_of(self.position)
        return (
            f"{self.servo.name}: {self.position:+.3f} rad, trim {self.servo.trim:+.3f} rad, "
            f"{pulse:.0f} us"
        )

    def close(self) -> bool:
        """Relax the servo; returns whether that certainly succeeded."""
        return self.link.close()


def keys_in(data: bytes) -> list[str]:
    """Return typed keys: characters, and `left` or `right` for arrow keys."""
    text = data.decode(errors="ignore")
    for sequence, name in (("\033[C", ">"), ("\033OC", ">"), ("\033[D", "<"), ("\033OD", "<")):
        text = text.replace(sequence, name)
    names = {">": "right", "<": "left"}
    return [names.get(character, character) for character in text if character.isprintable()]
