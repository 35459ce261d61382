# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation that adapts its models and its search to the fitness.

It differs from the paper's BO as follows:

- The initial samples are a Latin hypercube.
- Fitness below the median is compressed if the marginal likelihood favours it. Outliers, such as
  falls of a robot, are clipped (see `warping`).
- The hyperparameters, the mean and the signal variance maximise the marginal likelihood. So the
  scale of the fitness does not matter (see `hyperparameters`).
- The kernel may have an additive part (see `kernel`).
- A second model with a long length scale and its own noise proposes every other candidate (see
  `search`).
- The weight of sigma in GP-UCB is 1.
- GP-UCB is maximised over mutations of the best solution (see `candidates`). Every other candidate
  of a model may also come from a short gradient ascent of the posterior mean.
- If features are given, the models compare candidates by them (see `inputs`). Such models
  extrapolate well. So the weight of sigma is 4, and GP-UCB is maximised over the whole cube. There
  are two smooth models, and the model that gains more proposes more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess
from bea_ros.optimizers.adaptive.model.hyperparameters import (
    LEARN_GROWTH,
    Correlations,
    LogPosterior,
    hyperparameters_at,
    learn,
    learn_noise,
    repetition_variance,
    sample,
)
from bea_ros.optimizers.adaptive.model.kernel import Hyperparameters
from bea_ros.optimizers.adaptive.model.search import (
    FEATURE_BETA,
    EvolvedSearch,
    LocalSearch,
    ModelChoice,
    Search,
)
from bea_ros.optimizers.adaptive.model.warping import Scale, compressed, log_jacobian
from bea_ros.optimizers.inputs import ModelInputs, compared
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.paper import bayesian as paper

Array = NDArray[np.float64]

START = 2.0  # length scale until one is learned

COMPARE = Option(
    "distances between candidates are those of their features, where there are any, or of their "
    "parameters",
    "features",
    choices=("features", "parameters"),
)
BAYESIAN_OPTIONS = {
    "initial_samples": paper.BAYESIAN_OPTIONS["initial_samples"],
    "length_scale": replace(
        paper.BAYESIAN_OPTIONS["length_scale"],
        doc="theta (eq. 2) on the unit cube, or learned by marginal likelihood",
        value="learned",
        choices=("learned",),
    ),
    "compare": COMPARE,
    "noise": replace(
        paper.BAYESIAN_OPTIONS["noise"],
        doc="noise variance over signal variance; learned where length_scale is",
        value=1e-5,
    ),
    "beta_ucb": Option(
        "weight of sigma in GP-UCB; 'suited' is 4 where candidates are compared by features, "
        "else 1",
        "suited",
        low=0.0,
        high=100.0,
        choices=("suited",),
    ),
}


class BayesianOptimizer(paper.BayesianOptimizer):
    """Bayesian optimisation with several models and learned hyperparameters."""

    profile: ClassVar[str] = "default"
    OPTIONS: ClassVar[Mapping[str, Option]] = BAYESIAN_OPTIONS
    FIXED: ClassVar[Mapping[str, Any]] = {
        "initial_design": "latin",
        "mean": "fitted",
        "signal_variance": 1.0,
        "gamma": 0.1,
        "search": "mutations",
        "acquisition_evaluations": 500,
    }
    _model: LearnedProcess

    def _begin_model(self) -> None:
        length_scale = self._options["length_scale"]
        self._learned = length_scale == "learned"
        self._inputs = ModelInputs(self._dimension, compared(self._features, self._options))
        self._model = self._process(START if self._learned else length_scale)
        models = [self._model]
        kind = EvolvedSearch if self._inputs.features else LocalSearch
        if self._learned:
            diagonal = math.sqrt(self._dimension)
            models += [self._process(share * diagonal) for share in kind.SMOOTH]
        self._searches: list[Search] = [kind(model, self._inputs, self._rng) for model in models]
        self._choice = ModelChoice(len(models))
        self._best_before = -math.inf
        self._learn_at = self._initial
        self._fitness: list[float] = []
        self._points: list[Array] = []  # model inputs of the evaluations
        self._compress = False
        self._scale = self._now = Scale(0.0, 1.0)

    def _process(self, length_scale: float) -> LearnedProcess:
        hyperparameters = Hyperparameters(length_scale, self._options["noise"])
        return LearnedProcess(self._dimension, hyperparameters, features=self._inputs.features)

    def _random_samples(self) -> Array:
        # Latin hypercube: each of n equal slices of each coordinate holds one sample.
        n, d = self._initial, self._dimension
        slices = self._rng.permuted(np.tile(np.arange(n), (d, 1)), axis=1)
        return (slices.T + self._rng.random((n, d))) / n

    def _learn(self, record: Record) -> None:
        self._points.extend(self._inputs.points(record.x[None, :]))
        self._fitness.append(record.fitness)
        self._now = Scale.of(np.array(self._fitness))
        self._choice.credit(max(record.fitness - self._best_before, 0.0) / self._now.unit)
        self._best_before = max(self._best_before, record.fitness)

    def _catch_up(self, search: Search) -> None:
        """Add the observations that a model lacks."""
        known = len(search.model)
        points = np.array(self._points[known:])
        search.extend(points, self._targets(self._fitness[known:]))

    def _targets(self, fitness: list[float]) -> Array:
        """Transformed fitness, to which the models are fitted."""
        deficit = self._scale.bounded(np.array(fitness))
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
        deficit = self._scale.bounded(np.array(self._fitness))
        kept = sample(-deficit, self._rng)
        x, deficit_kept = self._model.x[kept], deficit[kept]
        variance, freedom = repetition_variance(r.measurements for r in self._records)
        unit = self._scale.unit
        noise = variance / unit / unit, freedom  # unit ** 2 may underflow
        correlations = Correlations(x, self._inputs.features)
        plain = LogPosterior(correlations, -deficit_kept, noise)
        warped = LogPosterior(correlations, compressed(deficit_kept), noise)
        plain_best, warped_best = learn(plain, known), learn(warped, known)
        self._compress = warped(warped_best) + log_jacobian(deficit_kept) > plain(plain_best)
        self._rescale()
        posterior, best = (warped, warped_best) if self._compress else (plain, plain_best)
        self._searches[0].refit(hyperparameters_at(best))
        for search in self._searches[1:]:
            search.refit_later(learn_noise(posterior, search.model.hyperparameters))

    def _maximise_ucb(self, best: Array) -> Array:
        n = len(self._records)
        if n >= self._learn_at:
            self._learn_at = math.ceil(LEARN_GROWTH * n)
            self._learn_hyperparameters()
        elif self._compress and not self._scale.near(self._now):
            self._rescale()
        turn, chosen = divmod(n, len(self._searches))
        if self._inputs.features:
            chosen = self._choice.next(n)
        search = self._searches[chosen]
        self._catch_up(search)
        weight = self._options["beta_ucb"]
        if weight == "suited":
            weight = FEATURE_BETA if self._inputs.features else 1.0
        return search.propose(best, weight, climb=turn % 2 == 0)
