# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the evolutionary algorithm follows a smooth valley: CMA-ES with a quadratic model.

The model is fitted to the evaluations nearest to the distribution (see `quadratic`). What it does
follows from how well it ranked the last generations, its skill:

- offspring are screened by it, the more of them for one that is evaluated the larger its skill;
- its maximum within a radius is one of a generation;
- the distribution takes on the shape of its level sets, a little in each generation: the inverse
  of its Hessian is what the covariance converges to, and the model knows it sooner.

After BO, `suited_step` says how wide it begins. Where a quadratic tells good from better among
what is known, there is one large valley, however rugged: as wide as the good ones are apart, lest
it ends in the nearest of many optima. Elsewhere only the valley of the best solution is believed.
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

MEMORY = 0.7  # of the skill
LEAST_SKILL = 0.1  # for which the model is believed
MOST = 6  # offspring drawn for one that is evaluated
RADIUS = 1.0  # within which the model's maximum is taken, in lengths of an offspring, sqrt(d)
SHAPING = 0.5  # exponent of the change of shape in a generation, times the skill
LARGEST_CHANGE = 2.0  # of a width in a generation, before the exponent
SMALLEST = 1e-300  # curvature that divides without overflow

FEWEST = 30  # evaluations from which a step is told
FOLDS = 10  # of the cross-validation
TOLD = 0.5  # rank correlation from which a quadratic tells good from better
DISTANCES = 5.0  # steps in the distance of the good ones
WIDEST_START = 0.1


def suited_step(x: Array, y: Array, narrowest: float) -> float:
    """The step to begin with at the best of evaluations x (n, d) with fitness y (n,)."""
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
    """Covariance adaptation that follows the elite, and starts again there where it is done."""

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
            # Mutation found another valley: go there, and take the shape of this one along.
            adaptation.mean = np.clip(adaptation.mean + moved, 0.0, 1.0)
        self._elite = elite.x
        x, fitness = archive.all()
        model = QuadraticModel(adaptation.whiten(x[:, archive.inputs.features :]), fitness)
        points, self._predicted = self._promising(model)
        if self.skill > LEAST_SKILL:
            self._reshape(model.hessian)
        return points

    def follow(self, elite: Individual) -> None:
        """Go to a better solution that another found, as narrow as at the start."""
        adaptation = self._adaptation
        adaptation.mean, self._elite = elite.x, elite.x
        adaptation.step_size *= min(1.0, self._step / adaptation.spread)

    def _promising(self, model: QuadraticModel) -> tuple[Array, Array]:
        """The best of a number of offspring by the model and the model's maximum, shape (m, d),
        and what it predicts of them, shape (m,).
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
    """Positive numbers (d,) over their geometric mean."""
    return widths / np.exp(np.mean(np.log(widths)))


def rank_correlation(a: Array, b: Array) -> float:
    """Spearman's; the first of equals has the lower rank."""
    ranks = np.array([np.argsort(np.argsort(v, kind="stable")) for v in (a, b)], dtype=float)
    return float(np.corrcoef(ranks)[0, 1])
