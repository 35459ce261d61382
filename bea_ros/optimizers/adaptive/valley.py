# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the evolutionary algorithm follows a smooth valley: covariance adaptation, screened."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.covariance import CovarianceAdaptation
from bea_ros.optimizers.adaptive.screening import Archive, Screening
from bea_ros.optimizers.paper.mutation import Individual, best_of

Array = NDArray[np.float64]


class Valley:
    """Covariance adaptation that follows the elite, and starts again, wider, where it is done."""

    PATIENCE = 30  # generations without a better median
    CONVERGED = 1e-6  # largest standard deviation
    JUMP = 4.0  # largest standard deviations
    WIDER = 10.0
    WIDEST = 0.3

    def __init__(
        self, elite: Individual, step: float, population: int, rng: np.random.Generator
    ) -> None:
        self._rng = rng
        self._population = population
        self._narrowest = self._start = step
        self._begin(elite)

    def _begin(self, elite: Individual) -> None:
        self._adaptation = CovarianceAdaptation(elite.x, self._start, self._rng, self._population)
        self._elite = elite.x
        self._screening = Screening()
        self._best_median, self._idle = -math.inf, 0

    def sample(self, elite: Individual, archive: Archive) -> Array:
        """Return a generation of candidates, shape (m, d), the most promising of many."""
        if self._idle > self.PATIENCE or self._adaptation.spread < self.CONVERGED:
            wider = self._start * self.WIDER
            self._start = wider if wider <= self.WIDEST else self._narrowest
            self._begin(elite)
        moved = elite.x - self._elite
        if float(np.max(np.abs(moved))) > self.JUMP * self._adaptation.spread:
            # Mutation found another valley: go there, and take the shape of this one along.
            self._adaptation.mean = np.clip(self._adaptation.mean + moved, 0.0, 1.0)
        self._elite = elite.x
        count, whiten = self._adaptation.population, self._adaptation.whiten
        points = self._adaptation.sample(count * self._screening.drawn)
        return points[self._screening.select(points, count, archive, whiten)]

    def update(self, children: Sequence[Individual], gain: float) -> None:
        """Adapt to an evaluated generation."""
        fitness = np.array([child.fitness for child in children])
        median = float(np.median(fitness))
        self._idle = 0 if median > self._best_median else self._idle + 1
        self._best_median = max(self._best_median, median)
        self._screening.learn(fitness)
        self._adaptation.update(np.array([child.x for child in children]), fitness)
        if gain > 0.0:
            self._elite = best_of(children).x
