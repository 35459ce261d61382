# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Offspring screened by a Gaussian process before they cost an evaluation.

The model is local: it knows the evaluations nearest to where the offspring are drawn, in the
metric of the covariance that was adapted, in which a valley is round (after Kern, Hansen and
Koumoutsakos, 2006). How many offspring are drawn for one that is evaluated follows from how well
the model ranked the last ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bea_ros.optimizers.gaussian_process import upper_cholesky
from bea_ros.optimizers.kernel import matern52, squared_distances
from bea_ros.optimizers.warping import compressed, deficits

Array = NDArray[np.float64]

NEIGHBOURS = 5  # evaluations known, in multiples of d
LENGTH_SCALES = (1.0, 3.0, 9.0)  # in typical distances of the evaluations known
NOISE = 1e-6
MOST = 6  # offspring drawn for one that is evaluated
MEMORY = 0.7


class Screening:
    """Predicts fitness near a generation, and keeps count of how well."""

    def __init__(self) -> None:
        self.skill = 0.0
        self._predicted: Array | None = None

    @property
    def drawn(self) -> int:
        """Offspring to draw for one that is evaluated."""
        return 1 + round((MOST - 1) * max(self.skill, 0.0))

    def select(self, offspring: Array, count: int, x: Array, fitness: Array) -> NDArray[np.intp]:
        """Return which of the offspring to evaluate, shape (count,).

        Args:
            offspring: whitened, so that they are drawn from N(0, I); shape (m, d), m >= count.
            count: how many to choose.
            x: evaluated solutions, whitened alike, shape (n, d).
            fitness: their fitness, shape (n,).
        """
        nearest = np.argsort((x * x).sum(axis=1), kind="stable")[: NEIGHBOURS * x.shape[1]]
        predicted = predict(x[nearest], compressed(deficits(fitness[nearest])), offspring)
        chosen = np.argsort(-predicted, kind="stable")[:count]
        self._predicted = predicted[chosen]
        return chosen

    def learn(self, fitness: Array) -> None:
        """Take in the fitness of those that were chosen, in their order."""
        if self._predicted is None or len(self._predicted) != len(fitness):
            return
        seen = rank_correlation(self._predicted, fitness)
        self.skill = MEMORY * self.skill + (1.0 - MEMORY) * seen


def rank_correlation(a: Array, b: Array) -> float:
    """Spearman's; the first of equals has the lower rank."""
    ranks = np.array([np.argsort(np.argsort(v, kind="stable")) for v in (a, b)], dtype=float)
    return float(np.corrcoef(ranks)[0, 1])


def predict(x: Array, y: Array, points: Array) -> Array:
    """Posterior mean at points of the most probable of a few length scales."""
    known, wanted = squared_distances(x, x), squared_distances(x, points)
    typical = math.sqrt(float(np.median(known))) or 1.0
    targets = np.column_stack([y, np.ones(len(y))])
    best, prediction = -math.inf, np.zeros(len(points))
    for scale in LENGTH_SCALES:
        theta2 = (scale * typical) ** 2
        factor = upper_cholesky(matern52(known / theta2), NOISE)
        solved, _ = lapack.dtrtrs(factor, targets, trans=1)
        white, one = solved.T
        mean = float(one @ white) / float(one @ one)
        white = white - mean * one
        variance = max(float(white @ white) / len(y), 1e-300)
        log_det = 2.0 * float(np.sum(np.log(np.diagonal(factor))))
        score = -0.5 * (log_det + len(y) * math.log(variance))
        if score > best:
            weights, _ = lapack.dtrtrs(factor, white)
            best, prediction = score, mean + weights @ matern52(wanted / theta2)
    return prediction
