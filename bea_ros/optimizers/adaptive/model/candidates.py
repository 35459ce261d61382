# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates at which GP-UCB is evaluated: mutations of good solutions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.gaussian_process import PosteriorMean

Array = NDArray[np.float64]

# Shares of the kinds of mutation in `moves`. The rest changes all coordinates a little.
ONE_ANEW = 0.25  # one coordinate drawn uniformly
FEW = 0.2  # one to about four coordinates changed a little
SMALLEST_MOVE, LARGEST_MOVE = -3.0, -0.5  # log10 of the standard deviation

EVOLVING_MOVES = -2.5, -0.5  # likewise, in `offspring`
ALONG = 0.3  # share in `offspring` along a difference


def moves(best: Array, count: int, rng: np.random.Generator) -> Array:
    """Return mutations of the best solution (d,) in few or all coordinates, shape (count, d)."""
    d = len(best)
    points = np.tile(best, (count, 1))
    spread = 10.0 ** rng.uniform(SMALLEST_MOVE, LARGEST_MOVE, (count, 1))
    kinds = rng.random(count)

    one = kinds < ONE_ANEW
    points[one, rng.integers(d, size=int(one.sum()))] = rng.random(int(one.sum()))

    few = ~one & (kinds < ONE_ANEW + FEW)
    n_few = int(few.sum())
    moved = rng.random((n_few, d)) < rng.uniform(1.0, 3.0, (n_few, 1)) / d
    moved[np.arange(n_few), rng.integers(d, size=n_few)] = True
    points[few] += moved * (2.0 * spread[few]) * rng.standard_normal((n_few, d))

    everything = ~(one | few)
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
