# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a prior explains the measurements better than a model without a prior."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, solve_triangular

from bea_ros.optimizers.gaussian_process import matern52, squared_distances

Array = NDArray[np.float64]

LOG_ODDS = math.log(9.0)  # in favour of the prior, before any measurement
LENGTHS = (0.35, 0.7, 1.4)  # length scales without the prior, in typical distances
SPREADS = (0.3, 0.6, 1.0, 1.7)  # of fitness without the prior, in units of the prior's spread


def apart(points: Array, typical: float) -> NDArray[np.intp]:
    """Return indices of the points (n, p) that are not close to an earlier one."""
    distances = squared_distances(points, points)
    distances[np.triu_indices(len(points))] = np.inf
    return np.flatnonzero(distances.min(axis=1) > (LENGTHS[0] * typical) ** 2)


def evidence_without(
    points: Array, fitness: Array, typical: float, middle: float, unit: float, noise: Array
) -> float:
    """Return the log likelihood of a fitness without the prior.

    Args:
        points: evaluated candidates as they are compared, shape (n, p).
        fitness: their fitness, shape (n,).
        typical: typical distance between candidates.
        middle: mean of the Gaussian process.
        unit: spread of the prior's fitness.
        noise: variance of each measurement, shape (n,).
    """
    distances = squared_distances(points, points) / typical**2
    fits = []
    for length, spread in product(LENGTHS, SPREADS):
        covariance = (spread * unit) ** 2 * (matern52(distances / length**2) + 1.0)
        covariance[np.diag_indices(len(covariance))] += noise
        factor = cho_factor(covariance, lower=True)[0]
        white = solve_triangular(factor, fitness - middle, lower=True)
        fits.append(-0.5 * float(white @ white) - float(np.log(np.diagonal(factor)).sum()))
    return float(np.logaddexp.reduce(fits)) - math.log(len(fits))


def trust(with_prior: float, without: float) -> float:
    """Return the probability of the prior, given the log likelihoods with and without it."""
    return 1.0 / (1.0 + math.exp(min(max(without - with_prior - LOG_ODDS, -700.0), 700.0)))
