# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Mutation or covariance adaptation: which of them breeds a generation."""

from __future__ import annotations


class OperatorChoice:
    """Which operator breeds next: the one that gained more per evaluation lately.

    The other one gets its turns too, lest its figure grows stale: mutation one generation in ten,
    covariance adaptation every other one, for it gains nothing until it has found its scale.
    Without gain on either side covariance adaptation counts as better, and what has faded to a
    fraction of the largest gain counts as none.

    Mutants that evolve on a model look everywhere, and find another valley late: they count as
    better without gain on either side, and covariance adaptation gets one turn in four, as they
    do where it is better.

    Args:
        modelled: whether mutants evolve on a model.
    """

    MEMORY = 0.7
    MUTATION_TURN = 10
    COVARIANCE_TURN = 2
    FADED = 0.02
    TURN_BESIDE_MODEL = 4

    def __init__(self, modelled: bool) -> None:
        self._modelled = modelled
        self._gains = {True: 0.0, False: 0.0}
        self._largest = 0.0
        self._count = 0

    def covariance_next(self) -> bool:
        """Whether covariance adaptation breeds next."""
        self._count += 1
        if self._modelled:
            better = self._gains[True] > max(self._gains[False], self.FADED * self._largest)
            return better != (self._count % self.TURN_BESIDE_MODEL == 0)
        if self._gains[False] <= max(self._gains[True], self.FADED * self._largest):
            return self._count % self.MUTATION_TURN != 0
        return self._count % self.COVARIANCE_TURN == 0

    def credit(self, covariance: bool, gain: float) -> None:
        """Take in the gain per evaluation of a generation."""
        old = self._gains[covariance]
        self._gains[covariance] = self.MEMORY * old + (1.0 - self.MEMORY) * gain
        self._largest = max(self._largest, self._gains[covariance])
