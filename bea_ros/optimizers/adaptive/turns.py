# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Turns of BO and the EA: the one with the larger expected gain per second has the next turn.

- BO has the first turns, as it gains more then. Once the EA `may_begin`, it has one.
- The gain per second of a turn is its gain in best fitness over its duration. It is divided by the
  recent average over all turns, as gains shrink in the course of a run.
- The expected gain of an optimizer is a moving average over its turns, plus a little for each turn
  that it has waited. So an outdated average is measured again.
- The averages begin at 0. So BO's first turn, if it gains anything, counts as ten usual ones. This
  head start fades with its next turns.

So the optimizer that gains more continues as long as it gains, and neither is dropped. If neither
gains, they alternate.
"""

from __future__ import annotations

BAYESIAN, EVOLUTIONARY = 0, 1
MEMORY = 0.9  # decay of the averages per turn
WAITING = 1 / 16  # expected gain per turn waited


class Turns:
    """Gives turns to BO and the EA."""

    def __init__(self) -> None:
        self._relative = [0.0, 0.0]
        self._waited = [0, 0]
        self._taken = [0, 0]
        self._usual = 0.0
        self.current: int | None = None

    def next(self, may_begin: bool) -> int:
        """Return whose turn is next; `may_begin`: whether the EA may have its first one."""
        if self._taken[EVOLUTIONARY]:
            promised = [r + WAITING * w for r, w in zip(self._relative, self._waited, strict=True)]
            self.current = int(promised[EVOLUTIONARY] > promised[BAYESIAN])
        else:
            self.current = EVOLUTIONARY if may_begin else BAYESIAN
        return self.current

    def credit(self, gain: float, seconds: float) -> None:
        """Credit the gain and the duration (s) of the last turn; does nothing before the first."""
        if self.current is None:
            return
        who, rate = self.current, gain / seconds if seconds > 0.0 else gain
        self._usual = MEMORY * self._usual + (1.0 - MEMORY) * rate
        relative = rate / self._usual if self._usual > 0.0 else 0.0
        if self._taken[who]:
            relative = MEMORY * self._relative[who] + (1.0 - MEMORY) * relative
        self._relative[who] = relative
        self._waited[who], self._waited[1 - who] = 0, self._waited[1 - who] + 1
        self._taken[who] += 1
