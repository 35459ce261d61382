# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Covariance of the Gaussian process: Matern 5/2 (paper, eq. 2), alone or with an additive part.

The additive part (Duvenaud et al. 2011, first order) is a sum of one-dimensional functions, one
per coordinate. So the effect of one coordinate is learned from all evaluations, whatever the other
coordinates were. The weight of the additive part is learned, and is zero where it does not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.gaussian_process import SQRT5, Kernel, squared_distances

Array = NDArray[np.float64]

FREQUENCIES = 24  # number of harmonics exp(i pi m x) of the additive part


@dataclass(frozen=True)
class Hyperparameters:
    """Arguments of the marginal likelihood. Signal variance and mean follow from them.

    Attributes:
        length_scale: theta, in units of the cube.
        noise: noise variance over signal variance.
        additive: share of the signal variance in the additive part, 0 to 1.
        additive_scale: length scale of the additive part.
    """

    length_scale: float
    noise: float = 0.0
    additive: float = 0.0
    additive_scale: float = 0.1


def spectrum(length_scale: float) -> Array:
    """Weights of the frequencies, with sum 1: the spectral density of a 1-D Matern 5/2 kernel."""
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


class AdditiveKernel(Kernel):
    """Matern 5/2 correlation plus an additive part.

    Args:
        hyperparameters: of the kernel.
        dimension: d, number of parameters.
        features: number of features that come before the parameters of a point (see `inputs`).
            If there are any, the Matern part uses their distances.
    """

    def __init__(
        self, hyperparameters: Hyperparameters, dimension: int, features: int = 0
    ) -> None:
        self.hyperparameters = hyperparameters
        self._dimension = dimension
        self._features = features
        self._compared = features or dimension  # columns of the Matern part
        waves = 2 * FREQUENCIES * dimension if hyperparameters.additive else 0
        super().__init__(hyperparameters.length_scale, self._compared + waves)
        self._share = 1.0 - hyperparameters.additive
        weights = spectrum(hyperparameters.additive_scale)
        amplitude = np.sqrt(weights * hyperparameters.additive / dimension)
        self._amplitude = amplitude[:, None]
        self._frequency = math.pi * np.arange(1, FREQUENCIES + 1)[:, None]

    def embed(self, points: Array) -> Array:
        """Map (n, features + d) points to (n, width).

        First come the compared columns divided by theta, then the weighted harmonics.
        """
        scaled = super().embed(points[:, : self._compared])
        if not self.hyperparameters.additive:
            return scaled
        waves = harmonics(points[:, self._features :])
        waves *= self._amplitude
        return np.hstack([scaled, waves.reshape(len(points), -1).view(np.float64)])

    def distances(self, a: Array, b: Array) -> Array:
        compared = self._compared
        return squared_distances(a[:, :compared], b[:, :compared])

    def correlation(self, a: Array, b: Array, distances: Array | None = None) -> Array:
        k = super().correlation(a, b, distances)
        if self.hyperparameters.additive:
            k *= self._share
            k += a[:, self._compared :] @ b[:, self._compared :].T
        return k

    def weighted_gradient(
        self, embedded: Array, weights: Array, summed: Array, point: Array
    ) -> tuple[float, Array]:
        """Weighted sum of correlations of a point with embedded points, and its gradient.

        Args:
            embedded: shape (n, width).
            weights: shape (n,).
            summed: weights @ embedded, shape (width,).
            point: shape (d,), without features.
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
