# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation from a prior: first its candidates, then others around the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from bea_ros.optimizers.adaptive.bayesian import COMPARE, BayesianOptimizer
from bea_ros.optimizers.adaptive.model.candidates import offspring
from bea_ros.optimizers.inputs import ModelInputs, compared
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.optimizers.prior.model import Known, PriorModel
from bea_ros.optimizers.prior.simulation import Simulation

Array = NDArray[np.float64]

PARENTS, CHILDREN, GENERATIONS = 24, 64, 4
DOUBTFUL = 5  # first evaluations: only candidates of the prior while their fitness is low
LEAST_TRUST = 0.1  # probability below which the prior is dropped
SAME = 1e-6  # largest difference of a parameter by rounding
STARTS = 6, 3  # of a search in simulation: the prior's likeliest, and the best that were measured
SIMULATED = 30  # evaluations that a search in simulation follows: it takes a while
DISBELIEVED = 0.6  # standard deviation of its errors, in units of the prior's spread
LEAST_GAP = 5e-3  # root mean square distance of a new candidate to any that was tried


class PriorOptimizer(Optimizer):
    """Maximises the expected improvement, given a prior and the measurements.

    It proposes candidates of the prior while one of them may well be better than the best so far.
    If the measurements are explained better without the prior, it drops the prior and continues as
    a `BayesianOptimizer` that knows all evaluations.

    Args:
        prior: fitness of candidates in simulated worlds.
        simulation: what to search in after each of the first evaluations, too.
        arguments: as of `Optimizer`.

    Raises:
        ValueError: the prior has another dimension, or as `Optimizer`.
    """

    name: ClassVar[str] = "bo"
    OPTIONS: ClassVar[Mapping[str, Option]] = {"compare": COMPARE}

    def __init__(
        self,
        dimension: int,
        *,
        prior: Prior,
        simulation: Simulation | None = None,
        **arguments: Any,
    ) -> None:
        if prior.candidates.shape[1] != dimension:
            raise ValueError(f"a prior of {prior.candidates.shape[1]} parameters, not {dimension}")
        self._prior, self._simulation = prior, simulation
        super().__init__(dimension, **arguments)

    def _untold(self, **further: Any) -> Self:
        return super()._untold(prior=self._prior, simulation=self._simulation, **further)

    def _identity(self) -> dict[str, Any]:
        return {**super()._identity(), "prior": self._prior.check}

    def _prepare(self) -> None:
        self._inputs = ModelInputs(self._dimension, compared(self._features, self._options))
        self._model = PriorModel(self._prior, self._points(self._prior.candidates))
        self._left = np.arange(len(self._prior.candidates))  # candidates not asked yet
        self._own: int | None = None  # index of the asked candidate in the prior
        self._asked = self._model.own(self._left[:1])
        self._prediction = 0.0, 0.0
        self._best_mean = -np.inf
        self._alone: BayesianOptimizer | None = None
        self.trust = 1.0

    def _points(self, candidates: Array) -> Array:
        """Coordinates by which candidates (n, d) are compared, shape (n, p)."""
        return self._inputs.points(candidates)[:, : self._inputs.features or None]

    @property
    def stage(self) -> str:
        if self._alone is not None:
            return self._alone.stage
        if len(self._records) < len(self._first):
            return "initial"
        return "bayesian" if self._candidate is not None and self._own is None else "repertoire"

    def _propose(self) -> Array:
        if self._alone is not None:
            return self._alone.ask()
        if len(self._records) < len(self._first):
            return self._from_elsewhere(self._first[len(self._records)])
        if self._simulation and 0 < len(self._records) <= SIMULATED and len(self._left):
            candidate = self._simulated(self._simulation)
            if candidate is not None:
                return candidate
        own = self._model.own(self._left)
        mean, deviation = self._model.predict(own)
        if len(self._records) == len(self._first) and len(mean):
            return self._of_prior(int(np.argmax(mean)))
        scores = self._improvement(mean, deviation)
        best = int(np.argmax(scores)) if len(scores) else -1
        if len(scores) and (self._doubtful or mean[best] + deviation[best] > self._best_mean):
            return self._of_prior(best)
        fresh, score = self._evolve(scores)
        if len(scores) and scores[best] >= score:
            return self._of_prior(best)
        self._own = None
        return self._take(fresh)

    def _simulated(self, simulation: Simulation) -> Array | None:
        """Choose the best of what a search in simulation finds; None if it is not believed."""
        tried = np.array([record.x for record in self._records])
        fitness = np.array([record.fitness for record in self._records])
        scores = self._improvement(*self._model.predict(self._model.own(self._left)))
        likely = self._left[np.argsort(-scores, kind="stable")[: STARTS[0]]]
        best = tried[np.argsort(-fitness, kind="stable")[: STARTS[1]]]
        starts = np.vstack([self._prior.candidates[likely], best])
        found = simulation.search(tried, fitness, starts)
        deviation = found.deviation(fitness, self._model.unit)
        believed = None
        if deviation < DISBELIEVED * self._model.unit:
            described = self._model.others(self._points(found.candidates))
            noise = np.full(len(found.fitness), deviation**2)
            believed = Known(described, found.fitness, noise)
        self._model.believe(believed)
        self._best_mean = float(self._model.fitted().max())
        if believed is None:
            return None
        scores = self._score(found.candidates, tried)
        return self._from_elsewhere(found.candidates[int(np.argmax(scores))])

    @property
    def _doubtful(self) -> bool:
        """Whether the best of the first few is far below its prediction."""
        far_below = float(self._prior.expected.max()) - self._model.unit
        return self._best_mean < far_below and len(self._records) < DOUBTFUL

    def _of_prior(self, which: int) -> Array:
        """Choose one of the remaining candidates of the prior."""
        self._own = int(self._left[which])
        return self._take(self._prior.candidates[self._own])

    def _from_elsewhere(self, candidate: Array) -> Array:
        """Choose a candidate from elsewhere; the prior may contain it."""
        apart = np.abs(self._prior.candidates - candidate).max(axis=1)
        nearest = int(np.argmin(apart))
        self._own = nearest if apart[nearest] < SAME else None
        return self._take(candidate)

    def _take(self, candidate: Array) -> Array:
        """Store the description of the candidate that is asked."""
        if self._own is not None:
            self._asked = self._model.own(np.array([self._own]))
        else:
            self._asked = self._model.others(self._points(candidate[None, :]))
        mean, deviation = self._model.predict(self._asked)
        self._prediction = float(mean[0]), float(deviation[0])
        return candidate

    def _improvement(self, mean: Array, deviation: Array) -> Array:
        """Expected improvement over the best fitness so far."""
        gain = mean - self._best_mean
        safe = np.maximum(deviation, 1e-12 * self._model.unit)
        z = gain / safe
        return gain * ndtr(z) + safe * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)

    def _evolve(self, scores: Array) -> tuple[Array, float]:
        """Return the best candidate found outside the prior, and its score."""
        tried = np.array([record.x for record in self._records])
        likely = self._left[np.argsort(-scores, kind="stable")[:PARENTS]]
        ranked = np.argsort([-record.fitness for record in self._records], kind="stable")
        parents = np.vstack([tried[ranked[: PARENTS // 3]], self._prior.candidates[likely]])
        known, known_scores = np.empty((0, self._dimension)), np.empty(0)
        for _ in range(GENERATIONS):
            children = offspring(parents, CHILDREN, self._rng)
            score = self._score(children, tried)
            known, known_scores = np.vstack([known, children]), np.append(known_scores, score)
            fittest = np.argsort(-known_scores, kind="stable")[:PARENTS]
            known, known_scores = known[fittest], known_scores[fittest]
            parents = np.vstack([known, parents[: PARENTS // 3]])
        return known[0], float(known_scores[0])

    def _score(self, candidates: Array, tried: Array) -> Array:
        described = self._model.others(self._points(candidates))
        score = self._improvement(*self._model.predict(described))
        gaps = np.min(((candidates[:, None] - tried[None]) ** 2).mean(axis=2), axis=1)
        score[gaps < LEAST_GAP**2] = -1.0
        return score

    def absorb(self, record: Record) -> None:
        if self._alone is None:  # it is not the candidate that was asked
            self._from_elsewhere(record.x)
        super().absorb(record)

    def _learn(self, record: Record) -> None:
        if self._alone is not None:
            self._alone.absorb(record)
            return
        tried = self._asked
        if self._own is None:  # as told: a state of another machine may differ by rounding
            tried = self._model.others(self._points(record.x[None, :]))
        self._left = self._left[self._left != self._own]
        self._model.observe(tried, record.fitness, max(1, len(record.measurements)))
        self._best_mean = float(self._model.fitted().max())
        self.trust = self._model.trust
        if self.trust < LEAST_TRUST:
            self._go_on_alone()

    def _go_on_alone(self) -> None:
        """Drop the prior, and continue with a `BayesianOptimizer`."""
        known = len(self._records)
        self._alone = BayesianOptimizer(
            self._dimension,
            seed=self._seed,
            budget=max(self._budget, known),
            features=self._features,
            compare=self._options["compare"],
            initial_samples=known,
        )
        for record in self._records:
            self._alone.absorb(record)

    @property
    def prediction(self) -> tuple[float, float] | None:
        return self._prediction if self._alone is None and self._candidate is not None else None

    def satisfied(self, share: float) -> bool:
        if self._alone is not None or not self._records or not len(self._left):
            return False
        mean, _ = self._model.predict(self._model.own(self._left))
        assert self.best is not None
        if self.best[1] < share * float(mean.max()):
            return False
        if self._simulation and len(self._records) < self._budget:
            self.ask()  # a search may find better ones than the prior has
        return self.prediction is None or self.best[1] >= share * self.prediction[0]
