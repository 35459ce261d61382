# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters learned from the evaluations: the most probable ones on a grid.

The objective is the log marginal likelihood plus a weak log prior. Mean and signal variance are
those of the largest likelihood for each choice. Coordinate-wise hill climbing starts from a few
points of the grid. It uses at most `LARGEST_SAMPLE` evaluations, so a step takes well under a
millisecond. A grid needs no gradients, and its values are cached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bea_ros.optimizers.adaptive.model.kernel import Hyperparameters, harmonics, spectrum
from bea_ros.optimizers.gaussian_process import JITTER, matern52, squared_distances

Array = NDArray[np.float64]
Choice = tuple[int, ...]  # index on each of the four grids

LENGTH_SCALES = 10.0 ** np.arange(-0.375, 1.51, 0.125)
NOISES = 10.0 ** np.arange(-6.0, 0.1, 0.5)
ADDITIVES = np.array([0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97])
ADDITIVE_SCALES = np.array([0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33])
GRIDS = (LENGTH_SCALES, NOISES, ADDITIVES, ADDITIVE_SCALES)

# Log priors: they favour long length scales, little noise and no additive part.
LOG_PRIORS = (
    -0.5 * ((np.log10(LENGTH_SCALES) - 0.4) / 0.2) ** 2,
    -0.5 * ((np.log10(NOISES) + 5.0) / 2.0) ** 2,
    -0.5 * (np.arange(len(ADDITIVES)) / 3.0) ** 2,
    np.zeros(len(ADDITIVE_SCALES)),
)
LEARN_GROWTH = 1.3  # growth of the data after which they are learned again
LARGEST_SAMPLE = 128
LARGEST_SEARCH = 60  # likelihoods evaluated in one search


def nearest(hyperparameters: Hyperparameters) -> Choice:
    """Return the point of the grids nearest to the hyperparameters."""
    values = (
        hyperparameters.length_scale,
        hyperparameters.noise,
        hyperparameters.additive,
        hyperparameters.additive_scale,
    )
    return tuple(
        int(np.argmin(np.abs(grid - value))) for grid, value in zip(GRIDS, values, strict=True)
    )


STARTS = (
    nearest(Hyperparameters(2.0, 1e-5)),
    nearest(Hyperparameters(2.0, 1e-5, 0.5, 0.045)),
    nearest(Hyperparameters(2.0, 1e-5, 0.5, 0.15)),
)


