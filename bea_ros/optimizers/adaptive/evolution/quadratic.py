# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A quadratic model of the fitness near a distribution, as in lq-CMA-ES (Hansen, 2019).

y = c + g^T z + z^T H z / 2 is fitted by least squares. In the coordinates z candidates are drawn
from N(0, I). Better evaluations have larger weights; outliers with low fitness are left out. With
too few evaluations for the whole of H, only its diagonal is fitted.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from bea_ros.optimizers.adaptive.model.warping import low_and_median

Array = NDArray[np.float64]

KNOWN = 2.0  # largest number of fitted evaluations, per coefficient of the whole model
ENOUGH = 1.1  # evaluations per coefficient, below which H is diagonal
MOST_COEFFICIENTS = 400  # with more, above about 26 dimensions, H is diagonal
RIDGE = 1e-6
LEAST_WEIGHT = 0.05  # of the worst evaluation; the best has weight 1
OUTLIER = 10.0  # below the median, in the larger of best - median and median - lower quartile
STEPS = 60  # of the bisection in `top`


class QuadraticModel:
    """A quadratic model, fitted to evaluations.

    Args:
        z: points, shape (n, d); the nearest to 0 are fitted.
        y: fitness, shape (n,).
    """

    def __init__(self, z: Array, y: Array) -> None:
        self._dimension = d = z.shape[1]
        whole = (d + 1) * (d + 2) // 2
        known = math.ceil(KNOWN * whole)
        if len(y) > known:
            near = np.sort(np.argpartition((z * z).sum(axis=1), known)[:known])
            z, y = z[near], y[near]
        full = len(y) >= ENOUGH * whole and whole <= MOST_COEFFICIENTS
        self._rows, self._columns = np.triu_indices(d) if full else (np.arange(d),) * 2
        self._scale = math.sqrt(float(np.mean(z * z))) or 1.0
        # By a power of two, so no digit changes: squares of any fitness are then finite.
        y = np.ldexp(y, -np.frexp(np.max(np.abs(y)))[1])
        weights = _weights(y)[:, None]
        best = float(np.max(y))
        self._unit = float(np.std(y, where=weights[:, 0] > 0.0)) or 1.0
        terms = self._terms(z)
        terms *= weights
        products = blas.dsyrk(1.0, terms.T)  # upper triangle
        np.fill_diagonal(products, products.diagonal() + RIDGE * len(y))
        targets = terms.T @ ((y - best) / self._unit * weights[:, 0])
        _, coefficients, info = lapack.dposv(products, targets)
        self._coefficients = coefficients if info == 0 else np.zeros(len(targets))

    def _terms(self, z: Array) -> Array:
        n, d = z.shape
        terms = np.empty((n, 1 + d + len(self._rows)))
        terms[:, 0] = 1.0
        s = np.divide(z, self._scale, out=terms[:, 1 : 1 + d])
        end = 1 + d
        for i, count in enumerate(np.bincount(self._rows)):
            begin, end = end, end + count
            np.multiply(s[:, i : i + 1], s[:, i : i + count], out=terms[:, begin:end])
        return terms

    def predict(self, z: Array) -> Array:
        """Predictions at points (m, d), shape (m,); only their order has a meaning."""
        return self._terms(z) @ self._coefficients

    @property
    def gradient(self) -> Array:
        """g, shape (d,)."""
        return self._coefficients[1 : 1 + self._dimension] / self._scale

    @property
    def hessian(self) -> Array:
        """H, shape (d, d)."""
        hessian = np.zeros((self._dimension, self._dimension))
        hessian[self._rows, self._columns] = self._coefficients[1 + self._dimension :]
        return (hessian + hessian.T) / self._scale**2

    def top(self, radius: float) -> Array:
        """Point with the largest prediction within a radius of 0, shape (d,)."""
        return highest(self.gradient, self.hessian, radius)


def highest(gradient: Array, hessian: Array, radius: float) -> Array:
    """Point z (d,) within a radius of 0 with the largest g^T z + z^T H z / 2.

    It solves (mu I - H) z = g with mu I - H positive semidefinite: mu = 0 inside, mu > 0 on the
    boundary (Nocedal and Wright, 2006, theorem 4.1).
    """
    curvature, axes = np.linalg.eigh(-hessian)
    along = axes.T @ gradient
    length = math.sqrt(along @ along)
    low = max(0.0, -float(curvature[0]))
    high = low + length / radius
    if not high > low:
        return np.zeros(len(gradient))
    if curvature[0] > 0.0:
        inside = along / curvature
        if math.sqrt(inside @ inside) <= radius:
            return axes @ inside
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        if middle <= low:
            break
        step = along / (curvature + middle)
        if math.sqrt(step @ step) > radius:
            low = middle
        else:
            high = middle
    return axes @ (along / (curvature + high))


def _weights(y: Array) -> Array:
    """Square roots of the weights of the evaluations, shape (n,)."""
    rank = np.empty(len(y))
    rank[np.argsort(-y, kind="stable")] = np.arange(len(y)) / len(y)
    best, (low, median) = float(np.max(y)), low_and_median(y)
    weights = np.sqrt(1.0 - (1.0 - LEAST_WEIGHT) * rank)
    return np.where(median - y <= OUTLIER * max(best - median, median - low), weights, 0.0)
