# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Covariance of the Gaussian process: Matern 5/2 (paper, eq. 2), alone or with an additive part.

The paper writes r^2 = (s - s')^T Lambda (s - s') with Lambda = diag(theta) and divides by theta
once more. Read as everywhere else (Rasmussen and Williams, eq. 4.17; Limbo): r is the Euclidean
distance, and theta divides once.

The additive part (Duvenaud et al. 2011, first order) is a sum of one-dimensional functions, one
per coordinate: what a coordinate does on its own is learned from all evaluations, however the
others were set. The weight is learned from the data and goes to zero where it does not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SQRT5 = math.sqrt(5.0)
FREQUENCIES = 24  # of the additive part, in half turns over the unit interval


@dataclass(frozen=True)
class Hyperparameters:
    """What the marginal likelihood is a function of; signal variance and mean follow from these.

    Attributes:
        length_scale: theta, in units of the cube.
        noise: variance of the noise over the signal variance.
        additive: share of the signal variance in the additive part, 0 to 1.
        additive_scale: length scale of the additive part.
    """

    length_scale: float
    noise: float = 0.0
    additive: float = 0.0
    additive_scale: float = 0.1


def squared_distances(a: Array, b: Array) -> Array:
    """Squared Euclidean distances between rows, shape (len(a), len(b))."""
    d2 = a @ b.T
    d2 *= -2.0
    d2 += np.einsum("ij,ij->i", a, a)[:, None]
    d2 += np.einsum("ij,ij->i", b, b)[None, :]
    return np.maximum(d2, 0.0, out=d2)


def matern52(d2: Array) -> Array:
    """Matern 5/2 correlation (eq. 2) of squared distances in length scales."""
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


def spectrum(length_scale: float) -> Array:
    """Weights of the frequencies, summing to 1: the spectral density of a 1-D Matern 5/2."""
    frequency = math.pi * np.arange(1, FREQUENCIES + 1)
    density = (1.0 + (frequency * length_scale) ** 2 / 5.0) ** -3
    return density / density.sum()


def harmonics(points: Array) -> NDArray[np.complex128]:
    """exp(i pi m x) for m = 1 .. FREQUENCIES, shape (n, m, d)."""
    n, d = points.shape
    waves = np.empty((n, FREQUENCIES, d), dtype=np.complex128)
    np.exp(1j * math.pi * points, out=waves[:, 0])
    known = 1
    while known < FREQUENCIES:
        more = min(known, FREQUENCIES - known)
        np.multiply(waves[:, :more], waves[:, known - 1, None], out=waves[:, known : known + more])
        known += more
    return waves


class Kernel:
    """Correlation of points, through an embedding that is computed once for each point.

    Args:
        hyperparameters: of the kernel.
        dimension: d, number of parameters.
        features: number of features that come before the parameters of a point (see `inputs`);
            where there are any, distances are those of the features.
    """

    def __init__(
        self, hyperparameters: Hyperparameters, dimension: int, features: int = 0
    ) -> None:
        self.hyperparameters = hyperparameters
        self._dimension = dimension
        self._features = features
        self._compared = features or dimension  # columns that distances are of
        self._share = 1.0 - hyperparameters.additive
        weights = spectrum(hyperparameters.additive_scale)
        amplitude = np.sqrt(weights * hyperparameters.additive / dimension)
        self._amplitude = amplitude[:, None]
        self._frequency = math.pi * np.arange(1, FREQUENCIES + 1)[:, None]

    @property
    def width(self) -> int:
        """Number of columns of an embedding."""
        waves = 2 * FREQUENCIES * self._dimension if self.hyperparameters.additive else 0
        return self._compared + waves

    def embed(self, points: Array) -> Array:
        """Map (n, features + d) points to (n, width): what is compared, over theta, then the
        weighted harmonics of the parameters.
        """
        scaled = points[:, : self._compared] / self.hyperparameters.length_scale
        if not self.hyperparameters.additive:
            return scaled
        waves = harmonics(points[:, self._features :])
        waves *= self._amplitude
        embedded = np.empty((len(points), self.width))
        embedded[:, : self._compared] = scaled
        embedded[:, self._compared :] = waves.reshape(len(points), -1).view(np.float64)
        return embedded

    def distances(self, a: Array, b: Array) -> Array:
        """Squared distances between embedded points in length scales, shape (len(a), len(b))."""
        compared = self._compared
        return squared_distances(a[:, :compared], b[:, :compared])

    def correlation(self, a: Array, b: Array, distances: Array | None = None) -> Array:
        """Correlation between embedded points, at known `distances` if given.

        Of shape (len(a), len(b)).
        """
        k = matern52(self.distances(a, b) if distances is None else distances)
        if self.hyperparameters.additive:
            k *= self._share
            k += a[:, self._compared :] @ b[:, self._compared :].T
        return k

    def weighted_gradient(
        self, embedded: Array, weights: Array, summed: Array, point: Array
    ) -> tuple[float, Array]:
        """Sum of weighted correlations with embedded points, and its gradient in the point.

        Args:
            embedded: shape (n, width).
            weights: shape (n,).
            summed: weights @ embedded, shape (width,).
            point: shape (d,); there are no features.
        """
        d, theta = self._dimension, self.hyperparameters.length_scale
        at = self.embed(point[None, :])[0]
        difference = embedded[:, :d] - at[:d]
        r = SQRT5 * np.sqrt(np.einsum("ij,ij->i", difference, difference))
        decay = np.exp(-r) * weights
        value = self._share * float((1.0 + r + r * r / 3.0) @ decay)
        gradient = (self._share * 5.0 / 3.0 / theta) * (((1.0 + r) * decay) @ difference)
        if self.hyperparameters.additive:
            waves = at[d:].view(np.complex128).reshape(FREQUENCIES, d)
            product = waves * summed[d:].view(np.complex128).reshape(FREQUENCIES, d).conj()
            value += float(product.real.sum())
            gradient = gradient - (self._frequency * product.imag).sum(axis=0)
        return value, gradient
