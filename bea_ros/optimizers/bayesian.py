# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation: a Gaussian process, GP-UCB, and a search for the candidate that maximises it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.acquisition import gp_ucb_beta, upper_confidence_bound
from bea_ros.optimizers.gaussian_process import GaussianProcess
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option

Array = NDArray[np.float64]

INITIAL_OPTIONS = {
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
    "acquisition_evaluations": Option(
        "points at which GP-UCB is evaluated for one candidate",
        500,
        500,
        500,
        low=10,
        high=100000,
        integer=True,
    ),
}


class BayesianOptimizer(Optimizer):
    """BO as in the paper (profiles "paper" and "released") or with what measures best ("default")."""

    name: ClassVar[str] = "bo"
    OPTIONS = INITIAL_OPTIONS | BAYESIAN_OPTIONS

    def _prepare(self) -> None:
        options = self._options
        self._initial = int(options["initial_samples"])
        if self._budget < self._initial:
            raise ValueError(f"budget={self._budget} is below initial_samples={self._initial}")
        learned = options["length_scale"] == "learned"
        self._model = GaussianProcess(
            self._dimension,
            length_scale=1.0 if learned else options["length_scale"],
            noise=options["noise"],
            mean=options["mean"],
            signal_variance=options["signal_variance"],
        )

    @property
    def stage(self) -> str:
        return "initial" if len(self._records) < self._initial else "bayesian"

    def _learn(self, record: Record) -> None:
        self._model.add(record.x, record.fitness)

    def _propose(self) -> Array:
        if self.stage == "initial":
            return self._rng.random(self._dimension)
        candidates = self._candidates(int(self._options["acquisition_evaluations"]))
        mean, variance = self._model.posterior(candidates)
        score = upper_confidence_bound(mean, variance, self._beta())
        return candidates[np.argmax(score)]

    def _beta(self) -> float:
        """Weight of sigma; the released code counts BO iterations from 0 where the paper counts evaluations."""
        if self._options["beta_ucb"] != "schedule":
            return float(self._options["beta_ucb"])
        t = len(self._records) - (self._initial if self._profile == "released" else 0)
        return gp_ucb_beta(t, self._dimension, self._options["gamma"])

    def _candidates(self, count: int) -> Array:
        """Half uniform, half Gaussian around the best (the paper leaves the search to Limbo)."""
        assert self._best is not None
        points = self._rng.random((count, self._dimension))
        half = count // 2
        spread = 10.0 ** self._rng.uniform(-3.0, -0.5, (half, 1))
        steps = spread * self._rng.standard_normal((half, self._dimension))
        points[:half] = np.clip(self._records[self._best].x + steps, 0.0, 1.0)
        return points
