# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Covariance matrix adaptation (CMA-ES) for smooth valleys in any direction.

Equation numbers are those of Hansen, "The CMA Evolution Strategy: A Tutorial" (2016).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.candidates import reflected

Array = NDArray[np.float64]

LARGEST_CONDITION = 1e14
WIDEST = 0.3  # standard deviation, on the unit cube


class CovarianceAdaptation:
    """CMA-ES on [0, 1]^d with active covariance update, one generation at a time.

    Args:
        mean: initial mean, shape (d,).
        step_size: initial sigma.
        rng: every draw comes from it.
        population: candidates in a generation, at least 2.
    """

    def __init__(
        self, mean: Array, step_size: float, rng: np.random.Generator, population: int
    ) -> None:
        n = len(mean)
        self._rng = rng
        self.population = population
        raw = math.log((population + 1) / 2) - np.log(np.arange(1, population + 1))
        parents = population // 2
        mu_eff = raw[:parents].sum() ** 2 / (raw[:parents] ** 2).sum()
        mu_eff_minus = raw[parents:].sum() ** 2 / (raw[parents:] ** 2).sum()

        self._c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0)  # eq. 55
        self._d_sigma = (
            1.0 + 2.0 * max(0.0, math.sqrt((mu_eff - 1.0) / (n + 1.0)) - 1.0) + self._c_sigma
        )
        self._c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n)  # eq. 56
        self._c_1 = 2.0 / ((n + 1.3) ** 2 + mu_eff)  # eq. 57
        c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0) ** 2 + mu_eff)  # eq. 58
        self._c_mu = min(1.0 - self._c_1, c_mu)
        least = min(  # eq. 50 to 53
            1.0 + self._c_1 / self._c_mu,
            1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0),
            (1.0 - self._c_1 - self._c_mu) / (n * self._c_mu),
        )
        self._weights = np.where(
            raw >= 0.0, raw / raw[raw > 0.0].sum(), least * raw / -raw[raw < 0.0].sum()
        )
        self._mu_eff = mu_eff
        self._parents = parents
        self._length = math.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n**2))  # E|N(0, I)|

        self.mean = mean.copy()
        self.step_size = step_size
        self._covariance = np.eye(n)
        self._axes, self._widths = np.eye(n), np.ones(n)
        self._path_sigma, self._path_c = np.zeros(n), np.zeros(n)
        self._generation = 0

    def sample(self, count: int | None = None) -> Array:
        """Return candidates, shape (count, d), mirrored at the bounds.

        By default `count` is the population.
        """
        draws = self._rng.standard_normal((count or self.population, len(self.mean)))
        return reflected(self.mean + self.step_size * ((draws * self._widths) @ self._axes.T))

    def whiten(self, points: Array) -> Array:
        """Map points (m, d) to coordinates in which candidates are drawn from N(0, I)."""
        return ((points - self.mean) @ self._axes) / (self.step_size * self._widths)

    def point(self, whitened: Array) -> Array:
        """The candidate in [0, 1]^d nearest to whitened coordinates (d,)."""
        away = self.step_size * (self._axes @ (self._widths * whitened))
        return np.clip(self.mean + away, 0.0, 1.0)

    def reshape(self, axes: Array, factors: Array) -> None:
        """Multiply the standard deviations along whitened axes by factors (d,).

        The axes are the columns of a (d, d) matrix. No standard deviation exceeds `WIDEST` then.
        """
        along = ((self._axes * self._widths) @ axes) * factors
        self._covariance = along @ along.T
        self._decompose()
        self._widths = np.minimum(self._widths, WIDEST / self.step_size)
        self._covariance = (self._axes * self._widths**2) @ self._axes.T

    def update(self, points: Array, fitness: Array) -> None:
        """Adapt to a generation: points (m, d) and their fitness (m,), maximised."""
        n = len(self.mean)
        self._generation += 1
        y = (points[np.argsort(-fitness, kind="stable")] - self.mean) / self.step_size
        step = self._weights[: self._parents] @ y[: self._parents]
        self.mean = self.mean + self.step_size * step  # eq. 42

        whitened = self._axes @ ((self._axes.T @ step) / self._widths)
        rate = math.sqrt(self._c_sigma * (2.0 - self._c_sigma) * self._mu_eff)
        self._path_sigma = (1.0 - self._c_sigma) * self._path_sigma + rate * whitened  # eq. 43
        length = float(np.linalg.norm(self._path_sigma))
        grown = 1.0 - (1.0 - self._c_sigma) ** (2 * self._generation)
        steady = length / math.sqrt(grown) < (1.4 + 2.0 / (n + 1.0)) * self._length
        rate = math.sqrt(self._c_c * (2.0 - self._c_c) * self._mu_eff) if steady else 0.0
        self._path_c = (1.0 - self._c_c) * self._path_c + rate * step  # eq. 45
        exponent = (self._c_sigma / self._d_sigma) * (length / self._length - 1.0)
        self.step_size *= math.exp(min(1.0, exponent))  # eq. 44

        lengths = (((y @ self._axes) / self._widths) ** 2).sum(axis=1)
        weights = np.where(  # eq. 46
            self._weights >= 0.0, self._weights, self._weights * n / (lengths + 1e-12)
        )
        lost = 0.0 if steady else self._c_1 * self._c_c * (2.0 - self._c_c)
        keep = 1.0 + lost - self._c_1 - self._c_mu * float(self._weights.sum())
        self._covariance = (  # eq. 47
            keep * self._covariance
            + self._c_1 * np.outer(self._path_c, self._path_c)
            + self._c_mu * (y.T * weights) @ y
        )
        self._decompose()

    def _decompose(self) -> None:
        values, self._axes = np.linalg.eigh(self._covariance)
        self._widths = np.sqrt(np.maximum(values, values[-1] / LARGEST_CONDITION))

    @property
    def spread(self) -> float:
        """Largest standard deviation in any direction."""
        return self.step_size * float(self._widths[-1])
