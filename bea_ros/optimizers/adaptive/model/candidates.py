# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates at which GP-UCB is evaluated: mutations of good solutions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.gaussian_process import PosteriorMean

Array = NDArray[np.float64]

# Shares of the kinds of mutation. The rest changes all coordinates a little.
ONE_ANEW = 0.25  # one coordinate drawn uniformly
FEW = 0.2  # one to about four coordinates changed a little
MANY = 0.25  # three coordinates in ten changed much (`wide_moves` alone, as the next two)
DIFFERENCE = 0.15  # along the difference of two good solutions (differential evolution)
FROM_OTHERS = 0.3  # share that starts from the second to fifth best in place of the best
FAR = 0.3  # standard deviation of a large change
SMALLEST_MOVE, LARGEST_MOVE = -3.0, -0.5  # log10 of the standard deviation

EVOLVING_MOVES = -2.5, -0.5  # likewise, in `offspring`
ALONG = 0.3  # share in `offspring` along a difference


def moves(best: Array, count: int, rng: np.random.Generator) -> Array:
    """Return mutations of the best solution (d,) in few or all coordinates, shape (count, d)."""
    return _mutated(np.tile(best, (count, 1)), best[None, :], rng, many=0.0, difference=0.0)


def wide_moves(x: Array, y: Array, count: int, rng: np.random.Generator) -> Array:
    """Return mutations of several good solutions, shape (count, d): further ones, too.

    Args:
        x: evaluated candidates, shape (n, d).
        y: their fitness, shape (n,).
        count: number of mutations.
        rng: source of all random draws.
    """
    ranked = np.argsort(-y, kind="stable")
    good = ranked[: min(max(5, len(y) // 5), 20)]
    others = rng.choice(good[:5], count)
    points = x[np.where(rng.random(count) < FROM_OTHERS, others, ranked[0])]
    return _mutated(points, x[good], rng, many=MANY, difference=DIFFERENCE)


def _mutated(
    points: Array, good: Array, rng: np.random.Generator, *, many: float, difference: float
) -> Array:
    """Mutate points (count, d); `many` and `difference` are shares, the latter of `good` ones."""
    count, d = len(points), points.shape[1]
    spread = 10.0 ** rng.uniform(SMALLEST_MOVE, LARGEST_MOVE, (count, 1))
    kinds = rng.random(count)

    one = kinds < ONE_ANEW
    points[one, rng.integers(d, size=int(one.sum()))] = rng.random(int(one.sum()))

    few = ~one & (kinds < ONE_ANEW + FEW)
    n_few = int(few.sum())
    moved = rng.random((n_few, d)) < rng.uniform(1.0, 3.0, (n_few, 1)) / d
    moved[np.arange(n_few), rng.integers(d, size=n_few)] = True
    points[few] += moved * (2.0 * spread[few]) * rng.standard_normal((n_few, d))

    much = ~(one | few) & (kinds < ONE_ANEW + FEW + many)
    n_much = int(much.sum())
    moved = rng.random((n_much, d)) < 0.3
    points[much] += moved * FAR * rng.standard_normal((n_much, d))

    along = ~(one | few | much) & (kinds < ONE_ANEW + FEW + many + difference)
    pairs = rng.choice(good, (2, int(along.sum())))
    points[along] += rng.random((len(pairs[0]), 1)) * (pairs[0] - pairs[1])

    everything = ~(one | few | much | along)
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
