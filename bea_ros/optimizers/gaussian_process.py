# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gaussian process regression with a Matern 5/2 kernel, one observation at a time (paper, eq. 1-4).

The paper writes r^2 = (s - s')^T Lambda (s - s') with Lambda = diag(theta) and divides by theta
once more. Read as everywhere else (Rasmussen and Williams, eq. 4.17; Limbo): r is the distance
with each coordinate divided by its length scale, and theta divides once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Array = NDArray[np.float64]

SQRT5 = math.sqrt(5.0)
JITTER = 1e-8  # added to the noise, as Limbo does: keeps K regular when a point comes twice


def squared_distances(a: Array, b: Array) -> Array:
    """Squared Euclidean distances between rows, shape (len(a), len(b))."""
    d2 = a @ b.T
    d2 *= -2.0
    d2 += np.einsum("ij,ij->i", a, a)[:, None]
    d2 += np.einsum("ij,ij->i", b, b)[None, :]
    return np.maximum(d2, 0.0, out=d2)


def matern52(d2: Array) -> Array:
    """Matern 5/2 correlation (eq. 1) of squared distances in length scales."""
    r = np.sqrt(d2)
    r *= SQRT5
    k = r * (1.0 / 3.0)
    k += 1.0
    k *= r
    k += 1.0
    np.negative(r, out=r)
    np.exp(r, out=r)
    k *= r
    return k


