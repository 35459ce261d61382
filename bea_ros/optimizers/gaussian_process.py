# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gaussian process regression, one observation at a time (paper, eq. 2-4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bea_ros.optimizers.kernel import Hyperparameters, Kernel

Array = NDArray[np.float64]

JITTER = 1e-8  # added to the noise, as Limbo does: keeps K regular when a point comes twice
MEANS = ("zero", "data", "fitted")


class GaussianProcess:
    """Posterior of a fitness given the evaluations so far.

    The inverse of the Cholesky factor grows by a row per observation, O(n^2), so K (eq. 4) is
    never factorised again. Means and variances are in the units of the fitness.

    Args:
        dimension: d.
        hyperparameters: of the kernel.
        mean: prior mean. "zero" is eq. 2 as printed; "data" is the mean of the observations
            (Limbo's default); "fitted" is the maximum-likelihood constant, and the signal
            variance is then the maximum-likelihood one too, so that any affine change of the
            fitness changes nothing.
        signal_variance: k(s, s), ignored if the mean is "fitted".
    """

    def __init__(
        self,
        dimension: int,
        hyperparameters: Hyperparameters,
        *,
        mean: str = "zero",
        signal_variance: float = 1.0,
    ) -> None:
        self._dimension = dimension
        self.kernel = Kernel(hyperparameters, dimension)
        self._mean_rule = mean
        self._fixed_variance = signal_variance
        self._size = 0
        capacity = 64
        self._x = np.empty((capacity, dimension))
        self._y = np.empty(capacity)
        self._embedded = np.empty((capacity, self.kernel.width))
        self._inverse = np.zeros((capacity, capacity))
        self._white_y = np.empty(capacity)
        self._white_1 = np.empty(capacity)
        self._last_b = np.empty(0)  # row of L that the last observation added

    def __len__(self) -> int:
        return self._size

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Those of the kernel."""
        return self.kernel.hyperparameters

    @property
    def x(self) -> Array:
        """Observed points, shape (n, d)."""
        return self._x[: self._size]

    @property
    def y(self) -> Array:
        """Observed fitness, shape (n,)."""
        return self._y[: self._size]

    @property
    def _factor(self) -> Array:
        """L^-1 with L L^T = K / signal variance, shape (n, n), lower triangular."""
        return self._inverse[: self._size, : self._size]

    # -- observations ---------------------------------------------------------------------

    def add(self, x: Array, y: float) -> None:
        """Take in one observation, O(n^2)."""
        n = self._size
        if n == len(self._y):
            self._grow()
        embedded = self.kernel.embed(x[None, :])
        row = self._inverse[n]
        # The Schur complement is at least the noise; rounding may say otherwise.
        floor = self.hyperparameters.noise + JITTER
        pivot2, solved_y, solved_1 = 1.0 + floor, y, 1.0
        if n:
            inverse = self._factor
            b = inverse @ self.kernel.correlation(self._embedded[:n], embedded)[:, 0]
            pivot2 = max(pivot2 - float(b @ b), floor)
            row[:n] = (b @ inverse) / -math.sqrt(pivot2)
            solved_y = y - float(b @ self._white_y[:n])
            solved_1 = 1.0 - float(b @ self._white_1[:n])
            self._last_b = b
        pivot = math.sqrt(pivot2)
        row[n] = 1.0 / pivot
        self._x[n], self._y[n], self._embedded[n] = x, y, embedded[0]
        self._white_y[n], self._white_1[n] = solved_y / pivot, solved_1 / pivot
        self._size = n + 1
        self._condition()

    def refit(self, hyperparameters: Hyperparameters) -> None:
        """Change the hyperparameters, O(n^3)."""
        self.kernel = Kernel(hyperparameters, self._dimension)
        n = self._size
        if self._embedded.shape[1] != self.kernel.width:
            self._embedded = np.empty((len(self._y), self.kernel.width))
        if n:
            embedded = self.kernel.embed(self.x)
            self._embedded[:n] = embedded
            correlation = self.kernel.correlation(embedded, embedded)
            self._inverse[:n, :n] = inverse_cholesky(correlation, hyperparameters.noise)
            self._white_y[:n] = self._factor @ self.y
            self._white_1[:n] = self._factor.sum(axis=1)
            self._condition()

    def retarget(self, y: Array) -> None:
        """Change the observed values of all points, shape (n,), O(n^2)."""
        n = self._size
        self._y[:n] = y
        self._white_y[:n] = self._factor @ y
        self._condition()

    def _grow(self) -> None:
        n, capacity = self._size, 2 * len(self._y)
        for name in ("_x", "_y", "_embedded", "_white_y", "_white_1"):
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]))
            new[:n] = old[:n]
            setattr(self, name, new)
        inverse = np.zeros((capacity, capacity))
        inverse[:n, :n] = self._inverse[:n, :n]
        self._inverse = inverse

    def _condition(self) -> None:
        """Find mean, signal variance and whitened residuals z = L^-1 (f - m)."""
        n = self._size
        white_y, white_1 = self._white_y[:n], self._white_1[:n]
        self.mean, self.signal_variance = 0.0, self._fixed_variance
        if self._mean_rule == "data":
            self.mean = float(np.mean(self.y))
        elif self._mean_rule == "fitted":
            self.mean = float((white_1 @ white_y) / (white_1 @ white_1))
        self._z = white_y - self.mean * white_1
        if self._mean_rule == "fitted":
            # Constant observations leave no variance: any positive number serves.
            floor = (1e-9 * float(np.max(np.abs(self.y)))) ** 2 or 1e-300
            self.signal_variance = max(float(self._z @ self._z) / n, floor)

    # -- posterior ------------------------------------------------------------------------

    def whiten(self, points: Array) -> Array:
        """L^-1 k for (m, d) points, shape (n, m), O(n^2 m)."""
        return self.whiten_embedded(self.kernel.embed(points))

    def whiten_embedded(self, embedded: Array) -> Array:
        """`whiten` for points embedded by the kernel."""
        return self._factor @ self.kernel.correlation(self._embedded[: self._size], embedded)

    def white_row(self, embedded: Array, white: Array) -> Array:
        """Row that the last observation adds to whitened points, shape (m,), O(n m)."""
        n = self._size - 1
        k = self.kernel.correlation(self._embedded[n : n + 1], embedded)[0]
        return (k - self._last_b @ white) * self._inverse[n, n]

    def predict(self, white: Array) -> tuple[Array, Array]:
        """Posterior mean and variance (eq. 2 and 3) of whitened points, O(n m)."""
        mean = self.mean + self._z @ white
        explained = np.einsum("ij,ij->j", white, white)
        return mean, self.signal_variance * np.maximum(1.0 - explained, 0.0)

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """Posterior mean and variance of the noise-free fitness at (m, d) points (eq. 2, 3)."""
        if not self._size:
            return np.zeros(len(points)), np.full(len(points), self._fixed_variance)
        return self.predict(self.whiten(points))

    def log_likelihood(self) -> float:
        """Log marginal likelihood of the observations."""
        n, variance = self._size, self.signal_variance
        log_det = -2.0 * float(np.sum(np.log(np.diagonal(self._factor))))
        fit = float(self._z @ self._z) / variance
        return -0.5 * (fit + log_det + n * math.log(2.0 * math.pi * variance))


class PosteriorMean:
    """The posterior mean as a smooth function of one point, O(n d) a time."""

    def __init__(self, model: GaussianProcess) -> None:
        self.kernel = model.kernel
        self._offset = model.mean
        self._embedded = model._embedded[: len(model)]
        self._weights = model._z @ model._factor  # K^-1 (f - m)
        self._summed = self._weights @ self._embedded

    def __call__(self, point: Array) -> tuple[float, Array]:
        """Return the mean at a point, shape (d,), and its gradient."""
        value, gradient = self.kernel.weighted_gradient(
            self._embedded, self._weights, self._summed, point
        )
        return self._offset + value, gradient


def inverse_cholesky(correlation: Array, noise: float) -> Array:
    """L^-1 with L L^T = correlation + noise + jitter on the diagonal; changes its argument."""
    n = len(correlation)
    diagonal = correlation.reshape(-1)[:: n + 1]
    jitter = noise + JITTER
    while True:
        diagonal[:] = 1.0 + jitter
        # The transpose of a C-ordered matrix is what LAPACK reads: upper there is lower here.
        factor, info = lapack.dpotrf(correlation.T, lower=0, clean=1)
        if info == 0:
            inverse, _ = lapack.dtrtri(factor, lower=0)
            return inverse.T
        jitter = 10.0 * jitter
