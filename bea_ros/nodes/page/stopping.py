# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The STOP of the page: sent until somebody who must know says that the robot has stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bea_ros.hardware.servo_control import State

PATIENCE = 1.5  # s until it is said loudly that nobody has confirmed
REPEATED = 5.0  # s for which an unconfirmed stop is sent again and again
SILENT = 3.0  # s without a word of the servo driver, which speaks once a second

NONE, SENT, CONFIRMED, UNCONFIRMED = "none", "sent", "confirmed", "unconfirmed"


@dataclass
class Servos:
    """What the servo driver last said of itself, and when (s of a steady clock)."""

    state: str
    reason: str
    fault: str
    moving: bool  # the hardware has not said yet: no pulses, or standing joints
    level: int
    heard: float


class Stopping:
    """The latest press of STOP; times are s of a steady clock, but `at`, of the day."""

    def __init__(self, simulated: bool) -> None:
        self.simulated = simulated
        self.state = NONE
        self.at = 0.0  # when it was pressed or, once confirmed, confirmed
        self.reason = ""  # why it is not confirmed
        self._pressed = 0.0

    def press(self) -> None:
        self.state, self.at, self._pressed, self.reason = SENT, time.time(), time.monotonic(), ""

    @property
    def repeats(self) -> bool:
        """Whether it is to be sent again."""
        waits = self.state in (SENT, UNCONFIRMED)
        return waits and time.monotonic() - self._pressed < REPEATED

    def look(self, servos: Servos | None, stands: bool, drivers: int) -> None:
        """Judge by what the servos say, or of a simulated robot whether its learner `stands`.

        `drivers` is how many drive servos: what one of two says is not the word of both.
        """
        if self.state == NONE:
            return
        if self.state == CONFIRMED and self._reset(servos, stands):
            self.state = NONE
            return
        self.reason = self._objection(servos, stands, drivers)
        if not self.reason and self.state != CONFIRMED:
            self.state, self.at = CONFIRMED, time.time()
        elif self.reason and (
            self.state == CONFIRMED or time.monotonic() - self._pressed > PATIENCE
        ):
            self.state = UNCONFIRMED

    def _reset(self, servos: Servos | None, stands: bool) -> bool:
        """Whether somebody has ended the stop."""
        if self.simulated:
            return not stands
        return servos is not None and servos.state != State.STOPPED.value

    def _objection(self, servos: Servos | None, stands: bool, drivers: int) -> str:
        """Why it is not known that the robot has stopped; empty if it has."""
        if self.simulated:
            return "" if stands else "the learner has not said that the robot stands still"
        if servos is None or drivers == 0:
            return "no servo driver answers"
        if drivers > 1:
            return f"{drivers} servo drivers run, and only one reports"
        if servos.heard <= self._pressed or time.monotonic() - servos.heard > SILENT:
            return "the servo driver is silent"
        if servos.fault:
            return servos.fault
        if servos.state != State.STOPPED.value:
            return f"the servos say: {servos.state}"
        return "the servos have not answered yet" if servos.moving else ""