class GaussianProcess:
    """Posterior of a fitness given the evaluations so far.

    The inverse of the Cholesky factor grows by a row per observation, O(n^2), so K (eq. 4) is
    never factorised again. Means and variances are in the units of the fitness.

    Args:
        length_scale: theta, a number or one per coordinate, in units of the cube.
        noise: variance of the noise as a fraction of the signal variance.
        mean: prior mean. "zero" is eq. 2 as printed; "data" is the mean of the observations
            (Limbo's default); "fitted" is the maximum-likelihood constant, and the signal
            variance is then the maximum-likelihood one too, so that any affine change of the
            fitness changes nothing.
        signal_variance: k(s, s), ignored if the mean is "fitted".
    """

    def __init__(
        self,
        dimension: int,
        *,
        length_scale: float | Array = 0.5,
        noise: float = 0.0,
        mean: str = "zero",
        signal_variance: float = 1.0,
    ) -> None:
        self.noise = noise
        self.length_scale = length_scale
        self._mean_rule = mean
        self._fixed_variance = signal_variance
        self._size = 0
        self._x = np.empty((64, dimension))
        self._scaled = np.empty((64, dimension))
        self._y = np.empty(64)
        self._inverse = np.zeros((64, 64))

    def __len__(self) -> int:
        return self._size

    @property
    def x(self) -> Array:
        """Observed points, shape (n, d)."""
        return self._x[: self._size]

    @property
    def y(self) -> Array:
        """Observed fitness, shape (n,)."""
        return self._y[: self._size]

    @property
    def inverse_factor(self) -> Array:
        """L^-1 with L L^T = K / signal variance, shape (n, n), lower triangular."""
        return self._inverse[: self._size, : self._size]

    def scale(self, points: Array) -> Array:
        """Divide points by the length scale."""
        return points / self.length_scale

    def correlation(self, points: Array) -> Array:
        """Prior correlation of the n observed points with (m, d) points, shape (n, m)."""
        return matern52(squared_distances(self._scaled[: self._size], self.scale(points)))

    def add(self, x: Array, y: float) -> None:
        """Take in one observation, O(n^2)."""
        n = self._size
        if n == len(self._y):
            self._grow()
        self._x[n], self._y[n], self._scaled[n] = x, y, self.scale(x)
        row = self._inverse[n]
        if n:
            inverse = self.inverse_factor
            b = inverse @ self.correlation(x[None, :])[:, 0]
            pivot = self._pivot(b @ b)
            row[:n] = (b @ inverse) / -pivot
        else:
            pivot = self._pivot(0.0)
        row[n] = 1.0 / pivot
        self._size = n + 1
        self._condition()

    def replace(self, x: Array, y: Array) -> None:
        """Take these observations in place of all earlier ones, O(n^3)."""
        n = len(y)
        self._size = 0
        while n > len(self._y):
            self._grow()
        self._x[:n], self._y[:n], self._scaled[:n] = x, y, self.scale(x)
        self._size = n
        self.refit(self.length_scale, self.noise)

    def refit(self, length_scale: float | Array, noise: float) -> None:
        """Change the hyperparameters, O(n^3)."""
        self.length_scale, self.noise = length_scale, noise
        n = self._size
        self._scaled[:n] = self.scale(self.x)
        if n:
            self._inverse[:n, :n] = inverse_cholesky(self.correlation(self.x), noise)
            self._condition()

    def retarget(self, y: Array) -> None:
        """Change the observed values and nothing else, O(n^2)."""
        self._y[: self._size] = y
        self._condition()

    def _pivot(self, explained: float) -> float:
        # The Schur complement is at least the noise; rounding may say otherwise.
        floor = self.noise + JITTER
        return math.sqrt(max(1.0 + floor - explained, floor))

    def _grow(self) -> None:
        n, capacity = self._size, 2 * len(self._y)
        for name in ("_x", "_scaled", "_y"):
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]))
            new[:n] = old[:n]
            setattr(self, name, new)
        inverse = np.zeros((capacity, capacity))
        inverse[:n, :n] = self._inverse[:n, :n]
        self._inverse = inverse

    def _condition(self) -> None:
        """Find mean, signal variance and whitened residuals z = L^-1 (y - m)."""
        y, inverse = self.y, self.inverse_factor
        self.signal_variance = self._fixed_variance
        if self._mean_rule == "zero":
            self.mean = 0.0
        elif self._mean_rule == "data":
            self.mean = float(np.mean(y))
        else:
            self.mean = 0.0
            white_y, white_1 = inverse @ y, inverse.sum(axis=1)
            self.mean = float((white_1 @ white_y) / (white_1 @ white_1))
        self._z = inverse @ (y - self.mean)
        if self._mean_rule == "fitted":
            # Constant observations leave no variance: any positive number serves.
            largest = float(np.max(np.abs(y), initial=0.0))
            floor = (1e-12 * largest) ** 2 or 1e-300
            self.signal_variance = max(float(self._z @ self._z) / self._size, floor)

    def whiten(self, points: Array) -> Array:
        """L^-1 k for (m, d) points, shape (n, m): what `predict` needs of them, O(n^2 m)."""
        return self.inverse_factor @ self.correlation(points)

    def predict(self, white: Array, explained: Array | None = None) -> tuple[Array, Array]:
        """Posterior mean and variance (eq. 2 and 3) from whitened correlations, O(n m)."""
        if explained is None:
            explained = np.einsum("ij,ij->j", white, white)
        mean = self.mean + self._z @ white
        return mean, self.signal_variance * np.maximum(1.0 - explained, 0.0)

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """Posterior mean and variance of the noise-free fitness at (m, d) points (eq. 2 and 3)."""
        if not self._size:
            m = len(points)
            return np.zeros(m), np.full(m, self._fixed_variance)
        return self.predict(self.whiten(points))

    def weights(self) -> Array:
        """K^-1 (f - m), so that the posterior mean at s is m + k^T weights, shape (n,)."""
        return self._z @ self.inverse_factor

    def mean_gradient(self, point: Array, weights: Array) -> tuple[float, Array]:
        """Posterior mean at one point and its gradient, shape (d,), O(n d)."""
        difference = self._scaled[: self._size] - self.scale(point)
        r = SQRT5 * np.sqrt(np.einsum("ij,ij->i", difference, difference))
        decay = np.exp(-r) * weights
        slope = (5.0 / 3.0) * (1.0 + r) * decay
        mean = self.mean + float((1.0 + r + r * r / 3.0) @ decay)
        return mean, (slope @ difference) / self.length_scale

    def log_likelihood(self) -> float:
        """Log marginal likelihood of the observations."""
        n = self._size
        log_det = -2.0 * float(np.sum(np.log(np.diagonal(self.inverse_factor))))
        fit = float(self._z @ self._z) / self.signal_variance
        return -0.5 * (fit + log_det + n * math.log(2.0 * math.pi * self.signal_variance))


def inverse_cholesky(correlation: Array, noise: float) -> Array:
    """L^-1 with L L^T = correlation + noise + jitter on the diagonal; overwrites its argument."""
    n = len(correlation)
    diagonal = correlation.reshape(-1)[:: n + 1]
    jitter = noise + JITTER
    while True:
        diagonal[:] = 1.0 + jitter
        # The transpose of a C-ordered matrix is what LAPACK reads: upper there is lower here.
        factor, info = lapack.dpotrf(correlation.T, lower=0, clean=1)
        if info == 0:
            inverse, info = lapack.dtrtri(factor, lower=0)
        if info == 0:
            return inverse.T
        jitter = 10.0 * jitter
