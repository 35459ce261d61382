# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is: whoever promises most gain per second.

- BO has the first turns, until its models know something; then the EA has one.
- What a turn gained on the best so far, over the seconds that it took, is set in relation to what
  turns usually gained per second lately, whoever had them: gains become smaller as a run goes on.
- What one promises is the average of that over its turns, of which the older ones count less, and
  a little for each turn that it has waited: a figure that grew stale is renewed.
- The next turn is that of the one which promises more.

So nobody is left for good: the one that gains more goes on as long as it does, and where nobody
gains they take turns.
"""

from __future__ import annotations

BAYESIAN, EVOLUTIONARY = 0, 1
FIRST = 3  # turns of BO before the EA has one
MEMORY = 0.9  # from one turn to the next
WAITING = 1 / 16  # what is promised for a turn waited


class Turns:
    """Hands out turns."""

    def __init__(self) -> None:
        self._relative = [0.0, 0.0]
        self._waited = [0, 0]
        self._taken = [0, 0]
        self._usual = 0.0
        self.current: int | None = None

    def next(self) -> int:
        """Return whose turn is next."""
        if self._taken[EVOLUTIONARY]:
            promised = [r + WAITING * w for r, w in zip(self._relative, self._waited, strict=True)]
            self.current = int(promised[EVOLUTIONARY] > promised[BAYESIAN])
        else:
            self.current = int(self._taken[BAYESIAN] >= FIRST)
        return self.current

    def credit(self, gain: float, seconds: float) -> None:
        """Take in what the last turn gained and took; nothing is counted before the first."""
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
