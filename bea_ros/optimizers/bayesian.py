# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation: a Gaussian process, GP-UCB, and a search for its maximum.

Profile "paper" has the equations as printed, with these readings where the paper is silent or
contradicts itself:

- m(s) = 0 is called "typical"; eq. 3 has no other mean, so it is zero. Limbo's default, and so
  the released code's, is the mean of the data.
- gamma is "between 0 and 1": 0.1, Limbo's default. t is "the count of evaluations": all of them.
- theta is 0.5 for Schwefel and 0.1 for Griewank and Rastrigin, and not printed for robots: 0.5
  unless the option says otherwise, as the studies of functions do.
- N_I, the number of initial samples, and how they are drawn are not printed: 10, uniformly, as in
  the released code.
- K has no noise; a jitter of 1e-8 keeps it regular, as in Limbo.
- the search for the maximum of GP-UCB is Limbo's, 500 evaluations: here 500 fresh points.

Profile "default" changes what measured better:

- fitness below the median is compressed where that is more likely (see `warping`);
- hyperparameters are learned by marginal likelihood, mean and signal variance with them, so that
  the scale of the fitness does not matter (see `hyperparameters`);
- the kernel may have an additive part (see `kernel`);
- other models, smooth across the whole cube and with a noise of their own, propose as well (see
  `search`);
- GP-UCB has weight 1, and is gain-aware as BEA's mutation is (eq. 10): every other candidate
  of a model is asked with a weight that grows while there is no gain and shrinks while there is;
- candidates are moves of good solutions, kept in a pool from one evaluation to the next, and a
  short ascent of the posterior mean (see `candidates`);
- where features are given, the models compare candidates by these (see `inputs`). They predict
  well far from what is known, so GP-UCB has weight 4 and its maximum is looked for everywhere.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.acquisition import gp_ucb_beta, upper_confidence_bound
from bea_ros.optimizers.candidates import uniform_and_local
from bea_ros.optimizers.gaussian_process import GaussianProcess
from bea_ros.optimizers.hyperparameters import (
    LEARN_GROWTH,
    LogPosterior,
    hyperparameters_at,
    learn,
    learn_noise,
    repetition_variance,
    sample,
)
from bea_ros.optimizers.inputs import COMPARE, ModelInputs, compared
from bea_ros.optimizers.kernel import Hyperparameters
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.search import FEATURE_BETA, EvolvedSearch, ModelChoice, PoolSearch, Search
from bea_ros.optimizers.warping import Scale, compressed, log_jacobian

Array = NDArray[np.float64]

