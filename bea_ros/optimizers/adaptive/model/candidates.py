# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates at which GP-UCB is evaluated: mutations of good solutions, kept in a pool."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess, PosteriorMean

Array = NDArray[np.float64]

# Shares of the kinds of mutation in `moves`. The rest changes all coordinates a little.
ONE_ANEW = 0.25  # one coordinate drawn uniformly
FEW = 0.2  # one to about four coordinates changed a little
MANY = 0.25  # three coordinates in ten changed much
DIFFERENCE = 0.15  # along the difference of two good solutions (differential evolution)
FAR = 0.3  # standard deviation of a large change
FROM_OTHERS = 0.3  # share that starts from the second to fifth best in place of the best
SMALLEST_MOVE, LARGEST_MOVE = -3.0, -0.5  # log10 of the standard deviation

EVOLVING_MOVES = -2.5, -0.5  # likewise, in `offspring`
ALONG = 0.3  # share in `offspring` along a difference


def moves(x: Array, y: Array, count: int, rng: np.random.Generator) -> Array:
    """Return mutations of good solutions, shape (count, d), of several kinds.

    Some change few coordinates and some all. Differences of good solutions point along a valley in
    any direction. The acquisition function chooses among them.

    Args:
        x: evaluated candidates, shape (n, d).
        y: their fitness, shape (n,).
        count: number of mutations.
        rng: source of all random draws.
    """
    d = x.shape[1]
    ranked = np.argsort(-y, kind="stable")
    good = ranked[: min(max(5, len(y) // 5), 20)]
    others = rng.choice(good[:5], count)
    points = x[np.where(rng.random(count) < FROM_OTHERS, others, ranked[0])]
    spread = 10.0 ** rng.uniform(SMALLEST_MOVE, LARGEST_MOVE, (count, 1))
    kinds = rng.random(count)

    one = kinds < ONE_ANEW
    points[one, rng.integers(d, size=int(one.sum()))] = rng.random(int(one.sum()))

    few = ~one & (kinds < ONE_ANEW + FEW)
    n_few = int(few.sum())
    moved = rng.random((n_few, d)) < rng.uniform(1.0, 3.0, (n_few, 1)) / d
    moved[np.arange(n_few), rng.integers(d, size=n_few)] = True
    points[few] += moved * (2.0 * spread[few]) * rng.standard_normal((n_few, d))

    many = ~one & ~few & (kinds < ONE_ANEW + FEW + MANY)
    n_many = int(many.sum())
    moved = rng.random((n_many, d)) < 0.3
    points[many] += moved * FAR * rng.standard_normal((n_many, d))

    along = ~(one | few | many) & (kinds < ONE_ANEW + FEW + MANY + DIFFERENCE)
    pairs = x[rng.choice(good, (2, int(along.sum())))]
    points[along] += rng.random((len(pairs[0]), 1)) * (pairs[0] - pairs[1])

    everything = ~(one | few | many | along)
    points[everything] += spread[everything] * rng.standard_normal((int(everything.sum()), d))
    return reflected(points)


def offspring(parents: Array, count: int, rng: np.random.Generator) -> Array:
    """Return children of random parents (n, d), shape (count, d).

    A child differs in few or all coordinates, or along the difference of two other parents.
    """
    d = parents.shape[1]
    first, second, third = parents[rng.integers(len(parents), size=(3, count))]
    spread = 10.0 ** rng.uniform(*EVOLVING_MOVES, (count, 1))
    moved = rng.random((count, d)) < np.where(rng.random((count, 1)) < 0.5, 2.0 / d, 1.0)
    away = np.where(moved, spread * rng.standard_normal((count, d)), 0.0)
    along = rng.random((count, 1)) * (second - third)
    return reflected(first + np.where(rng.random((count, 1)) < ALONG, along, away))


def reflected(points: Array) -> Array:
    """Mirror coordinates outside [0, 1] at the bound that they crossed."""
    points = np.abs(points)
    return np.clip(np.where(points > 1.0, 2.0 - points, points), 0.0, 1.0)


def ascend(mean: PosteriorMean, start: Array, steps: int) -> Array:
    """Climb the posterior mean from `start` (d,) by projected gradient, Barzilai-Borwein steps."""
    x = start
    value, gradient = mean(x)
    norm = float(np.linalg.norm(gradient))
    if norm == 0.0:
        return x
    rate = 0.05 / norm
    for _ in range(steps):
        trial = np.clip(x + rate * gradient, 0.0, 1.0)
        trial_value, trial_gradient = mean(trial)
        if trial_value > value:
            step = trial - x
            curvature = float(step @ (gradient - trial_gradient))
            longest = 10.0 * rate
            rate = min(float(step @ step) / curvature, longest) if curvature > 0.0 else 3.0 * rate
            x, value, gradient = trial, trial_value, trial_gradient
        else:
            rate *= 0.2
    return x


class CandidatePool:
    """Candidates that stay from one evaluation to the next.

    An observation adds one row to their whitened correlations L^-1 k, at O(n) per candidate. Only
    new candidates, which replace the least promising ones, cost O(n^2).
    """

    def __init__(self, model: LearnedProcess, points: Array) -> None:
        self.points = points
        self._model = model
        self._rows = 0
        self._white = np.empty((0, len(points)))
        self.renew()

    def renew(self) -> None:
        """Recompute everything after the hyperparameters changed, O(n^2 m)."""
        self._embedded = self._model.kernel.embed(self.points)
        white, self._gaps = self._seen(self._embedded)
        self._reserve(len(white))
        self._rows = len(white)
        self._white[: self._rows] = white
        self._explained = np.einsum("ij,ij->j", white, white)

    def extend(self) -> None:
        """Add rows for the latest observations of the model."""
        before, self._rows = self._rows, len(self._model)
        self._reserve(self._rows)
        distances = self._model.distances(self._embedded, before)
        self._gaps = np.minimum(self._gaps, self._raw(distances))
        rows = self._model.white_rows(self._embedded, self._white[:before], distances)
        self._white[before : self._rows] = rows
        self._explained += np.einsum("ij,ij->j", rows, rows)

    def replace(self, which: NDArray[np.intp], points: Array) -> None:
        """Replace the candidates with these indices by `points`."""
        embedded = self._model.kernel.embed(points)
        white, self._gaps[which] = self._seen(embedded)
        self.points[which], self._embedded[which] = points, embedded
        self._white[: self._rows, which] = white
        self._explained[which] = np.einsum("ij,ij->j", white, white)

    def predict(self) -> tuple[Array, Array]:
        """Posterior mean and variance of each candidate, each of shape (m,)."""
        return self._model.predict(self._white[: self._rows], self._explained)

    @property
    def gaps(self) -> Array:
        """Distance of each candidate to the nearest evaluated one, shape (m,)."""
        return np.sqrt(self._gaps)

    def _seen(self, embedded: Array) -> tuple[Array, Array]:
        """Whitened correlations of embedded points, and their squared gaps."""
        distances = self._model.distances(embedded)
        return self._model.whiten_embedded(embedded, distances), self._raw(distances)

    def _raw(self, distances: Array) -> Array:
        """Smallest squared distance of each column, converted from length scales to the cube."""
        return distances.min(axis=0) * self._model.hyperparameters.length_scale**2

    def _reserve(self, rows: int) -> None:
        if rows > len(self._white):
            old = self._white
            self._white = np.empty((max(2 * len(old), rows, 64), len(self.points)))
            self._white[: len(old)] = old
