# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gaussian process regression that grows with the observations (paper, eq. 3-5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bea_ros.optimizers.kernel import Hyperparameters, Kernel

Array = NDArray[np.float64]

JITTER = 1e-8  # added to the noise, as Limbo does: keeps K regular when a point comes twice


class GaussianProcess:
    """Posterior of a fitness given the evaluations so far.

    The inverse of the Cholesky factor grows by a row per observation, O(n^2), so K (eq. 5) is
    never factorised again; several rows at once cost hardly more than one. Means and variances
    are in the units of the fitness.

    Args:
        dimension: d.
        hyperparameters: of the kernel.
        features: number of features that come before the parameters of each point (see `inputs`).
        mean: prior mean. "zero" is eq. 3 as printed; "data" is the mean of the observations
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
        features: int = 0,
        mean: str = "zero",
        signal_variance: float = 1.0,
    ) -> None:
        self._dimension = dimension
        self._features = features
        self.kernel = Kernel(hyperparameters, dimension, features)
        self._mean_rule = mean
        self._fixed_variance = signal_variance
        self._size = 0
        capacity = 64
        self._x = np.empty((capacity, features + dimension))
        self._y = np.empty(capacity)
        self._embedded = np.empty((capacity, self.kernel.width))
        self._inverse = np.zeros((capacity, capacity))
        self._white_y = np.empty(capacity)
        self._white_1 = np.empty(capacity)
        # What the last observations added to L: the block below L, transposed, and the inverse
        # of the corner.
        self._below, self._corner = np.empty((0, 0)), np.empty((0, 0))

    def __len__(self) -> int:
        return self._size

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Those of the kernel."""
        return self.kernel.hyperparameters

    @property
    def x(self) -> Array:
        """Observed points, shape (n, features + d)."""
        return self._x[: self._size]

    @property
    def y(self) -> Array:
        """Observed fitness, shape (n,)."""
        return self._y[: self._size]

    @property
    def _factor(self) -> Array:
        """L^-1 with L L^T = K / signal variance, shape (n, n), lower triangular."""
        return self._inverse[: self._size, : self._size]

    @property
    def _observed(self) -> Array:
        """Observed points, embedded by the kernel, shape (n, width)."""
        return self._embedded[: self._size]

    # -- observations ---------------------------------------------------------------------

    def add(self, x: Array, y: float) -> None:
        """Take in one observation, O(n^2)."""
        self.extend(x[None, :], np.array([y]))

    def extend(self, points: Array, values: Array) -> None:
        """Take in k observations, points (k, features + d) and values (k,), O(k n^2)."""
        n, end = self._size, self._size + len(points)
        while end > len(self._y):
            self._grow()
        embedded = self.kernel.embed(points)
        # The Schur complement's diagonal is at least the noise; rounding may say otherwise.
        floor = self.hyperparameters.noise + JITTER
        schur = self.kernel.correlation(embedded, embedded)
        diagonal = schur.reshape(-1)[:: len(points) + 1]
        diagonal[:] = 1.0 + floor
        below = self._factor @ self.kernel.correlation(self._embedded[:n], embedded)
        schur -= below.T @ below
        np.maximum(diagonal, floor, out=diagonal)
        corner = lapack.dtrtri(_upper_factor(schur, floor), lower=0)[0].T
        self._inverse[n:end, :n] = -corner @ (below.T @ self._factor)
        self._inverse[n:end, n:end] = corner
        self._x[n:end], self._y[n:end], self._embedded[n:end] = points, values, embedded
        self._white_y[n:end] = corner @ (values - below.T @ self._white_y[:n])
        self._white_1[n:end] = corner @ (1.0 - below.T @ self._white_1[:n])
        self._below, self._corner, self._size = below, corner, end
        self._condition()

    def refit(self, hyperparameters: Hyperparameters) -> None:
        """Change the hyperparameters, O(n^3)."""
        self.kernel = Kernel(hyperparameters, self._dimension, self._features)
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
        if n:
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
        """L^-1 k for m points, shape (n, m), O(n^2 m)."""
        return self.whiten_embedded(self.kernel.embed(points))

    def whiten_embedded(self, embedded: Array, distances: Array | None = None) -> Array:
        """`whiten` for points embedded by the kernel, at known `distances` if given."""
        return self._factor @ self.kernel.correlation(self._observed, embedded, distances)

    def distances(self, embedded: Array, first: int = 0) -> Array:
        """Squared distances in length scales from the observations, `first` on, to m embedded
        points, shape (n - first, m).
        """
        return self.kernel.distances(self._observed[first:], embedded)

    def white_rows(self, embedded: Array, white: Array, distances: Array) -> Array:
        """Rows that the last k observations add to whitened points, shape (k, m), O(k n m).

        Args:
            embedded: the points, embedded by the kernel.
            white: whitened with what was observed before, shape (n - k, m).
            distances: as `distances` gives them, of the last k observations, shape (k, m).
        """
        last = self._observed[-len(self._corner) :]
        k = self.kernel.correlation(last, embedded, distances)
        return self._corner @ (k - self._below.T @ white)

    def predict(self, white: Array, explained: Array | None = None) -> tuple[Array, Array]:
        """Posterior mean and variance (eq. 3 and 4) of whitened points, O(n m).

        `explained` is the sum of their squares over the observations, where it is known.
        """
        mean = self.mean + self._z @ white
        if explained is None:
            explained = np.einsum("ij,ij->j", white, white)
        return mean, self.signal_variance * np.maximum(1.0 - explained, 0.0)

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """Posterior mean and variance of the noise-free fitness at m points (eq. 3, 4)."""
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
    """The posterior mean as a smooth function of one point without features, O(n d) a time."""

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
    inverse, _ = lapack.dtrtri(upper_cholesky(correlation, noise), lower=0)
    return inverse.T


def upper_cholesky(correlation: Array, noise: float) -> Array:
    """L^T with L L^T = correlation + noise + jitter on the diagonal; changes its argument."""
    correlation.reshape(-1)[:: len(correlation) + 1] = 1.0 + noise + JITTER
    return _upper_factor(correlation, noise + JITTER)


def _upper_factor(matrix: Array, jitter: float) -> Array:
    """L^T with L L^T = matrix, with more jitter on its diagonal where it must be."""
    while True:
        # The transpose of a C-ordered matrix is what LAPACK reads: upper there is lower here.
        factor, info = lapack.dpotrf(matrix.T, lower=0, clean=1)
        if info == 0:
            return factor
        jitter *= 10.0
        matrix.reshape(-1)[:: len(matrix) + 1] += jitter
