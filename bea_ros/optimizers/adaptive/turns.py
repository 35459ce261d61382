# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is: in proportion to what each gained per second lately.

- BO has the first turns, until its models know something; then the EA has one.
- After each turn what it gained on the best so far, over the seconds that it took, is averaged
  with what the same one gained per second in its turns before; the older ones count less.
- Turns are handed out in proportion to these averages, but each has at least one in eight: what
  gained nothing before is tried again, and a figure that grew stale is renewed.
- Without gain on either side they take turns.

So nobody is left for good: the one that gains more does more, as long as it does.
"""

from __future__ import annotations

BAYESIAN, EVOLUTIONARY = 0, 1
FIRST = 3  # turns of BO before the EA has one
MEMORY = 0.7  # of what was gained per second, from one turn to the next of the same one
LEAST = 1 / 8  # share of turns


class Turns:
    """Hands out turns."""

    def __init__(self) -> None:
        self._rates: list[float] = [0.0, 0.0]
        self._taken = [0, 0]
        self._due = 0.0  # turns that the EA may have, beyond those that it had
        self.current: int | None = None

    def next(self) -> int:
        """Return whose turn is next."""
        if self._taken[EVOLUTIONARY]:
            self._due += self._share()
            self.current = int(self._due >= 0.5)
            self._due -= self.current
        else:
            self.current = int(self._taken[BAYESIAN] >= FIRST)
        return self.current

    def _share(self) -> float:
        """That of the EA."""
        total = sum(self._rates)
        share = self._rates[EVOLUTIONARY] / total if total > 0.0 else 0.5
        return min(max(share, LEAST), 1.0 - LEAST)

    def credit(self, gain: float, seconds: float) -> None:
        """Take in what the last turn gained and took; nothing is counted before the first."""
        if self.current is None:
            return
        who, rate = self.current, gain / seconds if seconds > 0.0 else gain
        old = self._rates[who] if self._taken[who] else rate
        self._rates[who] = MEMORY * old + (1.0 - MEMORY) * rate
        self._taken[who] += 1
