# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parent's side of the process that accesses the hardware; it never blocks on a bus."""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bea_ros.hardware.errors import HardwareError
from bea_ros.system.processes import how_it_ended

STARTING = 20.0  # s that a process has to load and to reach the hardware
RESTART = 1.0  # s between two starts


class OutputLink:
    """Sends pulses to a separate process that makes them (see output_process).

    Call `poll` often: it reads the answers, and sends the latest pulses once the previous request
    has been answered. An answer may take `hang` (s). If it takes longer, or reports a fault,
    `fault` says what is wrong, and pulses are stopped as soon as possible; `fault` is empty again
    once the stop was answered. Raises HardwareError if the process does not reach the hardware.
    """

    def __init__(
        self, board: Mapping[str, Any], pins: str, numbers: Sequence[int], hang: float = 0.5
    ) -> None:
        self.request: dict[str, Any] = {"board": board, "pins": pins, "numbers": list(numbers)}
        self.hang = hang
        self.counts = {"retries": 0, "faults": 0, "hang-ups": 0, "restarts": 0}
        self.fault = ""
        self.failure = ""  # why the process ended
        self.pulses: dict[int, float] = {}
        self.sent: dict[int, float] = {}  # the pulses of the last request
        self.relaxed = False  # the hardware has confirmed that no output has pulses
        self.ready = False  # the process has reached the hardware
        self.pending = False  # pulses are to be sent
        self.asked: float | None = None  # time of the unanswered request (s, monotonic)
        self.hung = False  # its answer is overdue
        self.rest = b""  # an incomplete line
        self._start()
        deadline = time.monotonic() + STARTING
        while not self.ready:
            self.poll(0.05)
            if self.failure:
                self.close()
                raise HardwareError(self.failure)
            if time.monotonic() > deadline:
                raise HardwareError(self._no_answer())

    def send(self, pulses: Mapping[int, float]) -> None:
        """Set the pulses (us) of these outputs from now on; other outputs have none."""
        self.pulses = dict(pulses)
        self.pending = True
        self.relaxed = self.relaxed and not pulses
        self.poll()

    def poll(self, patience: float = 0.0) -> None:
        """Read answers, waiting at most `patience` (s), and send a pending request."""
        if select.select([self.answers], [], [], patience)[0]:
            data = self.answers.read(65536)
            if not data:
                self._ended()
                return
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                self._answered(json.loads(line))
        if self.asked is not None and time.monotonic() - self.asked > self.hang:
            if self.ready and not self.hung:
                self.counts["hang-ups"] += 1
                self.fault = f"the servos' bus has not answered for {self.hang:g} s"
            self.hung = True
        elif self.ready and self.asked is None and self.pending:
            self._ask()

    def close(self, patience: float = 1.0) -> bool:
        """End the process, which relaxes the servos.

        Returns whether they are certainly relaxed after `patience` (s): the process has ended in
        order, or they were relaxed before. If its bus hangs, the process keeps trying for some
        seconds by itself.
        """
        self.requests.close()
        try:
            return self.process.wait(patience) == 0 or self.relaxed
        except subprocess.TimeoutExpired:  # it may still load
            return self.relaxed
        finally:
            self.answers.close()

    def _no_answer(self) -> str:
        """Close, and return what did not answer and what to do."""
        place, step = "GPIO pins", "start pigpiod again if it drives them, else the computer"
        board = self.request["board"]
        if board["driver"] == "pca9685":
            place = f"PCA9685 at {board['address']:#04x} of I2C bus {board['bus']}"
            step = "check its wiring, switch its supply off and on, start again"
        danger = "" if self.close() else "; it cannot be closed: CUT THE POWER OF THE SERVOS"
        return f"{place}: no answer for {STARTING:.0f} s{danger}; {step}"

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bea_ros.hardware.output_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl-C ends the parent, and its end ends this
        )
        assert self.process.stdin
        assert self.process.stdout
        self.requests, self.answers = self.process.stdin, self.process.stdout
        self.started = time.monotonic()
        self.ready = self.pending = self.hung = False
        self.failure = ""
        self.asked = None
        self.rest = b""
        self._write(self.request)

    def _ask(self) -> None:
        self.pending = False
        self.asked = time.monotonic()
        # During a fault only the stop is sent; the fault ends with an answer without one.
        pulses = self.sent = {} if self.fault else self.pulses
        self._write({"pulses": {str(number): pulse for number, pulse in pulses.items()}})

    def _write(self, message: Mapping[str, Any]) -> None:
        """Send one line; the pipe has room, as only one is unanswered at a time."""
        with contextlib.suppress(BrokenPipeError):  # it ended; `poll` will notice
            self.requests.write(json.dumps(message).encode() + b"\n")

    def _answered(self, answer: Mapping[str, Any]) -> None:
        if "failure" in answer:
            self.failure = self.fault = answer["failure"]
        elif "ready" in answer:
            self.ready, self.relaxed, self.fault = True, True, ""
        else:
            self.asked = None
            self.counts["retries"] += answer["retries"]
            if answer["fault"] and answer["fault"] != self.fault:
                self.counts["faults"] += 1
            if self.hung:  # the answer to an old request; the servos must still be relaxed
                self.hung, self.pending = False, True
            else:
                self.fault = answer["fault"]
                self.relaxed = not (self.fault or self.sent or self.pulses)

    def _ended(self) -> None:
        """Restart the process after its end; the new one relaxes the servos first."""
        code = self.process.poll()
        if code is None:  # still ending
            return
        if not self.failure:
            self.fault = f"the process that drives the servos ended ({how_it_ended(code)})"
            self.failure = "" if self.ready else self.fault
        if self.ready and code == 0:  # a signal asked it to end
            self.relaxed = True
        if self.ready or time.monotonic() - self.started > RESTART:
            self.close()
            self.counts["restarts"] += 1
            self._start()
