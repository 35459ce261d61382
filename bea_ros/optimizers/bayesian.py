# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation: a Gaussian process, GP-UCB, and a search for its maximum.

Profile "paper" has the equations as printed, with these readings where the paper is silent or
contradicts itself:

- m(s) = 0 is called "typical"; eq. 2 has no other mean, so it is zero. Limbo's default, and so
  the released code's, is the mean of the data.
- gamma is "between 0 and 1": 0.1, Limbo's default. t is "the count of evaluations": all of them.
- theta is 0.5 for Schwefel and 0.1 for Griewank and Rastrigin, and not printed for robots: 0.5
  unless the option says otherwise.
- K has no noise; a jitter of 1e-8 keeps it regular, as in Limbo.
- the search for the maximum of GP-UCB is Limbo's, 500 evaluations: here 500 fresh points.

Profile "default" changes what measured better:

- fitness below the median is compressed where that is more likely (see `warping`);
- hyperparameters are learned by marginal likelihood, mean and signal variance with them, so that
  the scale of the fitness does not matter (see `hyperparameters`);
- the kernel may have an additive part (see `kernel`);
- GP-UCB has weight 1, and is gain-aware as BEA's mutation is (eq. 8): every other candidate
  is asked with a weight that grows while there is no gain and shrinks while there is;
- candidates are moves of good solutions, kept in a pool from one evaluation to the next, and a
  short ascent of the posterior mean (see `candidates`).
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.acquisition import gp_ucb_beta, upper_confidence_bound
from bea_ros.optimizers.candidates import CandidatePool, ascend, moves, uniform_and_local
from bea_ros.optimizers.gaussian_process import GaussianProcess, PosteriorMean
from bea_ros.optimizers.hyperparameters import learn, repetition_variance, sample
from bea_ros.optimizers.kernel import Hyperparameters
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.warping import compressed, deficit_unit, deficits, log_jacobian

Array = NDArray[np.float64]

POOL = 256  # candidates that persist
FRESH = 32  # of them replaced for each evaluation
ASCENT_STEPS = 8
LEARN_GROWTH = 1.3  # hyperparameters are learned again when there are this many times the data
LEAST_GAP = 5e-4  # root mean square distance of a candidate to any evaluated one
GAIN_WINDOW = 10  # evaluations
LEAST_GAIN = 5e-3  # standard deviations of the signal that count as a gain
CURIOSITY_GROWTH, CURIOSITY_SHRINKAGE, LARGEST_CURIOSITY = 1.2, 0.7, 6.0

INITIAL_OPTIONS = {
    "initial_design": Option(
        "how the initial samples are drawn",
        "latin",
        "random",
        "random",
        choices=("latin", "random"),
    ),
    "initial_samples": Option(
        "random samples before the first model", 10, 10, 10, low=1, high=1000, integer=True
    ),
}

BAYESIAN_OPTIONS = {
    "length_scale": Option(
        "theta (eq. 1) on the unit cube, or learned by marginal likelihood",
        "learned",
        0.5,
        0.5,
        low=1e-3,
        high=1e3,
        choices=("learned",),
    ),
    "noise": Option("noise variance over signal variance", 1e-5, 0.0, 1e-4, low=0.0, high=10.0),
    "mean": Option("prior mean", "fitted", "zero", "data", choices=("zero", "data", "fitted")),
    "signal_variance": Option(
        "k(s, s); fitted with the mean", 1.0, 1.0, 0.01, low=1e-12, high=1e12
    ),
    "gamma": Option(
        "gamma of GP-UCB (eq. 5); above 1 only in the released code",
        0.1,
        0.1,
        5.0,
        low=1e-12,
        high=100.0,
    ),
    "beta_ucb": Option(
        "weight of sigma in GP-UCB; 'schedule' is sqrt(nu tau_t)",
        1.0,
        "schedule",
        "schedule",
        low=0.0,
        high=100.0,
        choices=("schedule",),
    ),
    "search": Option(
        "where GP-UCB is evaluated: a pool that persists, or fresh points each time",
        "pool",
        "fresh",
        "fresh",
        choices=("pool", "fresh"),
    ),
    "acquisition_evaluations": Option(
        "fresh points at which GP-UCB is evaluated for one candidate",
        500,
        500,
        500,
        low=10,
        high=100000,
        integer=True,
    ),
}


