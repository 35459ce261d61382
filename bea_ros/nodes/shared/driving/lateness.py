# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Measures how long servos were without due pulses, as something was delayed."""

from __future__ import annotations

TOLERATED = 2.0  # periods; a longer wait is late


class Lateness:
    """Counts late pulses: the total `seconds`, and how many `times`; overlaps count once.

    Times are s of a steady clock.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.times = 0
        self._until = 0.0

    def due(self, last: float, now: float, period: float) -> None:
        """Count `now - last` beyond one `period` (all s) if it exceeds TOLERATED periods."""
        if now - last <= TOLERATED * period:
            return
        since = last + period
        self.times += since > self._until
        self.seconds += max(0.0, now - max(since, self._until))
        self._until = max(now, self._until)
