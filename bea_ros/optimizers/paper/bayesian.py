# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation (paper, section IV-A): a Gaussian process, and the maximum of GP-UCB.

Where the paper is silent:

- N_I, the number of initial samples, and how they are drawn: 10, uniformly, as in the released
  code.
- gamma is "between 0 and 1": 0.1, Limbo's default. t is "the count of evaluations": all of them.
- the unit of theta: s is in [0, 1]^d here and in the released code; f is raw.
- theta is 0.5 for Schwefel and 0.1 for Griewank and Rastrigin, and not printed for robots: 0.5
  unless the option says otherwise, as the studies of functions do.
- the search for the maximum of GP-UCB is Limbo's: NLopt's DIRECT, 500 evaluations.
- m(s) and the noise: see `gaussian_process`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.gaussian_process import GaussianProcess, Kernel
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.paper.acquisition import (
    direct,
    gp_ucb,
    import_nlopt,
    sqrt_nu_tau,
    uniform_and_local,
)

Array = NDArray[np.float64]

BAYESIAN_OPTIONS = {
    "initial_samples": Option(
        "N_I, random samples before the first model", 10, low=1, high=1000, integer=True
    ),
    "length_scale": Option("theta (eq. 2) on the unit cube", 0.5, low=1e-3, high=1e3),
    "noise": Option("noise variance over signal variance", 0.0, low=0.0, high=10.0),
    "mean": Option("m(s), the prior mean", "zero", choices=("zero", "data")),
    "signal_variance": Option("k(s, s)", 1.0, low=1e-12, high=1e12),
    "gamma": Option("gamma (eq. 6); above 1 only as released", 0.1, low=1e-12, high=100.0),
    "acquisition_evaluations": Option(
        "points at which GP-UCB is evaluated for one candidate",
        500,
        low=10,
        high=100000,
        integer=True,
    ),
    "search": Option(
        "how its maximum is looked for: 'direct' is Limbo's, by NLopt; 'fresh' are random points, "
        "half of them near the best",
        "direct",
        choices=("direct", "fresh"),
    ),
}


class BayesianOptimizer(Optimizer):
    """Bayesian optimisation with a Matern 5/2 kernel and GP-UCB."""

    name: ClassVar[str] = "bo"
    profile: ClassVar[str] = "paper"
    OPTIONS: ClassVar[Mapping[str, Option]] = BAYESIAN_OPTIONS
    FIXED: ClassVar[Mapping[str, Any]] = {
        "initial_design": "random",
        "compare": "parameters",
        "beta_ucb": "schedule",
    }

    def _prepare(self) -> None:
        self._initial = max(int(self._options["initial_samples"]), len(self._first))
        if self._budget < self._initial:
            raise ValueError(
                f"{self._budget} evaluations are fewer than initial_samples={self._initial}: "
                "give more"
            )
        if self._options["search"] == "direct":
            import_nlopt()
        self._begin_model()
        self._samples = np.vstack([self._first, self._random_samples()])[: self._initial]

    def _begin_model(self) -> None:
        options = self._options
        self._model = GaussianProcess(
            Kernel(options["length_scale"], self._dimension),
            self._dimension,
            options["noise"],
            mean=options["mean"],
            signal_variance=options["signal_variance"],
        )

    def _random_samples(self) -> Array:
        return self._rng.random((self._initial, self._dimension))

    @property
    def stage(self) -> str:
        return "initial" if len(self._records) < self._initial else "bayesian"

    @property
    def model(self) -> GaussianProcess:
        """The Gaussian process after the last `ask`, for reading only."""
        return self._model

    def _propose(self) -> Array:
        if self.stage == "initial":
            return self._samples[len(self._records)]
        assert self._best is not None
        return self._maximise_ucb(self._records[self._best].x)

    def _maximise_ucb(self, best: Array) -> Array:
        """The candidate s_(t+1) with the largest GP-UCB (eq. 6) that was found."""
        count = self._options["acquisition_evaluations"]
        weight = sqrt_nu_tau(self._t, self._dimension, self._options["gamma"])
        if self._options["search"] == "fresh":
            points = uniform_and_local(best, count, self._rng)
            return points[np.argmax(gp_ucb(*self._model.posterior(points), weight))]
        at = self._model.at_points()

        def ucb(point: Array) -> float:
            mu, variance = at(point)
            return mu + weight * math.sqrt(variance)

        return direct(ucb, self._dimension, count, int(self._rng.integers(1, 2**31)))

    @property
    def _t(self) -> int:
        """The count of evaluations t (eq. 6)."""
        return len(self._records)

    def _learn(self, record: Record) -> None:
        self._model.add(record.x, record.fitness)
