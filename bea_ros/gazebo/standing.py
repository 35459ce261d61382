# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Watches whether Gazebo's time advances, and decides what to do if it stops."""

from __future__ import annotations

from dataclasses import dataclass

from bea_ros.system.nanoseconds import SECOND

NOTICED = 2.0  # s (wall) without a step of time after which it stands still
RESTART = 8.0  # s (wall) after which the server is started again
UP = 22.0  # s (wall) that a restart may take

STARTING = "Gazebo has not started yet"
PAUSED = "Gazebo is paused"
STILL = "Gazebo's time stands still"
RESTARTED = "Gazebo's time stood still: its server is started again"


@dataclass
class Standing:
    """Judges by Gazebo's time, and by how long it was listened for without an advance."""

    now: int = 0  # ns, Gazebo's time
    quiet: float = 0.0  # s of listening since time last advanced
    up: bool = False  # its time has advanced since its last start
    tries: int = 0  # restarts since its time last advanced
    paused: bool = False  # it reports its time, which stands still

    def heard(self, now: int) -> None:
        """Take Gazebo's time (ns) from a message; late ones of a previous server are ignored."""
        if now == self.now or (self.tries and now < self.begin):
            return
        self.now, self.quiet = now, 0.0
        self.up, self.tries, self.paused = True, 0, False

    def listened(self, seconds: float) -> None:
        """Add wall time (s) in which messages could have been received."""
        self.quiet += seconds

    def ticked(self) -> None:
        """Note a report of the time, which a paused server sends, too."""
        self.paused = self.quiet > NOTICED

    @property
    def begin(self) -> int:
        """The time (ns) at which a restarted server begins, as time must never go back."""
        return self.now + SECOND

    @property
    def overdue(self) -> bool:
        """Whether the server must be restarted."""
        return self.up and not self.paused and self.quiet > RESTART

    def restarted(self) -> None:
        """Note that the server was restarted."""
        self.quiet, self.up, self.tries = 0.0, False, self.tries + 1

    @property
    def lost(self) -> bool:
        """Whether time did not advance after a restart, either."""
        return bool(self.tries) and self.quiet > UP

    @property
    def trouble(self) -> str:
        """The problem, in words; empty if there is none."""
        if not self.up:
            return RESTARTED if self.tries else STARTING
        if self.quiet <= NOTICED:
            return ""
        return PAUSED if self.paused else STILL
