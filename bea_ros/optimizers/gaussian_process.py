# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gaussian process with a Matern 5/2 kernel (paper, section IV-A, eq. 2 to 5).

- eq. 2: the paper writes r^2 = (s - s')^T Lambda (s - s') with Lambda = diag(theta), and divides
  by theta once more. Read as everywhere else (Rasmussen and Williams, eq. 4.17; Limbo): r is the
  Euclidean distance, and theta divides once.
- eq. 3: m(s) = 0 is called "typical", and eq. 3 has no other mean: zero. Limbo's default, and so
  the released code's, is the mean of the observations.
- eq. 5: K has no noise. A jitter keeps it regular when a solution is evaluated twice, as in Limbo.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

Array = NDArray[np.float64]

JITTER = 1e-8  # added to the noise
SQRT5 = math.sqrt(5.0)


def squared_distances(a: Array, b: Array) -> Array:
    """Squared Euclidean distances between rows, shape (len(a), len(b))."""
    d2 = a @ b.T
    d2 *= -2.0
    d2 += np.einsum("ij,ij->i", a, a)[:, None]
    d2 += np.einsum("ij,ij->i", b, b)[None, :]
    return np.maximum(d2, 0.0, out=d2)


def matern52(d2: Array) -> Array:
    """k(s, s') = (1 + q + q^2 / 3) exp(-q), q = sqrt(5) r / theta (eq. 2), of (r / theta)^2."""
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


class Kernel:
    """Correlation of points (eq. 2), through an embedding computed once for each.

    Args:
        theta: length scale.
        width: columns of an embedding.
    """

    def __init__(self, theta: float, width: int) -> None:
        self.theta, self.width = theta, width

    def embed(self, points: Array) -> Array:
        """Map points to coordinates in units of the length scale, shape (n, width)."""
        return points / self.theta

    def distances(self, a: Array, b: Array) -> Array:
        """Squared distances between embedded points in length scales, shape (len(a), len(b))."""
        return squared_distances(a, b)

    def correlation(self, a: Array, b: Array, distances: Array | None = None) -> Array:
        """Correlation between embedded points, shape (len(a), len(b)).

        `distances`, if given, saves computing them.
        """
        return matern52(self.distances(a, b) if distances is None else distances)

    def to_points(self, embedded: Array) -> Callable[[Array], Array]:
        """Return a function: correlation of embedded points (n, width) with one point, shape (n,).

        It serves kernels of plain distances only. Precomputing the constant terms halves its time
        for 250 points.
        """
        minus_twice = -2.0 * embedded
        squares = np.einsum("ij,ij->i", embedded, embedded)

        def correlation(point: Array) -> Array:
            other = self.embed(point)
            d2 = minus_twice @ other
            d2 += squares
            d2 += other @ other
            return matern52(np.maximum(d2, 0.0, out=d2))

        return correlation


