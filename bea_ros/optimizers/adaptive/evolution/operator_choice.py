# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The choice between mutation and covariance adaptation for each generation."""

from __future__ import annotations


class OperatorChoice:
    """Chooses the operator that recently gained more per evaluation.

    The other operator gets turns, too, so that its average stays current: mutation one generation
    in ten, covariance adaptation every other generation, as it needs several to find its scale.
    A gain below a fraction of the largest one counts as none. If neither operator gains,
    covariance adaptation is preferred.

    If mutants evolve on a model, they search the whole cube and may find another valley late. So
    they are preferred if neither operator gains. The operator that is not preferred then gets one
    generation in four.

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
        """Add the gain per evaluation of a generation."""
        old = self._gains[covariance]
        self._gains[covariance] = self.MEMORY * old + (1.0 - self.MEMORY) * gain
        self._largest = max(self._largest, self._gains[covariance])