def sample(y: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return indices of at most `LARGEST_SAMPLE` evaluations: half are the best, half random.

    Args:
        y: fitness, shape (n,).
    """
    if len(y) <= LARGEST_SAMPLE:
        return np.arange(len(y))
    ranked = np.argsort(-y, kind="stable")
    half = LARGEST_SAMPLE // 2
    return np.append(ranked[:half], rng.choice(ranked[half:], LARGEST_SAMPLE - half, False))


def repetition_variance(repeated: Iterable[Sequence[float]]) -> tuple[float, int]:
    """Return the variance of a measurement, pooled over repeated candidates.

    The second number is its degrees of freedom: 0 if no candidate was repeated.
    """
    squares, freedom = 0.0, 0
    for values in repeated:
        if len(values) > 1:
            squares += float(np.sum((np.array(values) - np.mean(values)) ** 2))
            freedom += len(values) - 1
    return squares / max(freedom, 1), freedom


def learn(posterior: LogPosterior, current: Hyperparameters) -> Choice:
    """Return the most probable point of the grids that was found; `current` is one start."""
    best = max((nearest(current), *STARTS), key=posterior)
    for stride in (2, 1):
        best = climb(posterior, best, stride)
    return best


def learn_noise(posterior: LogPosterior, current: Hyperparameters) -> Hyperparameters:
    """Return the hyperparameters with the most probable noise."""
    scale, _, *additive = nearest(current)
    choices = [(scale, noise, *additive) for noise in range(len(NOISES))]
    return replace(current, noise=float(NOISES[max(choices, key=posterior)[1]]))


def climb(posterior: LogPosterior, best: Choice, stride: int) -> Choice:
    """Move along one grid at a time as long as the posterior grows."""
    improved = True
    while improved:
        improved = False
        for axis, grid in enumerate(GRIDS):
            for move in (stride, -stride):
                at = min(max(best[axis] + move, 0), len(grid) - 1)
                neighbour = (*best[:axis], at, *best[axis + 1 :])
                if len(posterior.known) >= LARGEST_SEARCH:
                    return best
                if posterior(neighbour) > posterior(best):
                    best, improved = neighbour, True
                    break
    return best


def hyperparameters_at(choice: Choice) -> Hyperparameters:
    """Return the hyperparameters at a point of the grids."""
    return Hyperparameters(*(float(grid[i]) for grid, i in zip(GRIDS, choice, strict=True)))


class Correlations:
    """Correlations of evaluated points for points of the grids, each factorised once.

    Args:
        x: evaluated points, shape (n, features + d).
        features: number of features that come before the parameters of each point.
    """

    def __init__(self, x: Array, features: int = 0) -> None:
        compared, parameters = x[:, : features or x.shape[1]], x[:, features:]
        self._distances = squared_distances(compared, compared)
        np.fill_diagonal(self._distances, 0.0)
        self._waves = harmonics(parameters) / math.sqrt(parameters.shape[1])
        self._isotropic: dict[int, Array] = {}
        self._additive: dict[int, Array] = {}
        self._factors: dict[Choice, tuple[Array, float] | None] = {}

    def factor(self, choice: Choice) -> tuple[Array, float] | None:
        """Return L^T (its upper triangle counts) and log det L; None if there is no L.

        L L^T is the correlation plus noise and jitter.
        """
        if choice not in self._factors:
            self._factors[choice] = self._factorised(choice)
        return self._factors[choice]

    def _factorised(self, choice: Choice) -> tuple[Array, float] | None:
        share = ADDITIVES[choice[2]]
        correlation = (1.0 - share) * self._isotropic_part(choice[0])
        if share:
            correlation += share * self._additive_part(choice[3])
        correlation.reshape(-1)[:: len(correlation) + 1] = 1.0 + NOISES[choice[1]] + JITTER
        factor, info = lapack.dpotrf(correlation.T, lower=0, clean=0, overwrite_a=1)
        return None if info else (factor, float(np.sum(np.log(np.diagonal(factor)))))

    def _isotropic_part(self, i: int) -> Array:
        if i not in self._isotropic:
            self._isotropic[i] = matern52(self._distances / LENGTH_SCALES[i] ** 2)
        return self._isotropic[i]

    def _additive_part(self, i: int) -> Array:
        if i not in self._additive:
            weighted = self._waves * np.sqrt(spectrum(ADDITIVE_SCALES[i]))[:, None]
            flat = weighted.reshape(len(weighted), -1).view(np.float64)
            self._additive[i] = flat @ flat.T
        return self._additive[i]


class LogPosterior:
    """Log marginal likelihood plus log prior of points of the grids, up to a constant.

    Args:
        correlations: of the evaluated points.
        y: their fitness, shape (n,).
        repeated: variance between repetitions, and its degrees of freedom.
    """

    def __init__(
        self, correlations: Correlations, y: Array, repeated: tuple[float, int] = (0.0, 0)
    ) -> None:
        self.known: dict[Choice, float] = {}
        self._correlations = correlations
        self._targets = np.ones((len(y), 2), order="F")
        spread = float(np.std(y)) or 1.0
        self._targets[:, 0] = (y - np.mean(y)) / spread
        self._units = -len(y) * math.log(spread)
        self._repeated = repeated[0] / spread**2, repeated[1]

    def __call__(self, choice: Choice) -> float:
        if choice[2] == 0:
            choice = (*choice[:3], 0)  # without an additive part its length scale has no effect
        if choice not in self.known:
            prior = sum(float(table[i]) for table, i in zip(LOG_PRIORS, choice, strict=True))
            self.known[choice] = prior + self._log_likelihood(choice)
        return self.known[choice]

    def _log_likelihood(self, choice: Choice) -> float:
        factorised = self._correlations.factor(choice)
        if factorised is None:
            return -math.inf
        factor, log_det = factorised
        white, _ = lapack.dtrtrs(factor, self._targets, lower=0, trans=1)
        y, one = white.T
        residual = y - (one @ y) / (one @ one) * one
        n = len(y)
        variance = max(float(residual @ residual) / n, 1e-300)
        fit = self._units - 0.5 * n * math.log(variance) - log_det
        return fit + self._fit_of_repetitions(NOISES[choice[1]] * variance)

    def _fit_of_repetitions(self, noise: float) -> float:
        """Log likelihood of the differences between repetitions, given the noise variance."""
        seen, freedom = self._repeated
        return -0.5 * freedom * (math.log(noise) + seen / noise) if freedom else 0.0
