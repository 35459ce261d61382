# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How much reality may differ from a prior, learned from the differences between its worlds.

Each world in turn takes the part of reality, and the others are the prior (leave-one-out). The
standard deviations maximise the likelihood of all worlds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, solve_triangular

from bea_ros.optimizers.gaussian_process import matern52, squared_distances

Array = NDArray[np.float64]

TOP, OTHERS = 48, 48  # candidates per left-out world: the best of the others, and some of the rest
JITTER = 1e-3


@dataclass(frozen=True)
class Difference:
    """Standard deviations of the differences between reality and the prior (see `model`).

    `offset` and `residual` are in units of the prior's spread. `length`, the length scale of the
    residual, is in typical distances between candidates.
    """

    gain: float = 0.2
    offset: float = 0.1
    blend: float = 1.0
    residual: float = 0.2
    length: float = 0.6


GRIDS = {
    "gain": (0.1, 0.2, 0.4, 0.7),
    "offset": (0.03, 0.1, 0.3),
    "blend": (0.3, 0.6, 1.0, 1.5),
    "residual": (0.05, 0.1, 0.2, 0.35, 0.6, 1.0),
    "length": (0.15, 0.3, 0.6, 1.2),
}


def loadings(fitness: Array, difference: Difference, unit: float, middle: float) -> Array:
    """Return loadings (m, K + 2) of candidates with fitness (m, K) on b, c and w (see `model`)."""
    mean = fitness.mean(axis=1)
    share = difference.blend / math.sqrt(max(fitness.shape[1] - 1, 1))
    return np.column_stack(
        [
            difference.gain * (mean - middle),
            np.full(len(mean), difference.offset * unit),
            share * (fitness - mean[:, None]),
        ]
    )


def calibrated(fitness: Array, points: Array, typical: float, unit: float) -> Difference:
    """Return the difference that maximises the likelihood of each world given the others.

    Two worlds are too few to learn from.

    Args:
        fitness: fitness of candidates in each world, shape (n, K).
        points: the candidates as they are compared, shape (n, p).
        typical: typical distance between candidates.
        unit: spread of the fitness.
    """
    if fitness.shape[1] < 3:
        return Difference()
    left_out = [_LeftOut(fitness, points, typical, unit, k) for k in range(fitness.shape[1])]

    @cache
    def likelihood(difference: Difference) -> float:
        return sum(world.log_likelihood(difference) for world in left_out)

    best, before = Difference(), None
    while best != before:
        before = best
        for name, grid in GRIDS.items():
            best = max((replace(best, **{name: value}) for value in grid), key=likelihood)
    return best


class _LeftOut:
    """One world that takes the part of reality."""

    def __init__(
        self, fitness: Array, points: Array, typical: float, unit: float, world: int
    ) -> None:
        rest = np.delete(fitness, world, axis=1)
        expected = rest.mean(axis=1)
        ranked = np.argsort(-expected, kind="stable")
        others = ranked[TOP :: max(1, (len(ranked) - TOP) // OTHERS)]
        chosen = np.concatenate([ranked[:TOP], others])
        self._rest, self._unit = rest[chosen], unit
        self._middle = float(np.median(expected))
        self._difference = fitness[chosen, world] - expected[chosen]
        distances = squared_distances(points[chosen], points[chosen]) / typical**2
        self._correlations = {
            length: matern52(distances / length**2) for length in GRIDS["length"]
        }

    def log_likelihood(self, difference: Difference) -> float:
        shared = loadings(self._rest, difference, self._unit, self._middle)
        variance = (difference.residual * self._unit) ** 2
        covariance = variance * self._correlations[difference.length] + shared @ shared.T
        covariance[np.diag_indices(len(covariance))] += JITTER * self._unit**2
        factor = cho_factor(covariance, lower=True)[0]
        white = solve_triangular(factor, self._difference, lower=True)
        return -0.5 * float(white @ white) - float(np.log(np.diagonal(factor)).sum())
