# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether Gazebo's time goes on, and what to do about it if it does not."""

from __future__ import annotations

from dataclasses import dataclass

NOTICED = 2.0  # s (wall) without a step of time after which it stands still
RESTART = 8.0  # s (wall) after which the server is started again
UP = 22.0  # s (wall) that it may take to be up again
SECOND = 1_000_000_000  # ns

STARTING = "Gazebo has not started yet"
PAUSED = "Gazebo is paused"
STILL = "Gazebo's time stands still"
RESTARTED = "Gazebo's time stood still: its server is started again"


@dataclass
class Standing:
    """Takes what the time is in Gazebo, and how long we have listened for it."""

    now: int = 0  # ns, Gazebo's time
    quiet: float = 0.0  # s that we listened and time stood still
    up: bool = False  # Gazebo's time was heard, since its last start
    tries: int = 0  # starts since its time last went on, but for the first
    paused: bool = False  # it says what its time is, and that stands still

    def heard(self, now: int) -> None:
        """Gazebo's time (ns), as its messages say; older ones may be on their way still."""
        if now == self.now or (self.tries and now < self.begin):
            return
        self.now, self.quiet = now, 0.0
        self.up, self.tries, self.paused = True, 0, False

    def listened(self, seconds: float) -> None:
        """We could have heard something for so long (wall)."""
        self.quiet += seconds

    def ticked(self) -> None:
        """The server says what its time is, also while nothing moves."""
        self.paused = self.quiet > NOTICED

    @property
    def begin(self) -> int:
        """ns; the time at which a server that is started again begins: time never goes back."""
        return self.now + SECOND

    @property
    def overdue(self) -> bool:
        """The server has to be started again."""
        return self.up and not self.paused and self.quiet > RESTART

    def restarted(self) -> None:
        """It was started again."""
        self.quiet, self.up, self.tries = 0.0, False, self.tries + 1

    @property
    def lost(self) -> bool:
        """Also after that its time did not go on."""
        return bool(self.tries) and self.quiet > UP

    @property
    def trouble(self) -> str:
        """What is wrong, in words, or nothing."""
        if not self.up:
            return RESTARTED if self.tries else STARTING
        if self.quiet <= NOTICED:
            return ""
        return PAUSED if self.paused else STILL
