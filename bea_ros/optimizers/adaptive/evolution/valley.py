# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the EA follows a smooth valley: CMA-ES with a quadratic model.

The model is fitted to the evaluations nearest to the distribution (see `quadratic`). Its skill is
how well it ranked the last generations. The larger its skill, the more it is used:

- It screens offspring: only the most promising of several are evaluated.
- Its maximum within a radius is one candidate of a generation.
- Each generation moves the shape of the distribution towards the model's level sets. The
  covariance converges to the inverse of the Hessian, and the model knows that sooner.

After BO, `suited_step` chooses the first step size. If a quadratic model ranks the better half of
the evaluations well, there is one large valley, perhaps a rugged one. The step size then
follows from the spread of the good solutions, so that the search does not end in a nearby local
optimum. Otherwise it is small, and the search stays in the valley of the best solution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.evolution.archive import Archive
from bea_ros.optimizers.adaptive.evolution.covariance import CovarianceAdaptation
from bea_ros.optimizers.adaptive.evolution.quadratic import QuadraticModel
from bea_ros.optimizers.paper.mutation import Individual, best_of

Array = NDArray[np.float64]

MEMORY = 0.7  # decay of the skill per generation
LEAST_SKILL = 0.1  # below which the model is not used
MOST = 6  # offspring drawn per evaluated one, at most
RADIUS = 1.0  # of the search for the model's maximum, in units of sqrt(d)
SHAPING = 0.5  # exponent of the change of shape per generation and skill
LARGEST_CHANGE = 2.0  # of a standard deviation in a generation, before the exponent
SMALLEST = 1e-300  # curvature, so that a division does not overflow

FEWEST = 30  # evaluations, below which the step size is the narrowest
FOLDS = 10  # of the cross-validation
TOLD = 0.5  # rank correlation, above which there is one large valley
DISTANCES = 5.0  # first step size, in standard deviations of the good solutions
WIDEST_START = 0.1


def suited_step(x: Array, y: Array, narrowest: float) -> float:
    """First step size at the best of evaluations x (n, d) with fitness y (n,), or `narrowest`."""
    if len(y) < FEWEST:
        return narrowest
    ranked = np.argsort(-y, kind="stable")
    z = x - x[ranked[0]]
    predicted = np.empty(len(y))
    for fold in range(FOLDS):
        kept = np.arange(len(y)) % FOLDS != fold
        predicted[~kept] = QuadraticModel(z[kept], y[kept]).predict(z[~kept])
    better = ranked[: len(y) // 2]
    if rank_correlation(predicted[better], y[better]) <= TOLD:
        return narrowest
    good = x[ranked[: len(y) // 10]]
    apart = DISTANCES * math.sqrt(float(np.mean((good - good.mean(axis=0)) ** 2)))
    return max(narrowest, min(apart, WIDEST_START))


class Valley:
    """Covariance adaptation around the elite, restarted there if it converges or stagnates."""

    PATIENCE = 10  # generations without a better median
    CONVERGED = 1e-6  # largest standard deviation
    JUMP = 4.0  # largest standard deviations

    def __init__(
        self, elite: Individual, step: float, population: int, rng: np.random.Generator
    ) -> None:
        self._rng = rng
        self._population = population
        self._step = step
        self._begin(elite)

    def _begin(self, elite: Individual) -> None:
        self._adaptation = CovarianceAdaptation(elite.x, self._step, self._rng, self._population)
        self._elite = elite.x
        self._best_median, self._idle = -math.inf, 0
        self._predicted = np.empty(0)
        self.skill = 0.0

    def sample(self, elite: Individual, archive: Archive) -> Array:
        """Return a generation of candidates, shape (m, d), the most promising of many."""
        if self._idle > self.PATIENCE or self._adaptation.spread < self.CONVERGED:
            self._begin(elite)
        adaptation = self._adaptation
        moved = elite.x - self._elite
        if float(np.max(np.abs(moved))) > self.JUMP * adaptation.spread:
            # Mutation found another valley: move there, and keep the shape.
            adaptation.mean = np.clip(adaptation.mean + moved, 0.0, 1.0)
        self._elite = elite.x
        x, fitness = archive.all()
        model = QuadraticModel(adaptation.whiten(x[:, archive.inputs.features :]), fitness)
        points, self._predicted = self._promising(model)
        if self.skill > LEAST_SKILL:
            self._reshape(model.hessian)
        return points

    def follow(self, elite: Individual) -> None:
        """Move to a better solution of another operator, with the first step size."""
        adaptation = self._adaptation
        adaptation.mean, self._elite = elite.x, elite.x
        adaptation.step_size *= min(1.0, self._step / adaptation.spread)

    def _promising(self, model: QuadraticModel) -> tuple[Array, Array]:
        """Offspring screened by the model, and the model's maximum.

        Returns candidates, shape (m, d), and their predictions, shape (m,).
        """
        adaptation = self._adaptation
        count = adaptation.population
        points = adaptation.sample(count * (1 + round((MOST - 1) * max(self.skill, 0.0))))
        predicted = model.predict(adaptation.whiten(points))
        chosen = np.argsort(-predicted, kind="stable")[:count]
        points, predicted = points[chosen], predicted[chosen]
        if self.skill > LEAST_SKILL:
            radius = RADIUS * math.sqrt(points.shape[1])
            points[-1] = adaptation.point(model.top(radius))
            predicted[-1:] = model.predict(adaptation.whiten(points[-1:]))
        return points, predicted

    def _reshape(self, hessian: Array) -> None:
        """Move the distribution's shape towards that of the model's level sets."""
        curvature, axes = np.linalg.eigh(-hessian)
        if curvature[-1] < SMALLEST:
            return
        widths = np.maximum(curvature, 1e-12 * curvature[-1]) ** -0.5
        factors = np.clip(_normed(widths), 1.0 / LARGEST_CHANGE, LARGEST_CHANGE)
        self._adaptation.reshape(axes, _normed(factors ** (SHAPING * self.skill)))

    def update(self, children: Sequence[Individual], gain: float) -> None:
        """Adapt to an evaluated generation."""
        fitness = np.array([child.fitness for child in children])
        median = float(np.median(fitness))
        self._idle = 0 if median > self._best_median else self._idle + 1
        self._best_median = max(self._best_median, median)
        seen = rank_correlation(self._predicted, fitness)
        self.skill = MEMORY * self.skill + (1.0 - MEMORY) * seen
        self._adaptation.update(np.array([child.x for child in children]), fitness)
        if gain > 0.0:
            self._elite = best_of(children).x


def _normed(widths: Array) -> Array:
    """Positive numbers (d,), divided by their geometric mean."""
    return widths / np.exp(np.mean(np.log(widths)))


def rank_correlation(a: Array, b: Array) -> float:
    """Spearman's rank correlation; among equals the first has the lower rank."""
    ranks = np.array([np.argsort(np.argsort(v, kind="stable")) for v in (a, b)], dtype=float)
    return float(np.corrcoef(ranks)[0, 1])