START = 2.0  # length scale before any is learned
SMOOTH = (1.0, 0.5)  # length scales of the other models, in diagonals of the cube
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
        "theta (eq. 2) on the unit cube, or learned by marginal likelihood",
        "learned",
        0.5,
        0.5,
        low=1e-3,
        high=1e3,
        choices=("learned",),
    ),
    "compare": COMPARE,
    "noise": Option(
        "noise variance over signal variance; learned where length_scale is",
        1e-5,
        0.0,
        1e-4,
        low=0.0,
        high=10.0,
    ),
    "mean": Option("prior mean", "fitted", "zero", "data", choices=("zero", "data", "fitted")),
    "signal_variance": Option(
        "k(s, s); fitted with the mean", 1.0, 1.0, 0.01, low=1e-12, high=1e12
    ),
    "gamma": Option(
        "gamma of GP-UCB (eq. 6); above 1 only in the released code",
        0.1,
        0.1,
        5.0,
        low=1e-12,
        high=100.0,
    ),
    "beta_ucb": Option(
        "weight of sigma in GP-UCB; 'schedule' is sqrt(nu tau_t), 'suited' is 4 where candidates "
        "are compared by features, else 1",
        "suited",
        "schedule",
        "schedule",
        low=0.0,
        high=100.0,
        choices=("suited", "schedule"),
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
    """Bayesian optimisation with a Matern 5/2 kernel and GP-UCB (paper, section IV-A)."""

    name: ClassVar[str] = "bo"
    OPTIONS = INITIAL_OPTIONS | BAYESIAN_OPTIONS

    def _prepare(self) -> None:
        options = self._options
        self._initial = max(int(options["initial_samples"]), len(self._first))
        if self._budget < self._initial:
            raise ValueError(
                f"{self._budget} evaluations are fewer than initial_samples={self._initial}"
            )
        self._learned = options["length_scale"] == "learned"
        if self._learned and options["search"] == "fresh":
            raise ValueError(
                "option length_scale='learned' needs search='pool': with search='fresh' name one"
            )
        self._inputs = ModelInputs(self._dimension, compared(self._features, options))
        self._model = self._gaussian_process(START if self._learned else options["length_scale"])
        self._fresh = options["search"] == "fresh"
        models = [self._model]
        if self._learned:
            diagonal = math.sqrt(self._dimension)
            models += [self._gaussian_process(share * diagonal) for share in SMOOTH]
        kind = EvolvedSearch if self._inputs.features else PoolSearch
        self._searches: list[Search] = [kind(model, self._inputs, self._rng) for model in models]
        self._choice = ModelChoice(len(models))
        self._asked = [0] * len(models)
        self._learn_at = self._initial
        self._curiosity = 1.0
        self._bests: list[float] = []
        self._fitness: list[float] = []
        self._points: list[Array] = []  # what the models see of the evaluations
        self._compress = False
        self._scale = self._now = Scale(0.0, 1.0)
        self._samples = self._initial_samples()

    def _gaussian_process(self, length_scale: float) -> GaussianProcess:
        return GaussianProcess(
            self._dimension,
            Hyperparameters(length_scale, self._options["noise"]),
            features=self._inputs.features,
            mean=self._options["mean"],
            signal_variance=self._options["signal_variance"],
        )

    def _initial_samples(self) -> Array:
        return np.vstack([self._first, self._random_samples()])[: self._initial]

    def _random_samples(self) -> Array:
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
        """The Gaussian process as it was when it was asked last; look, do not touch."""
        return self._model

    def _learn(self, record: Record) -> None:
        assert self._best is not None
        self._bests.append(self._records[self._best].fitness)
        self._points.extend(self._inputs.points(record.x[None, :]))
        if self._fresh:
            self._model.add(self._points[-1], record.fitness)
            return
        n = len(self._records)
        self._fitness.append(record.fitness)
        self._now = Scale.of(np.array(self._fitness))
        if n >= self._learn_at:
            self._learn_at = math.ceil(LEARN_GROWTH * n)
            self._learn_hyperparameters()
        elif self._compress and not self._scale.near(self._now):
            self._rescale()
        if n > self._initial:
            self._choice.credit(self._relative_gain(1))
        if n > self._initial + GAIN_WINDOW:
            self._adapt_curiosity()

    def _catch_up(self, search: Search) -> None:
        """Give a model what was observed since it was asked last."""
        known = len(search.model)
        points = np.array(self._points[known:])
        search.extend(points, self._targets(self._fitness[known:]))

    def _targets(self, fitness: list[float]) -> Array:
        """What the models are fitted to."""
        deficit = self._scale.deficits(np.array(fitness))
        return compressed(deficit) if self._compress else -deficit

    def _rescale(self) -> None:
        self._scale = self._now
        for search in self._searches:
            search.model.retarget(self._targets(self._fitness[: len(search.model)]))

    def _learn_hyperparameters(self) -> None:
        self._scale = self._now
        if not self._learned:
            self._rescale()
            return
        self._catch_up(self._searches[0])
        known = self._model.hyperparameters
        deficit = self._scale.deficits(np.array(self._fitness))
        kept = sample(-deficit, self._rng)
        x, deficit_kept = self._model.x[kept], deficit[kept]
        variance, freedom = repetition_variance(r.measurements for r in self._records)
        unit = self._scale.unit
        noise = variance / unit / unit, freedom  # its square may be below the smallest number
        features = self._inputs.features
        plain = LogPosterior(x, -deficit_kept, noise, features)
        warped = LogPosterior(x, compressed(deficit_kept), noise, features)
        plain_best, warped_best = learn(plain, known), learn(warped, known)
        self._compress = warped(warped_best) + log_jacobian(deficit_kept) > plain(plain_best)
        self._rescale()
        posterior, best = (warped, warped_best) if self._compress else (plain, plain_best)
        self._searches[0].refit(hyperparameters_at(best))
        for search in self._searches[1:]:
            search.refit_later(learn_noise(posterior, search.model.hyperparameters))

    def _relative_gain(self, evaluations: int) -> float:
        """Gain of the last evaluations in units of best minus median."""
        gain = self._bests[-1] - self._bests[-1 - evaluations]
        return gain / self._now.unit if gain > 0.0 else 0.0

    def _adapt_curiosity(self) -> None:
        least = LEAST_GAIN * math.sqrt(self._model.signal_variance)
        small = self._relative_gain(GAIN_WINDOW) <= least
        factor = CURIOSITY_GROWTH if small else CURIOSITY_SHRINKAGE
        self._curiosity = min(max(self._curiosity * factor, 1.0), LARGEST_CURIOSITY)

    def _propose(self) -> Array:
        if self.stage == "initial":
            return self._samples[len(self._records)]
        assert self._best is not None
        best = self._records[self._best].x
        if self._fresh:
            points = uniform_and_local(best, self._options["acquisition_evaluations"], self._rng)
            mean, variance = self._model.posterior(self._inputs.points(points))
            return points[np.argmax(upper_confidence_bound(mean, variance, self._beta(False)))]
        chosen = self._choice.next(len(self._records))
        self._asked[chosen] += 1
        curious = self._asked[chosen] % 2 == 0 and not self._inputs.features
        self._catch_up(self._searches[chosen])
        return self._searches[chosen].propose(best, self._beta(curious), not curious)

    def _beta(self, curious: bool) -> float:
        """Weight of sigma. The released code counts iterations of BO where the paper counts
        evaluations.
        """
        beta = self._options["beta_ucb"]
        if beta == "suited":
            beta = FEATURE_BETA if self._inputs.features else 1.0
        if beta != "schedule":
            return float(beta) * (self._curiosity if curious else 1.0)
        n = len(self._records)
        t = n - (self._initial if self._profile == "released" else 0)
        return gp_ucb_beta(t, self._dimension, self._options["gamma"])
