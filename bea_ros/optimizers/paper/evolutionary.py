# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm of the paper (sections IV-B and VI-A), which BEA makes gain-aware.

Where the paper is silent:

- "elitist survivor selection": the best one stays, p - 1 children replace the others, as in the
  released code.
- sigma_j at the start and epsilon_0 are not printed: 0.1 and 0.001 of the range, as released.
- selection, recombination and mutation: see `mutation`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.paper.mutation import (
    GAIN_WINDOW,
    GainAwareStep,
    Individual,
    SelfAdaptiveMutation,
    best_of,
)

EVOLUTIONARY_OPTIONS = {
    "population": Option("population size p", 10, low=2, high=1000, integer=True),
    "mutation_rate": Option("probability of mutation", 0.8, low=0.0, high=1.0),
    "mutation_per": Option("what the mutation rate is of", "child", choices=("child", "gene")),
    "crossover_rate": Option("probability of recombining two parents", 0.7, low=0.0, high=1.0),
    "recombination_weight": Option("weight of one parent in the child", 0.6, low=0.0, high=1.0),
    "tournament": Option("tournament size", 2, low=1, high=100, integer=True),
    "step_size": Option("sigma_j at the start", 0.1, low=1e-9, high=10.0),
    "smallest_step": Option("epsilon_0", 0.001, low=0.0, high=1.0),
    "gain_aware": Option("multiply steps by sigma'' (eq. 9)", False, choices=(True, False)),
    "alpha": Option("growth of sigma'' without gain (eq. 10)", 1.03, low=1.0, high=10.0),
    "beta": Option("shrinkage of sigma'' with gain (eq. 10)", 0.99, low=0.01, high=1.0),
}
PUBLISHED_OPTIONS = EVOLUTIONARY_OPTIONS | {
    "alpha_per": Option(
        "how often sigma'' is multiplied by alpha or beta; at a generation's end after a gain or "
        "none of that generation",
        "evaluation",
        choices=("evaluation", "generation"),
    ),
}


class EvolutionaryAlgorithm(Optimizer):
    """Self-adaptive Gaussian mutation, arithmetic recombination, tournaments, elitism.

    Asked one child at a time: a generation ends with its last child.
    """

    name: ClassVar[str] = "ea"
    profile: ClassVar[str] = "paper"
    OPTIONS: ClassVar[Mapping[str, Option]] = PUBLISHED_OPTIONS
    FIXED: ClassVar[Mapping[str, Any]] = {
        "covariance": False,
        "compare": "parameters",
        "covariance_step": 0.2,
    }
    MUTATION: ClassVar[type[SelfAdaptiveMutation]] = SelfAdaptiveMutation

    def _prepare(self) -> None:
        options = self._options
        self._size = options["population"]
        if self._budget < self._size:
            raise ValueError(
                f"{self._budget} evaluations are fewer than population={self._size}: give more"
            )
        if len(self._first) > self._size:
            raise ValueError(
                f"start has {len(self._first)} candidates, more than population={self._size}"
            )
        self._mutation = self.MUTATION(options, self._rng)
        self._gains_at_ends = options.get("alpha_per") == "generation"
        window = 1 if self._gains_at_ends else GAIN_WINDOW
        self._gain = GainAwareStep(options["alpha"], options["beta"], window)
        self._parents: list[Individual] = []
        self._unborn: list[Individual] = []
        self._generation: list[Individual] = []
        self._best_before = -math.inf

    def start_from(self, evaluated: Sequence[Record], history: Sequence[Record]) -> None:
        """Begin with evaluated solutions as parents, and with the history of the run."""
        step = self._options["step_size"]
        self._parents = [Individual.new(record.x, step, record.fitness) for record in evaluated]
        bests = list(accumulate((record.fitness for record in history), max))
        self._best_before = bests[-1]
        for best in bests[-self._gain.window :]:
            self._gain.update(best)

    @property
    def stage(self) -> str:
        return "evolutionary" if self._parents else "initial"

    @property
    def step_size_factor(self) -> float:
        return self._gain.factor if self._options["gain_aware"] else 1.0

    def _propose(self) -> NDArray[np.float64]:
        self._child = self._next_child() if self._parents else self._first_one()
        return self._child.x

    def _first_one(self) -> Individual:
        x, born = self._rng.random(self._dimension), len(self._generation)
        x = self._first[born] if born < len(self._first) else x
        return Individual.new(x, self._options["step_size"])

    def _next_child(self) -> Individual:
        if not self._unborn:
            self._unborn = self._mutation.breed(self._parents, self._size - 1)[::-1]
        return self._mutation.mutate(self._unborn.pop(), self.step_size_factor)

    def _learn(self, record: Record) -> None:
        self._child.x, self._child.fitness = record.x, record.fitness
        self._generation.append(self._child)
        complete = len(self._generation) == (self._births if self._parents else self._size)
        if complete or not self._gains_at_ends:
            self._gain.update(self._best_so_far)
        if complete:
            self._parents, self._generation = self._survivors(), []

    @property
    def _births(self) -> int:
        """Number of evaluations in a generation."""
        return self._size - 1

    def _survivors(self) -> list[Individual]:
        """The next parents: the best parent and the children."""
        elite = [best_of(self._parents)] if self._parents else []
        return [*elite, *self._generation]

    @property
    def _best_so_far(self) -> float:
        """f', including the evaluations before the EA."""
        assert self._best is not None
        return max(self._best_before, self._records[self._best].fitness)
