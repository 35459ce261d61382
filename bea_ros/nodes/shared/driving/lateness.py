# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How long servos went without the pulses that were due: somebody was held up."""

from __future__ import annotations

TOLERATED = 2.0  # periods from one to the next that are not late yet


class Lateness:
    """Counts late pulses: `seconds` in all, and `times`; what is late twice over counts once.

    Times are s of a steady clock.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.times = 0
        self._until = 0.0

    def due(self, last: float, now: float, period: float) -> None:
        """What came `last` comes once in a `period`, and may have come again only `now`."""
        if now - last <= TOLERATED * period:
            return
        since = last + period
        self.times += since > self._until
        self.seconds += max(0.0, now - max(since, self._until))
        self._until = max(now, self._until)
