# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A local search: it climbs a quadratic model of the fitness within a trust region.

The model interpolates at most 3 d + 1 evaluations. Among all quadratics that do, its Hessian is
nearest to that of the model before (Powell, "The NEWUOA software for unconstrained optimization
without derivatives", 2006, section 2). Each evaluation is where the model is largest within a
radius. None is made for the model alone, but for the first d (Fasano, Morales and Nocedal, "On the
geometry phase in model-based algorithms for derivative-free optimization", 2009).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.evolution.quadratic import highest

Array = NDArray[np.float64]

FIRST_RADIUS = 0.05  # on the unit cube
SMALLEST, LARGEST = 1e-6, 0.5  # radius; the search is over below the smallest
KEPT = 3  # interpolated evaluations per dimension, and one more
GOOD, BAD = 0.7, 0.1  # actual over expected gain: the radius grows from GOOD on, shrinks below BAD
SHORT = 0.01  # share of the radius: a shorter step would teach the model nothing
PATIENCE = 4  # evaluations per dimension ...
FADED = 0.1  # ... that must gain this share of all that was gained, or the search is over


class TrustRegion:
    """A search from a candidate `x`, shape (d,), whose fitness is `y`."""

    def __init__(self, x: Array, y: float) -> None:
        self._x, self._y = x[None, :].copy(), np.array([y])
        self._radius, self._expected = FIRST_RADIUS, 0.0
        self._hessian, self._unit = np.zeros((len(x), len(x))), 1.0
        self._first = x + np.diag(np.where(x + FIRST_RADIUS <= 1.0, FIRST_RADIUS, -FIRST_RADIUS))
        self._best = [y]  # after each evaluation

    @property
    def over(self) -> bool:
        """Whether the search has converged, or gains little now."""
        now, before = self._best[-1], self._best[: -PATIENCE * self._x.shape[1]]
        faded = bool(before) and now - before[-1] <= FADED * (now - self._best[0])
        return faded or self._radius < SMALLEST

    def propose(self) -> Array:
        """Return the next candidate, shape (d,)."""
        if len(self._best) <= len(self._first):
            return self._first[len(self._best) - 1]
        gradient = self._fit()
        while True:
            step = _within_bounds(gradient, self._hessian, self._centre, self._radius)
            self._expected = float(gradient @ step + step @ self._hessian @ step / 2.0)
            far = float(np.linalg.norm(step)) > SHORT * self._radius
            if self._radius < SMALLEST or (far and self._expected > 0.0):
                return self._centre + step
            self._radius /= 2.0

    def learn(self, x: Array, y: float) -> None:
        """Learn the fitness of the candidate that was proposed last."""
        gain = (y - self._best[-1]) / self._unit
        if len(self._best) > len(self._first):
            step = float(np.linalg.norm(x - self._centre))
            if gain >= GOOD * self._expected:
                self._radius = min(max(self._radius, 2.0 * step), LARGEST)
            elif gain < BAD * self._expected:
                self._radius = min(self._radius, step) / 2.0
        if len(self._y) <= KEPT * len(x):
            self._x, self._y = np.vstack([self._x, x]), np.append(self._y, y)
        else:
            replaced = self._least_needed(x, better=gain > 0.0)
            self._x[replaced], self._y[replaced] = x, y
        self._best.append(max(y, self._best[-1]))

    def _fit(self) -> Array:
        """Fit the model's Hessian, and return its gradient (d,) at the best evaluation.

        Both are in units of the range of the fitness.
        """
        best = int(np.argmax(self._y))
        self._centre, self._scale = self._x[best].copy(), self._radius
        self._z = z = (self._x - self._centre) / self._scale
        n, d = z.shape
        # Powell's eq. 3.12
        linear = np.hstack([np.ones((n, 1)), z])
        system = np.block([[(z @ z.T) ** 2 / 2.0, linear], [linear.T, np.zeros((d + 1, d + 1))]])
        self._inverse = np.linalg.pinv(system, hermitian=True)
        with np.errstate(over="ignore", invalid="ignore"):
            unit = float(np.ptp(self._y)) or 1.0
            before = self._hessian * (self._unit / unit * self._scale**2)
            missing = (self._y - self._y[best]) / unit - np.sum((z @ before) * z, axis=1) / 2.0
            solved = self._inverse[:, :n] @ missing
            hessian = (before + (z.T * solved[:n]) @ z) / self._scale**2
        gradient = solved[n + 1 :] / self._scale
        if np.isfinite(hessian).all() and np.isfinite(gradient).all():
            self._hessian, self._unit = hessian, unit
            return gradient
        self._radius = SMALLEST / 2.0  # beyond floating point: the search is over
        return np.zeros(d)

    def _least_needed(self, x: Array, better: bool) -> int:
        """Return which evaluation a new one at x replaces: a far one that it can stand for.

        The measure is that of Powell's section 7: the Lagrange function of the old one at x, times
        the fourth power of its distance from the best. The best itself is kept.
        """
        new = (x - self._centre) / self._scale
        column = np.concatenate([(self._z @ new) ** 2 / 2.0, [1.0], new])
        lagrange = np.abs(self._inverse[: len(self._z)] @ column)
        distance = np.linalg.norm(self._z - new if better else self._z, axis=1)
        measure = lagrange * np.maximum(distance, 1.0) ** 4
        if not better:
            measure[np.argmax(self._y)] = -1.0
        return int(np.argmax(measure))


def _within_bounds(gradient: Array, hessian: Array, centre: Array, radius: float) -> Array:
    """Return the step (d,) to the model's maximum within the radius and [0, 1]^d.

    Coordinates at a bound that the gradient leads across stay. Others are cut at the bound.
    """
    free = ~(((centre <= 0.0) & (gradient < 0.0)) | ((centre >= 1.0) & (gradient > 0.0)))
    step = np.zeros(len(centre))
    if free.any():
        step[free] = highest(gradient[free], hessian[np.ix_(free, free)], radius)
    return np.clip(centre + step, 0.0, 1.0) - centre
