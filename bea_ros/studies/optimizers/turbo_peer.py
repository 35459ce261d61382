# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""TuRBO-1, written after its paper, on NumPy: one Thompson sample at a time.

Eriksson, Pearce, Gardner, Turner and Poloczek, "Scalable Global Optimization via Local Bayesian
Optimization", NeurIPS 2019. The settings are those that the authors recommend.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from scipy.stats import qmc

from bea_ros.optimizers.gaussian_process import SQRT5, matern52, squared_distances
from bea_ros.studies.optimizers.evolution_peers import Objective

Array = NDArray[np.float64]

INITIAL_PER_DIMENSION = 2
CANDIDATES_PER_DIMENSION, MOST_CANDIDATES = 100, 5000
MOVED = 20  # coordinates that a candidate changes on average, at most
FIRST_LENGTH, LEAST_LENGTH, LARGEST_LENGTH = 0.8, 0.5**7, 1.6
SUCCESSES, LEAST_FAILURES = 3, 4  # in a row, before the length doubles or halves
PROGRESS = 1e-3  # relative; less is a failure

SCALES, SIGNAL, NOISE = (0.005, 2.0), (0.05, 20.0), (5e-4, 0.2)  # bounds
FIRST_SCALE, FIRST_SIGNAL, FIRST_NOISE = 0.5, 1.0, 0.005
STEPS, RATE, MOMENTA = 50, 0.1, (0.9, 0.999)  # of Adam


def turbo(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """Search in one trust region after the other; the next begins with new samples."""
    rng = np.random.default_rng(seed)
    failures_allowed = max(LEAST_FAILURES, dimension)
    while True:
        x = qmc.LatinHypercube(dimension, seed=rng).random(INITIAL_PER_DIMENSION * dimension)
        f = np.array([objective(point) for point in x])
        length, successes, failures = FIRST_LENGTH, 0, 0
        while length >= LEAST_LENGTH:
            point = _thompson_sample(x, f, length, rng)
            value, best = objective(point), f.min()
            better = value < best - PROGRESS * abs(best)
            successes, failures = (successes + 1, 0) if better else (0, failures + 1)
            if successes == SUCCESSES:
                length, successes = min(2.0 * length, LARGEST_LENGTH), 0
            elif failures == failures_allowed:
                length, failures = length / 2.0, 0
            x, f = np.vstack([x, point]), np.append(f, value)


def _thompson_sample(x: Array, f: Array, length: float, rng: np.random.Generator) -> Array:
    """The minimum of a draw from the posterior, over candidates in the trust region."""
    y = (f - np.median(f)) / (f.std() or 1.0)
    mean, scales, signal, noise = fit(x, y)
    candidates = _candidates(x[f.argmin()], scales, length, rng)
    between, among = x / scales, candidates / scales
    factor = np.linalg.cholesky(signal * _correlation(between, between) + noise * np.eye(len(x)))
    cross = signal * _correlation(between, among)
    whitened = np.linalg.solve(factor, np.column_stack([y - mean, cross]))
    covariance = signal * _correlation(among, among) - whitened[:, 1:].T @ whitened[:, 1:]
    covariance[np.diag_indices_from(covariance)] += noise  # a draw of observations
    root = np.linalg.cholesky(covariance)
    draw = whitened[:, 1:].T @ whitened[:, 0] + root @ rng.standard_normal(len(candidates))
    return candidates[draw.argmin()]


def _candidates(best: Array, scales: Array, length: float, rng: np.random.Generator) -> Array:
    """Sobol points in a box around the best, long along flat axes; some coordinates are moved."""
    dimension = len(best)
    sides = length * scales / np.exp(np.log(scales).mean())
    low, high = np.clip([best - sides / 2.0, best + sides / 2.0], 0.0, 1.0)
    count = min(CANDIDATES_PER_DIMENSION * dimension, MOST_CANDIDATES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the count is no power of two
        points = qmc.Sobol(dimension, seed=rng).random(count)
    moved = rng.random((count, dimension)) <= MOVED / dimension
    moved[np.arange(count), rng.integers(dimension, size=count)] |= ~moved.any(axis=1)
    return np.where(moved, low + (high - low) * points, best)


def _correlation(a: Array, b: Array) -> Array:
    return matern52(squared_distances(a, b))


def fit(x: Array, y: Array) -> tuple[float, Array, float, float]:
    """Mean, length scales, signal variance and noise variance by 50 steps of Adam.

    As in the authors' setting, a step is one of each parameter's logit between its bounds.
    """
    dimension = x.shape[1]
    low, high = np.array([SCALES] * dimension + [SIGNAL, NOISE]).T
    first = np.array([FIRST_SCALE] * dimension + [FIRST_SIGNAL, FIRST_NOISE])
    raw = np.append(np.log((first - low) / (high - first)), 0.0)  # the mean comes last
    first_moment, second_moment = np.zeros((2, len(raw)))
    for step in range(1, STEPS + 1):
        values = low + (high - low) / (1.0 + np.exp(-raw[:-1]))
        _, gradient = loss(x, y, np.append(values, raw[-1]))
        gradient[:-1] *= (values - low) * (high - values) / (high - low)
        first_moment += (1.0 - MOMENTA[0]) * (gradient - first_moment)
        second_moment += (1.0 - MOMENTA[1]) * (gradient**2 - second_moment)
        mean = first_moment / (1.0 - MOMENTA[0] ** step)
        raw -= RATE * mean / (np.sqrt(second_moment / (1.0 - MOMENTA[1] ** step)) + 1e-8)
    values = low + (high - low) / (1.0 + np.exp(-raw[:-1]))
    return float(raw[-1]), values[:dimension], float(values[-2]), float(values[-1])


def loss(x: Array, y: Array, parameters: Array) -> tuple[float, Array]:
    """Negative log marginal likelihood per point, and its gradient (Rasmussen and Williams, eq.
    5.9); parameters are length scales, signal variance, noise variance and mean.
    """
    scales, (signal, noise, mean) = parameters[:-3], parameters[-3:]
    n = len(y)
    d2 = squared_distances(x / scales, x / scales)
    correlation = matern52(d2)
    factor = np.linalg.cholesky(signal * correlation + noise * np.eye(n))
    inverse = cho_solve((factor, True), np.eye(n))
    weights = inverse @ (y - mean)
    outer = inverse - np.outer(weights, weights)
    q = SQRT5 * np.sqrt(d2)
    slope = outer * (signal * 5.0 / 3.0 * (1.0 + q) * np.exp(-q))
    # sum_ij slope_ij (x_ik - x_jk)^2 for each k
    spread = 2.0 * (slope.sum(axis=1) @ x**2 - np.einsum("ik,ik->k", x, slope @ x))
    gradient = [
        *(0.5 * spread / scales**3), 0.5 * (outer * correlation).sum(), 0.5 * np.trace(outer),
        -weights.sum(),
    ]  # fmt: skip
    half_determinant = np.log(np.diag(factor)).sum()
    value = 0.5 * ((y - mean) @ weights + n * math.log(2.0 * math.pi)) + half_determinant
    return float(value) / n, np.array(gradient) / n
