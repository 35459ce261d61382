# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The search for the maximum of GP-UCB, and the choice between models.

No one length scale serves every landscape. The most probable one follows curved valleys and
separable ripples; one that is smooth across the whole cube, and takes for noise what it cannot
explain, sees through the ripples of a rugged landscape to where it leads. A portfolio of both
kinds (after Hoffman, Brochu and de Freitas, 2011) asks mostly the model that gained more lately.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.candidates import CandidatePool, ascend, moves, offspring
from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess, PosteriorMean
from bea_ros.optimizers.adaptive.model.kernel import Hyperparameters
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.paper.acquisition import gp_ucb

Array = NDArray[np.float64]

POOL = 192  # candidates that persist
FRESH = 20  # of them replaced for each evaluation
ASCENT_STEPS = 5
LEAST_GAP = 5e-4  # root mean square distance of a candidate to any evaluated one

UNIFORM, NEAR = 128, 64  # candidates an evolution begins with, besides the last one's survivors
GENERATIONS = 4
OFFSPRING, SURVIVORS = 64, 32
LEAST_FEATURE_GAP = 5e-3
FEATURE_BETA = 4.0  # weight of sigma


class Search(ABC):
    """Where a model's GP-UCB is maximised.

    Args:
        model: what predicts the fitness.
        inputs: what it sees of a candidate.
        rng: every draw comes from it.
    """

    def __init__(
        self, model: LearnedProcess, inputs: ModelInputs, rng: np.random.Generator
    ) -> None:
        self.model = model
        self._inputs = inputs
        self._rng = rng
        self._wanted = model.hyperparameters

    @abstractmethod
    def propose(self, best: Array, beta: float, climb: bool) -> Array:
        """Return the candidate with the largest GP-UCB that was found, shape (d,).

        Args:
            best: the best solution so far, shape (d,).
            beta: weight of sigma.
            climb: whether an ascent of the posterior mean from the best is a candidate too.
        """

    def extend(self, points: Array, values: Array) -> None:
        """Take in k observations, points (k, features + d) and values (k,)."""
        if self._wanted != self.model.hyperparameters:
            self.refit(self._wanted)
        if len(points):
            self.model.extend(points, values)

    def refit_later(self, hyperparameters: Hyperparameters) -> None:
        """Change the model's hyperparameters when it is given observations next: O(n^3) each, so
        not those of all models for one candidate.
        """
        self._wanted = hyperparameters

    def refit(self, hyperparameters: Hyperparameters) -> None:
        """Change the model's hyperparameters."""
        self._wanted = hyperparameters
        self.model.refit(hyperparameters)


class PoolSearch(Search):
    """Among candidates that stay from one evaluation to the next."""

    def __init__(
        self, model: LearnedProcess, inputs: ModelInputs, rng: np.random.Generator
    ) -> None:
        super().__init__(model, inputs, rng)
        self._pool: CandidatePool | None = None
        self._replaced: NDArray[np.intp] = np.arange(FRESH)

    def propose(self, best: Array, beta: float, climb: bool) -> Array:
        model, rng = self.model, self._rng
        if self._pool is None:
            self._pool = CandidatePool(model, moves(model.x, model.y, POOL, rng))
        points = moves(model.x, model.y, FRESH, rng)
        if climb:
            points[0] = ascend(PosteriorMean(model), best, ASCENT_STEPS)
        self._pool.replace(self._replaced, points)
        mean, variance = self._pool.predict()
        score = gp_ucb(mean, variance, beta)
        score[self._pool.gaps < LEAST_GAP * math.sqrt(len(best))] = -math.inf
        chosen = int(np.argmax(score))
        self._replaced = np.append(np.argsort(score, kind="stable")[: FRESH - 1], chosen)
        return self._pool.points[chosen]

    def extend(self, points: Array, values: Array) -> None:
        super().extend(points, values)
        if len(points) and self._pool is not None:
            self._pool.extend()

    def refit(self, hyperparameters: Hyperparameters) -> None:
        super().refit(hyperparameters)
        if self._pool is not None:
            self._pool.renew()


class EvolvedSearch(Search):
    """Among candidates from everywhere, evolved towards larger GP-UCB for each evaluation.

    A model that compares features tells good regions that are far from any good solution, which
    moves of good solutions do not reach.

    Args:
        known: candidates, shape (k, d), that the first evolution begins with as well.
    """

    def __init__(
        self,
        model: LearnedProcess,
        inputs: ModelInputs,
        rng: np.random.Generator,
        known: Array | None = None,
    ) -> None:
        super().__init__(model, inputs, rng)
        self._known = known  # later, the last evolution's survivors

    def propose(self, best: Array, beta: float, climb: bool) -> Array:
        model, rng = self.model, self._rng
        near = moves(self._inputs.candidates(model.x), model.y, NEAR, rng)
        known = near[:0] if self._known is None else self._known
        candidates = np.vstack([rng.random((UNIFORM, len(best))), near, known])
        score = self._score(candidates, beta)
        for _ in range(GENERATIONS):
            fittest = np.argsort(-score, kind="stable")[:SURVIVORS]
            candidates, score = candidates[fittest], score[fittest]
            children = offspring(candidates, OFFSPRING, rng)
            candidates = np.vstack([candidates, children])
            score = np.append(score, self._score(children, beta))
        fittest = np.argsort(-score, kind="stable")
        self._known = candidates[fittest[1 : 1 + SURVIVORS]]
        return candidates[fittest[0]]

    def _score(self, candidates: Array, beta: float) -> Array:
        model = self.model
        embedded = model.kernel.embed(self._inputs.points(candidates))
        distances = model.distances(embedded)
        mean, variance = model.predict(model.whiten_embedded(embedded, distances))
        score = gp_ucb(mean, variance, beta)
        least = LEAST_FEATURE_GAP / model.hyperparameters.length_scale
        score[distances.min(axis=0) < least**2 * candidates.shape[1]] = -math.inf
        return score


class ModelChoice:
    """Which model proposes next: the one that gained more per candidate lately.

    The others get one turn in `OTHERS_TURN`. The first model has to be learned,
    so the others are preferred at the start.
    """

    MEMORY = 0.9
    OTHERS_TURN = 4
    EXPECTED = 0.05  # gain of the others before they gained any

    def __init__(self, count: int) -> None:
        self._gains = [0.0] + [self.EXPECTED] * (count - 1)
        self.current: int | None = None

    def next(self, evaluations: int) -> int:
        """Return the number of the model that proposes after so many evaluations."""
        count = len(self._gains)
        best = int(np.argmax(self._gains))
        turn, others = divmod(evaluations, self.OTHERS_TURN)
        if count > 1 and not others:
            best = (best + 1 + turn % (count - 1)) % count
        self.current = best
        return best

    def credit(self, gain: float) -> None:
        """Take in what the last candidate gained, if a model proposed it."""
        if self.current is not None:
            old = self._gains[self.current]
            self._gains[self.current] = self.MEMORY * old + (1.0 - self.MEMORY) * gain
            self.current = None
