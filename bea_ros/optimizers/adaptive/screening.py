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
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bea_ros.optimizers.adaptive.gaussian_process import upper_cholesky
from bea_ros.optimizers.adaptive.warping import compressed, deficits
from bea_ros.optimizers.gaussian_process import matern52, squared_distances
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.optimizer import Record

Array = NDArray[np.float64]
Whiten = Callable[[Array], Array]

NEIGHBOURS = 5  # evaluations known, in multiples of d
LENGTH_SCALES = (1.0, 3.0, 9.0)  # in typical distances of the evaluations known
NOISES = (1e-6,)  # variance over signal variance
FEATURE_NOISES = (1e-4, 1e-2, 1e-1)
MOST = 6  # offspring drawn for one that is evaluated
RECENT = 400  # evaluations that screening looks for neighbours in
MEMORY = 0.7


class Archive:
    """Every evaluation, and what the models see of it.

    Args:
        inputs: what they see of a candidate.
        known: evaluations made before.
    """

    def __init__(self, inputs: ModelInputs, known: Sequence[Record] = ()) -> None:
        self.inputs = inputs
        self._points: list[Array] = []
        self._fitness: list[float] = []
        for record in known:
            self.add(record)

    def add(self, record: Record) -> None:
        """Take in an evaluation."""
        self._points.extend(self.inputs.points(record.x[None, :]))
        self._fitness.append(record.fitness)

    @property
    def best(self) -> Array:
        """The fittest candidate, shape (d,)."""
        return self._points[int(np.argmax(self._fitness))][self.inputs.features :]

    def all(self) -> tuple[Array, Array]:
        """What the models see of the evaluations, shape (n, features + d), and the fitness."""
        return np.array(self._points), np.array(self._fitness)

    def around(self, offspring: Array, whiten: Whiten | None) -> tuple[Array, Array, Array]:
        """Coordinates of offspring, about 0, of the last evaluations, and the fitness of these.

        Args:
            offspring: shape (m, d).
            whiten: maps candidates so that offspring are drawn from N(0, I). Features, where
                there are any, are taken instead.
        """
        known, fitness = np.array(self._points[-RECENT:]), np.array(self._fitness[-RECENT:])
        features = self.inputs.features
        if features:
            seen = self.inputs.points(offspring)[:, :features]
            origin = seen.mean(axis=0)
            return seen - origin, known[:, :features] - origin, fitness
        assert whiten is not None
        return whiten(offspring), whiten(known), fitness


class Screening:
    """Predicts fitness near a generation, and keeps count of how well."""

    def __init__(self) -> None:
        self.skill = 0.0
        self._predicted: Array | None = None

    @property
    def drawn(self) -> int:
        """Offspring to draw for one that is evaluated."""
        return 1 + round((MOST - 1) * max(self.skill, 0.0))

    def select(
        self, offspring: Array, count: int, archive: Archive, whiten: Whiten | None = None
    ) -> NDArray[np.intp]:
        """Return which of the offspring (m, d), m >= count, to evaluate, shape (count,)."""
        candidates, x, fitness = archive.around(offspring, whiten)
        nearest = np.argsort((x * x).sum(axis=1), kind="stable")
        nearest = nearest[: NEIGHBOURS * offspring.shape[1]]
        noises = FEATURE_NOISES if archive.inputs.features else NOISES
        known = compressed(deficits(fitness[nearest]))
        predicted = predict(x[nearest], known, candidates, noises)
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


def predict(x: Array, y: Array, points: Array, noises: Sequence[float] = NOISES) -> Array:
    """Posterior mean at points of the most probable of a few length scales and noises."""
    known, wanted = squared_distances(x, x), squared_distances(x, points)
    typical = math.sqrt(float(np.median(known))) or 1.0
    targets = np.column_stack([y, np.ones(len(y))])
    best, prediction = -math.inf, np.zeros(len(points))
    for scale, noise in product(LENGTH_SCALES, noises):
        theta2 = (scale * typical) ** 2
        factor = upper_cholesky(matern52(known / theta2), noise)
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