class GaussianProcess:
    """Posterior of a fitness given the evaluations so far (eq. 3 and 4).

    K = L L^T (eq. 5) is never factorised again: L^-1 grows by a row per observation, O(n^2), and
    several rows at once cost hardly more than one. Then, with z = L^-1 (f - m) and w = L^-1 k,
    eq. 3 is mu = m + z^T w and eq. 4 is sigma^2 = k(s, s) - w^T w.

    Args:
        kernel: gives the correlations.
        columns: number of columns of a point.
        noise: noise variance over signal variance.
        mean: prior mean m(s): "zero", or the mean of the observations, "data".
        signal_variance: k(s, s).
    """

    def __init__(
        self,
        kernel: Kernel,
        columns: int,
        noise: float = 0.0,
        *,
        mean: str = "zero",
        signal_variance: float = 1.0,
    ) -> None:
        self.kernel = kernel
        self.noise = noise
        self.mean, self.signal_variance = 0.0, signal_variance
        self._mean_rule = mean
        self._size = 0
        capacity = 64
        self._x = np.empty((capacity, columns))
        self._y = np.empty(capacity)
        self._embedded = np.empty((capacity, kernel.width))
        self._inverse = np.zeros((capacity, capacity))
        self._white_y = np.empty(capacity)
        self._white_1 = np.empty(capacity)

    def __len__(self) -> int:
        return self._size

    @property
    def x(self) -> Array:
        """Observed points, shape (n, columns)."""
        return self._x[: self._size]

    @property
    def y(self) -> Array:
        """Observed fitness f, shape (n,)."""
        return self._y[: self._size]

    @property
    def _factor(self) -> Array:
        """L^-1 with L L^T = K / signal variance, shape (n, n), lower triangular."""
        return self._inverse[: self._size, : self._size]

    @property
    def _observed(self) -> Array:
        """Observed points, embedded by the kernel, shape (n, width)."""
        return self._embedded[: self._size]

    def add(self, x: Array, y: float) -> None:
        """Add one observation, O(n^2)."""
        self.extend(x[None, :], np.array([y]))

    def extend(self, points: Array, values: Array) -> None:
        """Add k observations, points (k, columns) and values (k,), O(k n^2)."""
        n, end = self._size, self._size + len(points)
        while end > len(self._y):
            self._grow()
        embedded = self.kernel.embed(points)
        # The Schur complement's diagonal is at least the noise, except for rounding.
        floor = self.noise + JITTER
        schur = self.kernel.correlation(embedded, embedded)
        diagonal = schur.reshape(-1)[:: len(points) + 1]
        diagonal[:] = 1.0 + floor
        below = self._factor @ self.kernel.correlation(self._embedded[:n], embedded)
        schur -= below.T @ below
        np.maximum(diagonal, floor, out=diagonal)
        corner = lapack.dtrtri(upper_factor(schur, floor), lower=0)[0].T
        self._inverse[n:end, :n] = -corner @ (below.T @ self._factor)
        self._inverse[n:end, n:end] = corner
        self._x[n:end], self._y[n:end], self._embedded[n:end] = points, values, embedded
        self._white_y[n:end] = corner @ (values - below.T @ self._white_y[:n])
        self._white_1[n:end] = corner @ (1.0 - below.T @ self._white_1[:n])
        self._size = end
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
        """Compute the mean m and z = L^-1 (f - m)."""
        n = self._size
        self.mean = float(np.mean(self.y)) if self._mean_rule == "data" else 0.0
        self._z = self._white_y[:n] - self.mean * self._white_1[:n]

    def predict(self, white: Array) -> tuple[Array, Array]:
        """mu (eq. 3) and sigma^2 (eq. 4) of m points with w (n, m), each of shape (m,), O(n m)."""
        mean = self.mean + self._z @ white
        explained = np.einsum("ij,ij->j", white, white)
        return mean, self.signal_variance * np.maximum(1.0 - explained, 0.0)

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """mu (eq. 3) and sigma^2 (eq. 4) of the noise-free fitness at m points."""
        if not self._size:
            return np.zeros(len(points)), np.full(len(points), self.signal_variance)
        embedded = self.kernel.embed(points)
        return self.predict(self._factor @ self.kernel.correlation(self._observed, embedded))

    def at_points(self) -> Callable[[Array], tuple[float, float]]:
        """Return `posterior` as a fast function of single points, shape (columns,).

        It is valid until the next observation.
        """
        upper = np.ascontiguousarray(self._factor).T  # as BLAS reads it
        correlation = self.kernel.to_points(self._observed)

        def at(point: Array) -> tuple[float, float]:
            white = blas.dtrmv(upper, correlation(point), lower=0, trans=1)
            variance = self.signal_variance * max(1.0 - float(white @ white), 0.0)
            return self.mean + float(self._z @ white), variance

        return at


def upper_factor(matrix: Array, jitter: float) -> Array:
    """L^T with L L^T = matrix; the jitter on its diagonal grows until it is positive definite."""
    while True:
        # The transpose of a C-ordered matrix is what LAPACK reads: upper there is lower here.
        factor, info = lapack.dpotrf(matrix.T, lower=0, clean=1)
        if info == 0:
            return factor
        jitter *= 10.0
        matrix.reshape(-1)[:: len(matrix) + 1] += jitter
