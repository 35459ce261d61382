# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The search for the maximum of GP-UCB over a pool of candidates, and the choice between models.

No one length scale serves every landscape. The most probable one follows curved valleys and
separable ripples; one that is smooth across the whole cube, and takes for noise what it cannot
explain, sees through the ripples of a rugged landscape to where it leads. A portfolio of both
kinds (after Hoffman, Brochu and de Freitas, 2011) asks mostly the model that gained more lately.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.acquisition import upper_confidence_bound
from bea_ros.optimizers.candidates import CandidatePool, ascend, moves
from bea_ros.optimizers.gaussian_process import GaussianProcess, PosteriorMean
from bea_ros.optimizers.kernel import Hyperparameters

Array = NDArray[np.float64]

POOL = 192  # candidates that persist
FRESH = 20  # of them replaced for each evaluation
ASCENT_STEPS = 5
LEAST_GAP = 5e-4  # root mean square distance of a candidate to any evaluated one


class PoolSearch:
    """Maximises a model's GP-UCB over candidates that stay from one evaluation to the next.

    Args:
        model: what predicts the fitness.
        rng: every draw comes from it.
    """

    def __init__(self, model: GaussianProcess, rng: np.random.Generator) -> None:
        self.model = model
        self._rng = rng
        self._pool: CandidatePool | None = None
        self._replaced: NDArray[np.intp] = np.arange(FRESH)
        self._wanted = model.hyperparameters

    def propose(self, best: Array, beta: float, climb: bool) -> Array:
        """Return the candidate with the largest GP-UCB, shape (d,).

        Args:
            best: the best solution so far, shape (d,).
            beta: weight of sigma.
            climb: whether an ascent of the posterior mean from the best is a candidate too.
        """
        model, rng = self.model, self._rng
        if self._pool is None:
            self._pool = CandidatePool(model, moves(model.x, model.y, POOL, rng))
        points = moves(model.x, model.y, FRESH, rng)
        if climb:
            points[0] = ascend(PosteriorMean(model), best, ASCENT_STEPS)
        self._pool.replace(self._replaced, points)
        mean, variance = self._pool.predict()
        score = upper_confidence_bound(mean, variance, beta)
        score[self._pool.gaps < LEAST_GAP * math.sqrt(len(best))] = -math.inf
        chosen = int(np.argmax(score))
        self._replaced = np.append(np.argsort(score, kind="stable")[: FRESH - 1], chosen)
        return self._pool.points[chosen]

    def extend(self, points: Array, values: Array) -> None:
        """Take in k observations, points (k, d) and values (k,)."""
        if self._wanted != self.model.hyperparameters:
            self.refit(self._wanted)
        if len(points):
            self.model.extend(points, values)
            if self._pool is not None:
                self._pool.extend()

    def refit_later(self, hyperparameters: Hyperparameters) -> None:
        """Change the model's hyperparameters when it is given observations next: O(n^3) each, so
        not those of all models for one candidate.
        """
        self._wanted = hyperparameters

    def refit(self, hyperparameters: Hyperparameters) -> None:
        """Change the model's hyperparameters."""
        self._wanted = hyperparameters
        self.model.refit(hyperparameters)
        if self._pool is not None:
            self._pool.renew()


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
        self.current = 0

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
        """Take in what the last candidate gained."""
        old = self._gains[self.current]
        self._gains[self.current] = self.MEMORY * old + (1.0 - self.MEMORY) * gain
