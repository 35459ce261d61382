# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model of the difference between reality and a prior, conditioned on evaluations.

    f(x) = m(x) + b (m(x) - m') + c + sum_k w_k (f_k(x) - m(x)) + r(x) + e(x)

m is the mean over the K worlds f_k, and m' its median. b ~ N(0, gain^2) scales the fitness of the
robot as a whole, and c ~ N(0, offset^2) shifts it. w ~ N(0, blend^2 / (K - 1)) makes reality like
one world, or a mixture of them. r is a Gaussian process for differences that no world has. e is
the error of the interpolation at candidates that are not in the prior. All terms are Gaussian, so
f is a Gaussian process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from bea_ros.optimizers.gaussian_process import matern52, squared_distances
from bea_ros.optimizers.prior.difference import calibrated, loadings
from bea_ros.optimizers.prior.interpolation import Interpolation
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.optimizers.prior.trust import apart, evidence_without, trust

Array = NDArray[np.float64]

LEAST_EVIDENCE = 10  # evaluations before a prior is judged: those of a broken robot begin badly
EQUAL = 1e-12  # share of the largest fitness, below which a deviation is rounding
LEAST_NOISE = 0.02  # standard deviation of a measurement, in units of the prior's spread
# Hypotheses: standard deviation of a further residual, in units of the prior's spread, and log
# odds against it. A broken robot is unlike any world, except where the damage has no effect.
UNLIKE_LENGTH = 0.3
UNLIKE = ((0.0, 0.0), (0.2, 0.3), (0.4, 0.8), (0.8, 1.5), (1.6, 2.5))
TRUSTED = UNLIKE[:2]  # a larger residual would fit any prior


@dataclass(frozen=True, eq=False)
class Described:
    """The prior's description of m candidates.

    Attributes:
        points: coordinates by which candidates are compared, shape (m, p).
        mean: expected fitness, shape (m,).
        loadings: loadings on b, c and w scaled to variance 1, shape (m, K + 2).
        new: indices of the candidates that are not in the prior.
        white: `Interpolation.whiten` of the new ones, shape (n, len(new)).
        open: variance of the interpolation, 0 for candidates of the prior, shape (m,).
    """

    points: Array
    mean: Array
    loadings: Array
    new: NDArray[np.intp]
    white: Array
    open: Array

    def joined(self, other: Described) -> Described:
        """Return the candidates of both."""
        return Described(
            np.vstack([self.points, other.points]),
            np.append(self.mean, other.mean),
            np.vstack([self.loadings, other.loadings]),
            np.append(self.new, len(self.mean) + other.new),
            np.hstack([self.white, other.white]),
            np.append(self.open, other.open),
        )


@dataclass(frozen=True, eq=False)
class Known:
    """Fitness of m candidates, and the variance of its noise, each of shape (m,)."""

    described: Described
    fitness: Array
    noise: Array

    def joined(self, other: Known) -> Known:
        """Return the candidates of both."""
        return Known(
            self.described.joined(other.described),
            np.append(self.fitness, other.fitness),
            np.append(self.noise, other.noise),
        )


class PriorModel:
    """Posterior of the fitness given a prior, evaluations, and simulations like the robot.

    Args:
        prior: the prior.
        points: its candidates as they are compared, shape (n, p).
    """

    def __init__(self, prior: Prior, points: Array) -> None:
        self._prior, self._points = prior, points
        self.interpolation = Interpolation(points, prior.fitness)
        self.unit = _unit(prior)
        self.difference = calibrated(prior.fitness, points, self.interpolation.typical, self.unit)
        self._tried: Known | None = None
        self._simulated: Known | None = None
        self.unlike = 0.0

    def own(self, which: NDArray[np.intp]) -> Described:
        """Describe candidates of the prior, by their indices."""
        none = np.empty((len(self._points), 0))
        fitness = self._prior.fitness[which]
        return self._described(self._points[which], fitness, none, np.zeros(len(which)))

    def others(self, points: Array) -> Described:
        """Describe points (m, p) that are not in the prior."""
        white = self.interpolation.whiten(points)
        fitness = self.interpolation.fitness(white)
        return self._described(points, fitness, white, self.interpolation.uncertainty(white))

    def _described(self, points: Array, fitness: Array, white: Array, open_: Array) -> Described:
        middle = float(np.median(self._prior.expected))
        shared = loadings(fitness, self.difference, self.unit, middle)
        new = np.arange(white.shape[1])
        return Described(points, fitness.mean(axis=1), shared, new, white, open_)

    def observe(self, tried: Described, fitness: float, measurements: int = 1) -> None:
        """Add the fitness of a candidate, the mean of `measurements` values."""
        noise = (LEAST_NOISE * self.unit) ** 2 / measurements
        new = Known(tried, np.array([fitness]), np.array([noise]))
        self._tried = new if self._tried is None else self._tried.joined(new)
        self._condition()

    def believe(self, simulated: Known | None) -> None:
        """Take the fitness of a simulation, or of none, in place of the last one's.

        There must be an evaluation.
        """
        self._simulated = simulated
        self._condition()

    def _condition(self) -> None:
        """Choose the hypothesis that is most probable by the evaluations, and solve for it."""
        assert self._tried is not None
        self._known = known = self._tried
        best = max(self._fits(known), key=lambda fit: fit[0])
        if self._simulated is not None:
            self._known = known = known.joined(self._simulated)
            best = self._fits(known, ((best[1], 0.0),))[0]
        _, self.unlike, self._factor, self._solved = best

    def _fits(
        self,
        known: Known,
        hypotheses: tuple[tuple[float, float], ...] = UNLIKE,
        which: NDArray[np.intp] | slice = slice(None),
    ) -> list[tuple[float, float, Any, Array]]:
        """Fit each hypothesis to what is known, or to some of it.

        Returns for each: log probability, further residual, Cholesky factor of the covariance, and
        its solution for the deviations from the mean.
        """
        at = known.described
        fixed = self._left_open(at, at)
        fixed[at.new, at.new] += self.interpolation.nugget
        fixed[np.diag_indices(len(fixed))] += known.noise
        residual = (known.fitness - at.mean)[which]
        fits = []
        for unlike, odds in hypotheses:
            covariance = self._differs(at, at, unlike) + fixed
            factor = cho_factor(covariance[which][:, which], lower=True)
            solved = cho_solve(factor, residual)
            fit = -0.5 * float(residual @ solved) - float(np.log(np.diagonal(factor[0])).sum())
            fits.append((fit - odds, unlike, factor, solved))
        return fits

    def _differs(self, a: Described, b: Described, unlike: float) -> Array:
        """Covariance of the difference between reality and the prior's mean."""
        distances = squared_distances(a.points, b.points) / self.interpolation.typical**2
        residual, further = self._residuals(unlike)
        found = a.loadings @ b.loadings.T
        found += residual * matern52(distances / self.difference.length**2)
        found += further * matern52(distances / UNLIKE_LENGTH**2)
        return found

    def _residuals(self, unlike: float) -> tuple[float, float]:
        """Variances of the residual and of the further residual."""
        return (self.difference.residual * self.unit) ** 2, (unlike * self.unit) ** 2

    def _left_open(self, a: Described, b: Described) -> Array:
        """Covariance of the interpolation errors, without the nugget."""
        found = np.zeros((len(a.mean), len(b.mean)))
        if len(a.new) and len(b.new):
            one, other = a.points[a.new], b.points[b.new]
            found[np.ix_(a.new, b.new)] = self.interpolation.shared(one, a.white, other, b.white)
        return found

    def fitted(self) -> Array:
        """Posterior mean of the evaluated candidates."""
        assert self._tried is not None
        return self.predict(self._tried.described)[0]

    @property
    def trust(self) -> float:
        """Probability of the prior, given the measurements.

        It is 1 until there are enough evaluations. Evaluations close to earlier ones do not count,
        as any model predicts these well.
        """
        tried = self._tried
        if tried is None or len(tried.fitness) < LEAST_EVIDENCE:
            return 1.0
        typical, middle = self.interpolation.typical, float(np.median(self._prior.expected))
        told = apart(tried.described.points, typical)
        points, y, noise = tried.described.points[told], tried.fitness[told], tried.noise[told]
        without = evidence_without(points, y, typical, middle, self.unit, noise)
        total = np.logaddexp.reduce([-odds for _, odds in TRUSTED])
        fits = [fit for fit, *_ in self._fits(tried, TRUSTED, told)]
        return trust(float(np.logaddexp.reduce(fits) - total), without)

    def predict(self, described: Described) -> tuple[Array, Array]:
        """Return mean and standard deviation of the fitness, each of shape (m,)."""
        variance = (described.loadings**2).sum(axis=1) + described.open
        variance += sum(self._residuals(self.unlike))
        if self._tried is None:
            return described.mean, np.sqrt(variance)
        known = self._known.described
        across = self._differs(known, described, self.unlike)
        across += self._left_open(known, described)
        mean = described.mean + across.T @ self._solved
        explained = np.einsum("ij,ij->j", across, cho_solve(self._factor, across))
        return mean, np.sqrt(np.maximum(variance - explained, 0.0))


def _unit(prior: Prior) -> float:
    """The spread of the prior's fitness; rounding leaves a little of it where all is alike."""
    least = EQUAL * float(np.abs(prior.fitness).max())
    spreads = (float(np.std(prior.expected)), float(np.std(prior.fitness)))
    return next((spread for spread in spreads if spread > least), 1e-12)