class BayesianOptimizer(Optimizer):
    """Bayesian optimisation with a Matern 5/2 kernel and GP-UCB (paper, section III-A)."""

    name: ClassVar[str] = "bo"
    OPTIONS = INITIAL_OPTIONS | BAYESIAN_OPTIONS

    def _prepare(self) -> None:
        options = self._options
        self._initial = int(options["initial_samples"])
        if self._budget < self._initial:
            raise ValueError(f"budget={self._budget} is below initial_samples={self._initial}")
        self._learned = options["length_scale"] == "learned"
        theta = 2.0 if self._learned else options["length_scale"]
        self._model = GaussianProcess(
            self._dimension,
            Hyperparameters(theta, options["noise"]),
            mean=options["mean"],
            signal_variance=options["signal_variance"],
        )
        self._fresh = options["search"] == "fresh"
        self._pool: CandidatePool | None = None
        self._replaced: NDArray[np.intp] = np.arange(FRESH)
        self._learn_at = self._initial
        self._least_gap = LEAST_GAP * math.sqrt(self._dimension)
        self._curiosity = 1.0
        self._bests: list[float] = []
        self._fitness: list[float] = []
        self._compress = False
        self._samples = self._initial_samples()

    def _initial_samples(self) -> Array:
        shape = (self._initial, self._dimension)
        if self._options["initial_design"] == "random":
            return self._rng.random(shape)
        # Latin hypercube: each of n equal slices of each coordinate holds one sample.
        slices = self._rng.permuted(
            np.tile(np.arange(self._initial), (self._dimension, 1)), axis=1
        )
        return (slices.T + self._rng.random(shape)) / self._initial

    @property
    def stage(self) -> str:
        return "initial" if len(self._records) < self._initial else "bayesian"

    @property
    def model(self) -> GaussianProcess:
        """The Gaussian process; look, do not touch."""
        return self._model

    def _learn(self, record: Record) -> None:
        assert self._best is not None
        self._model.add(record.x, record.fitness)
        self._bests.append(self._records[self._best].fitness)
        if self._fresh:
            return
        n = len(self._records)
        self._fitness.append(record.fitness)
        deficit = deficits(np.array(self._fitness))
        self._model.retarget(compressed(deficit) if self._compress else -deficit)
        if self._learned and n >= self._learn_at:
            self._learn_at = math.ceil(LEARN_GROWTH * n)
            self._learn_hyperparameters(deficit)
            if self._pool is not None:
                self._pool.renew()
        elif self._pool is not None:
            self._pool.extend()
        if n > self._initial + GAIN_WINDOW:
            self._adapt_curiosity()

    def _learn_hyperparameters(self, deficit: Array) -> None:
        known = self._model.hyperparameters
        kept = sample(-deficit, self._rng)
        x, deficit_kept = self._model.x[kept], deficit[kept]
        variance, freedom = repetition_variance(r.measurements for r in self._records)
        noise = variance / deficit_unit(np.array(self._fitness)) ** 2, freedom
        plain, plain_score = learn(x, -deficit_kept, known, noise)
        warped, warped_score = learn(x, compressed(deficit_kept), known, noise)
        self._compress = warped_score + log_jacobian(deficit_kept) > plain_score
        self._model.retarget(compressed(deficit) if self._compress else -deficit)
        self._model.refit(warped if self._compress else plain)

    def _adapt_curiosity(self) -> None:
        gain = self._bests[-1] - self._bests[-1 - GAIN_WINDOW]
        unit = self._bests[-1] - float(np.median(self._fitness))
        small = gain <= LEAST_GAIN * unit * math.sqrt(self._model.signal_variance)
        factor = CURIOSITY_GROWTH if small else CURIOSITY_SHRINKAGE
        self._curiosity = min(max(self._curiosity * factor, 1.0), LARGEST_CURIOSITY)

    def _propose(self) -> Array:
        if self.stage == "initial":
            return self._samples[len(self._records)]
        assert self._best is not None
        best = self._records[self._best].x
        if self._fresh:
            points = uniform_and_local(best, self._options["acquisition_evaluations"], self._rng)
            mean, variance = self._model.posterior(points)
            return points[np.argmax(upper_confidence_bound(mean, variance, self._beta()))]
        pool = self._refreshed_pool(best)
        mean, variance = pool.predict()
        score = upper_confidence_bound(mean, variance, self._beta())
        score[pool.gaps < self._least_gap] = -math.inf
        chosen = int(np.argmax(score))
        self._replaced = np.append(np.argsort(score, kind="stable")[: FRESH - 1], chosen)
        return pool.points[chosen]

    def _refreshed_pool(self, best: Array) -> CandidatePool:
        model = self._model
        if self._pool is None:
            self._pool = CandidatePool(model, moves(model.x, model.y, POOL, self._rng))
        points = moves(model.x, model.y, FRESH, self._rng)
        if len(self._records) % 2:  # the others are the curious ones
            points[0] = ascend(PosteriorMean(model), best, ASCENT_STEPS)
        self._pool.replace(self._replaced, points)
        return self._pool

    def _beta(self) -> float:
        """Weight of sigma. The released code counts iterations of BO where the paper counts
        evaluations.
        """
        n = len(self._records)
        if self._options["beta_ucb"] != "schedule":
            curious = self._curiosity if n % 2 == 0 else 1.0
            return float(self._options["beta_ucb"]) * curious
        t = n - (self._initial if self._profile == "released" else 0)
        return gp_ucb_beta(t, self._dimension, self._options["gamma"])
