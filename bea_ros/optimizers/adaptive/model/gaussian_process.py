# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A Gaussian process with learned hyperparameters, and its mean as a smooth function."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bea_ros.optimizers.adaptive.model.kernel import AdditiveKernel, Hyperparameters
from bea_ros.optimizers.gaussian_process import JITTER, GaussianProcess, upper_factor

Array = NDArray[np.float64]


class LearnedProcess(GaussianProcess):
    """Posterior of a fitness; its hyperparameters may change.

    Mean and signal variance are those of the largest likelihood. So the model is invariant to
    affine changes of the fitness.

    Args:
        dimension: d.
        hyperparameters: of the kernel.
        features: number of features that come before the parameters of each point (see `inputs`).
    """

    kernel: AdditiveKernel

    def __init__(
        self, dimension: int, hyperparameters: Hyperparameters, *, features: int = 0
    ) -> None:
        self._dimension = dimension
        self._features = features
        kernel = AdditiveKernel(hyperparameters, dimension, features)
        super().__init__(kernel, features + dimension, hyperparameters.noise)

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Hyperparameters of the kernel."""
        return self.kernel.hyperparameters

    def refit(self, hyperparameters: Hyperparameters) -> None:
        """Change the hyperparameters, O(n^3)."""
        self.kernel = AdditiveKernel(hyperparameters, self._dimension, self._features)
        self.noise = hyperparameters.noise
        n = self._size
        if self._embedded.shape[1] != self.kernel.width:
            self._embedded = np.empty((len(self._y), self.kernel.width))
        if n:
            embedded = self.kernel.embed(self.x)
            self._embedded[:n] = embedded
            correlation = self.kernel.correlation(embedded, embedded)
            correlation.reshape(-1)[:: n + 1] = 1.0 + self.noise + JITTER
            factor = upper_factor(correlation, self.noise + JITTER)
            self._inverse[:n, :n] = lapack.dtrtri(factor, lower=0)[0].T
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

    def _condition(self) -> None:
        n = self._size
        white_y, white_1 = self._white_y[:n], self._white_1[:n]
        self.mean = float((white_1 @ white_y) / (white_1 @ white_1))
        self._z = white_y - self.mean * white_1
        # Constant observations have no variance: any positive number will do.
        floor = (1e-9 * float(np.max(np.abs(self.y)))) ** 2 or 1e-300
        self.signal_variance = max(float(self._z @ self._z) / n, floor)

    def posterior_and_distances(self, points: Array) -> tuple[Array, Array, Array]:
        """`posterior` of m points, and the squared distances of n observations to them (n, m).

        Distances are in length scales.
        """
        embedded = self.kernel.embed(points)
        distances = self.kernel.distances(self._observed, embedded)
        white = self._factor @ self.kernel.correlation(self._observed, embedded, distances)
        return *self.predict(white), distances


class PosteriorMean:
    """The posterior mean as a smooth function of a point without features, O(n d) per call."""

    def __init__(self, model: LearnedProcess) -> None:
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
