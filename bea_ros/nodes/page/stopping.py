# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page's STOP: repeated until the servos or the learner confirm that the robot stopped.

A servo driver that is started again knows nothing of an earlier stop: it is stopped again, unless
an operator has ended that stop.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from bea_ros.hardware.servo_control import State

PATIENCE = 1.5  # s after which the page shows that the stop is unconfirmed
REPEATED = 5.0  # s for which an unconfirmed stop is repeated in any case
SILENT = 3.0  # s without diagnostics of the servo driver, which publishes them every second

NONE, SENT, CONFIRMED, UNCONFIRMED = "none", "sent", "confirmed", "unconfirmed"


@dataclass
class Servos:
    """The servo driver's last diagnostics; `heard` is their time (s, steady clock)."""

    state: str
    reason: str
    fault: str
    moving: bool  # until the hardware reports no pulses, or joints that stand still
    level: int
    heard: float
    started: str = ""  # identifies the driver's process


class Stopping:
    """The latest press of STOP: `pressed` is its time by the steady clock (s)."""

    def __init__(self, simulated: bool) -> None:
        self.simulated = simulated
        self.state = NONE
        self.at = 0.0  # when STOP was pressed or, later, confirmed: a time of day (s since 1970)
        self.reason = ""  # why it is not confirmed
        self.pressed = 0.0
        self._stopped: str | None = None  # which driver reported that it stopped

    def press(self) -> None:
        self.state, self.at, self.pressed, self.reason = SENT, time.time(), time.monotonic(), ""
        self._stopped = None

    @property
    def age(self) -> float:
        """Time since STOP was pressed (s)."""
        return time.monotonic() - self.pressed

    @property
    def fresh(self) -> bool:
        """Whether STOP was pressed a moment ago and is not confirmed."""
        return self._waits and self.age < REPEATED

    @property
    def repeats(self) -> bool:
        """Whether the stop is sent again: a driver may be starting and not have heard it."""
        return self.fresh or (self._waits and not self.simulated and self._stopped is None)

    @property
    def _waits(self) -> bool:
        return self.state in (SENT, UNCONFIRMED)

    def look(
        self, servos: Servos | None, stands: bool, drivers: int, follows: bool = False
    ) -> None:
        """Update the state: servos confirm a stop; in simulation, a learner that `stands` does.

        `drivers` is the number of servo drivers. If there are two, one cannot confirm for both.
        `follows` unless the driver's topic `armed` was false since STOP: anybody may publish
        diagnostics, such as a recording that is played.
        """
        if self.state == NONE:
            return
        if self._reset(servos, stands):
            self.state = NONE
            return
        self._stopped = None if follows else self._who_stopped(servos)
        self.reason = self._objection(servos, stands, drivers, follows)
        if not self.reason and self.state != CONFIRMED:
            self.state, self.at = CONFIRMED, time.time()
        elif self.reason and (
            self.state == CONFIRMED or self.age > PATIENCE or (drivers == 0 and not self.simulated)
        ):
            self.state = UNCONFIRMED

    def _reset(self, servos: Servos | None, stands: bool) -> bool:
        """Whether an operator has ended the stop."""
        if self.simulated:
            return self.state == CONFIRMED and not stands
        if servos is None or servos.state == State.STOPPED.value:
            return False
        return servos.started == self._stopped

    def _who_stopped(self, servos: Servos | None) -> str | None:
        """The driver that reports a stop after STOP was pressed, or None."""
        if servos is None or servos.heard <= self.pressed:
            return None
        return servos.started if servos.state == State.STOPPED.value else None

    def _objection(self, servos: Servos | None, stands: bool, drivers: int, follows: bool) -> str:
        """Why the stop is not confirmed; empty if it is."""
        if self.simulated:
            return "" if stands else "the learner has not said that the robot stands still"
        if servos is None or drivers == 0:
            return "no servo driver answers"
        if drivers > 1:
            return f"{drivers} servo drivers run, and only one reports"
        if servos.heard <= self.pressed or time.monotonic() - servos.heard > SILENT:
            return "the servo driver is silent"
        if servos.fault:
            return servos.fault
        if servos.state != State.STOPPED.value:
            return f"the servos say: {servos.state}"
        if servos.moving:
            return "the servos have not answered yet"
        return "the servo driver does not say that it is disarmed" if follows else ""
