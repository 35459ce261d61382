# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The search for the maximum of GP-UCB.

No single length scale suits every landscape. A model with the most probable length scale follows
curved valleys and separable ripples. A model with a long length scale treats the ripples of a
rugged landscape as noise and shows its trend. So there are both, and they propose in turn, or
where candidates are compared by features mostly the one that recently gained more.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.model.candidates import ascend, moves, offspring, wide_moves
from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess, PosteriorMean
from bea_ros.optimizers.adaptive.model.kernel import Hyperparameters
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.paper.acquisition import gp_ucb

Array = NDArray[np.float64]

MUTATIONS = 40  # candidates for an evaluation
ASCENT_STEPS = 5

UNIFORM, NEAR = 128, 64  # candidates of the first generation, besides the last survivors
GENERATIONS = 4
OFFSPRING, SURVIVORS = 64, 32
FEATURE_BETA = 4.0  # weight of sigma


class Search(ABC):
    """Maximises the GP-UCB of a model.

    Args:
        model: predicts the fitness.
        inputs: maps candidates to model inputs.
        rng: every draw comes from it.
    """

    LEAST_GAP: ClassVar[float]  # root mean square distance of a candidate to any evaluated one
    SMOOTH: ClassVar[tuple[float, ...]]  # length scales (diagonals of the cube) of further models

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
            climb: whether to try an ascent of the posterior mean from `best`, too.
        """

    def _score(self, candidates: Array, beta: float) -> Array:
        """GP-UCB of candidates (m, d), shape (m,); -inf too close to an evaluated one."""
        points = self._inputs.points(candidates)
        mean, variance, distances = self.model.posterior_and_distances(points)
        score = gp_ucb(mean, variance, beta)
        least = self.LEAST_GAP / self.model.hyperparameters.length_scale
        score[distances.min(axis=0) < least**2 * candidates.shape[1]] = -math.inf
        return score

    def extend(self, points: Array, values: Array) -> None:
        """Add k observations: points (k, features + d) and values (k,)."""
        if self._wanted != self.model.hyperparameters:
            self.refit(self._wanted)
        if len(points):
            self.model.extend(points, values)

    def refit_later(self, hyperparameters: Hyperparameters) -> None:
        """Change the model's hyperparameters when it gets its next observations.

        That costs O(n^3). Delaying it spreads the cost of several models over several candidates.
        """
        self._wanted = hyperparameters

    def refit(self, hyperparameters: Hyperparameters) -> None:
        """Change the model's hyperparameters."""
        self._wanted = hyperparameters
        self.model.refit(hyperparameters)


class LocalSearch(Search):
    """Mutates the best solution, anew for each evaluation."""

    LEAST_GAP = 5e-4
    SMOOTH = (0.5,)

    def propose(self, best: Array, beta: float, climb: bool) -> Array:
        points = moves(best, MUTATIONS, self._rng)
        if climb:
            points[0] = ascend(PosteriorMean(self.model), best, ASCENT_STEPS)
        return points[np.argmax(self._score(points, beta))]


class EvolvedSearch(Search):
    """Evolves candidates of the whole cube towards larger GP-UCB, anew for each evaluation.

    A model that compares features finds good regions far from any good solution. Mutations of good
    solutions do not reach these.

    Args:
        known: further candidates of the first generation, shape (k, d).
    """

    LEAST_GAP = 5e-3
    SMOOTH = (1.0, 0.5)

    def __init__(
        self,
        model: LearnedProcess,
        inputs: ModelInputs,
        rng: np.random.Generator,
        known: Array | None = None,
    ) -> None:
        super().__init__(model, inputs, rng)
        self._known = known  # later the last survivors

    def propose(self, best: Array, beta: float, climb: bool) -> Array:
        rng = self._rng
        evaluated = self.model.x[:, self._inputs.features :]
        near = wide_moves(evaluated, self.model.y, NEAR, rng)
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


class ModelChoice:
    """Chooses the model that recently gained more per candidate.

    The others get one turn in `OTHERS_TURN`. They are preferred at the start, as the first model
    has to learn its hyperparameters.
    """

    MEMORY = 0.9
    OTHERS_TURN = 4
    EXPECTED = 0.05  # initial gain of the others

    def __init__(self, count: int) -> None:
        self._gains = [0.0] + [self.EXPECTED] * (count - 1)
        self.current: int | None = None

    def next(self, evaluations: int) -> int:
        """Return the index of the model that proposes after this number of evaluations."""
        count = len(self._gains)
        best = int(np.argmax(self._gains))
        turn, others = divmod(evaluations, self.OTHERS_TURN)
        if count > 1 and not others:
            best = (best + 1 + turn % (count - 1)) % count
        self.current = best
        return best

    def credit(self, gain: float) -> None:
        """Credit the gain of the last candidate to its model, if a model proposed it."""
        if self.current is not None:
            old = self._gains[self.current]
            self._gains[self.current] = self.MEMORY * old + (1.0 - self.MEMORY) * gain
            self.current = None
