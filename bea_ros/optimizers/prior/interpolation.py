# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Interpolation of a prior at candidates that it does not contain, by a Gaussian process.

All worlds share the kernel, so one matrix of weights serves all worlds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from bea_ros.optimizers.gaussian_process import matern52, squared_distances

Array = NDArray[np.float64]

LENGTHS = 2.0 ** np.arange(-2.0, 2.1, 0.5)  # length scales, in median distances between candidates
ROUGHNESS = 10.0 ** np.arange(-3.0, 0.1, 0.5)  # nugget variance over signal variance
SAMPLE = 256  # candidates from which length scale and roughness are learned


class Interpolation:
    """Interpolates the fitness of each world.

    Args:
        points: the prior's candidates as they are compared, shape (n, p).
        fitness: fitness in each world, shape (n, worlds).
    """

    def __init__(self, points: Array, fitness: Array) -> None:
        self.points = points
        self.centre = fitness.mean(axis=0)
        self.variance = float(np.mean((fitness - self.centre) ** 2)) or 1e-300
        step = max(1, len(points) // SAMPLE)
        typical = np.median(squared_distances(points[::step], points[::step]))
        self.typical = math.sqrt(float(typical)) or 1.0
        self.length, self.roughness = self._learn(points[::step], fitness[::step] - self.centre)
        self._factor = self._cholesky(points, self.length, self.roughness)
        self._white = solve_triangular(self._factor, fitness - self.centre, lower=True)

    def _cholesky(self, points: Array, length: float, roughness: float) -> Array:
        correlation = matern52(squared_distances(points, points) / length**2)
        correlation.reshape(-1)[:: len(points) + 1] = 1.0 + roughness + 1e-8
        return cholesky(correlation, lower=True)

    def _learn(self, points: Array, deviations: Array) -> tuple[float, float]:
        """Length scale and roughness with the largest likelihood."""

        def likelihood(choice: tuple[float, float]) -> float:
            factor = self._cholesky(points, *choice)
            white = solve_triangular(factor, deviations, lower=True)
            n = len(points)
            spread = max(float(np.mean(white**2)), 1e-300)
            return -0.5 * n * math.log(spread) - float(np.log(np.diagonal(factor)).sum())

        choices = [(self.typical * length, rough) for length in LENGTHS for rough in ROUGHNESS]
        return max(choices, key=likelihood)

    def correlation(self, a: Array, b: Array) -> Array:
        """Correlation between points, shape (len(a), len(b))."""
        return matern52(squared_distances(a, b) / self.length**2)

    def whiten(self, points: Array) -> Array:
        """Whitened correlations L^-1 k of m points, shape (n, m)."""
        k = self.correlation(self.points, points)
        return solve_triangular(self._factor, k, lower=True)

    def fitness(self, white: Array) -> Array:
        """Interpolated fitness of whitened points in each world, shape (m, worlds)."""
        return self.centre + white.T @ self._white

    def uncertainty(self, white: Array) -> Array:
        """Variance of the interpolation at whitened points, shape (m,)."""
        share = np.maximum(1.0 - np.einsum("ij,ij->j", white, white), 0.0)
        return self._smooth * share + self.nugget

    def shared(self, a: Array, white_a: Array, b: Array, white_b: Array) -> Array:
        """Covariance of the interpolation errors at points a and b, without the nugget."""
        return self._smooth * (self.correlation(a, b) - white_a.T @ white_b)

    @property
    def _smooth(self) -> float:
        return self.variance / (1.0 + self.roughness)

    @property
    def nugget(self) -> float:
        """Nugget variance: the part that no neighbour predicts."""
        return self._smooth * self.roughness
