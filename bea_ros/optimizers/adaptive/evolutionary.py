# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm that adapts to the landscape how it breeds.

It differs from the paper's EA as follows:

- A child has at least one mutated gene, and seldom more than two.
- sigma'' is updated once per generation, and bounded. (As printed, it exceeds 1e10.)
- Part of the generations is bred by covariance adaptation with a quadratic model (see `valley`).
  Mutation suits rugged landscapes, covariance adaptation smooth valleys. The operator that
  recently gained more per evaluation breeds next (see `operator_choice`).
- If candidates are compared by features, as in BEA on robots, mutants evolve on a model before
  they are evaluated (see `modelled`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.bayesian import COMPARE
from bea_ros.optimizers.adaptive.evolution.archive import Archive
from bea_ros.optimizers.adaptive.evolution.modelled import ModelledMutants
from bea_ros.optimizers.adaptive.evolution.operator_choice import OperatorChoice
from bea_ros.optimizers.adaptive.evolution.valley import Valley, suited_step
from bea_ros.optimizers.inputs import ModelInputs, compared
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper import evolutionary as paper
from bea_ros.optimizers.paper.mutation import (
    GainAwareStep,
    Individual,
    SelfAdaptiveMutation,
    best_of,
)

BOUND = 10.0  # of sigma'', and of its inverse


EVOLUTIONARY_OPTIONS = {
    **changed(paper.EVOLUTIONARY_OPTIONS, mutation_per="gene", step_size=0.3),
    "mutation_rate": replace(
        paper.EVOLUTIONARY_OPTIONS["mutation_rate"],
        doc="probability of mutation; of genes at '1/d' at least one mutates",
        value="1/d",
        choices=("1/d",),
    ),
    "covariance": Option(
        "breed part of the generations by covariance adaptation", True, choices=(True, False)
    ),
    "compare": replace(COMPARE, value="parameters"),
    "covariance_step": Option(
        "sigma of covariance adaptation at the start", 0.2, low=1e-6, high=1.0
    ),
}


class SparseMutation(SelfAdaptiveMutation):
    """Self-adaptive Gaussian mutation; at rate '1/d' at least one gene mutates."""

    def _mutated_genes(self, n: int) -> NDArray[np.bool_]:
        if self._options["mutation_rate"] != "1/d":
            return super()._mutated_genes(n)
        if self._options["mutation_per"] == "child":
            return np.full(n, self._rng.random() < 1.0 / n)
        genes = self._rng.random(n) < 1.0 / n
        genes[self._rng.integers(n)] |= not genes.any()
        return genes


class EvolutionaryAlgorithm(paper.EvolutionaryAlgorithm):
    """An EA that alternates self-adaptive mutation and covariance adaptation."""

    profile: ClassVar[str] = "default"
    OPTIONS: ClassVar[Mapping[str, Option]] = EVOLUTIONARY_OPTIONS
    FIXED: ClassVar[Mapping[str, Any]] = {}
    MUTATION: ClassVar[type[SelfAdaptiveMutation]] = SparseMutation

    def _prepare(self) -> None:
        super()._prepare()
        options = self._options
        self._gain = GainAwareStep(options["alpha"], options["beta"], window=1, largest=BOUND)
        self._valley: Valley | None = None
        self._inputs = ModelInputs(self._dimension, compared(self._features, options))
        self._archive = Archive(self._inputs)
        self._modelled = ModelledMutants(self._dimension, self._inputs, self._rng)
        self._choice = OperatorChoice(modelled=self._inputs.features > 0)

    def start_from(self, evaluated: Sequence[Record], history: Sequence[Record]) -> None:
        super().start_from(evaluated, history)
        self._archive = Archive(self._inputs, history)
        self._begin_valley()

    def hear(self, record: Record) -> None:
        """Learn from an evaluation of another optimizer. Call it between two generations only."""
        self._archive.add(record)
        self._best_before = max(self._best_before, record.fitness)
        better = record.fitness > best_of(self._parents).fitness
        step = self._options["step_size"]
        self._survive([Individual.new(record.x, step, record.fitness)])
        if better and self._valley is not None:
            self._valley.follow(best_of(self._parents))

    @property
    def between_generations(self) -> bool:
        """Whether the next candidate is the first of a generation."""
        return not self._unborn and not self._generation

    def _begin_valley(self) -> None:
        if self._options["covariance"] and self._dimension > 1:
            step = self._options["covariance_step"]
            if not self._inputs.features:
                step = suited_step(*self._archive.all(), step)
            elite = best_of(self._parents)
            self._valley = Valley(elite, step, max(self._size, 4), self._rng)

    def _next_child(self) -> Individual:
        if not self._unborn:
            children = self._breed()
            self._due, self._unborn = len(children), children[::-1]
        return self._unborn.pop()

    def _breed(self) -> list[Individual]:
        """Return the next generation."""
        self._by_covariance = self._valley is not None and self._choice.covariance_next()
        if self._by_covariance:
            assert self._valley is not None
            return self._individuals(self._valley.sample(best_of(self._parents), self._archive))
        born = self._mutation.breed(self._parents, self._size - 1)
        mutants = [self._mutation.mutate(child, self.step_size_factor) for child in born]
        if not self._inputs.features:
            return mutants
        x = np.array([mutant.x for mutant in mutants])
        return self._individuals(self._modelled.generation(x, self._archive))

    def _individuals(self, points: NDArray[np.float64]) -> list[Individual]:
        return [Individual.new(x, self._options["step_size"]) for x in points]

    def _learn(self, record: Record) -> None:
        self._child.x, self._child.fitness = record.x, record.fitness
        self._archive.add(record)
        self._generation.append(self._child)
        if not self._parents:
            if len(self._generation) == self._size:
                self._parents, self._generation = self._generation, []
                self._begin_valley()
        elif len(self._generation) == self._due:
            self._select()

    def _select(self) -> None:
        """Choose the survivors of a generation."""
        children, self._generation = self._generation, []
        gain = max(0.0, best_of(children).fitness - best_of(self._parents).fitness)
        self._gain.update(self._best_so_far)
        self._choice.credit(self._by_covariance, gain / len(children))
        if self._by_covariance:
            assert self._valley is not None
            self._valley.update(children, gain)
            children = [best_of(children)]  # all of them would reduce diversity
        self._survive(children)

    def _survive(self, children: list[Individual]) -> None:
        everyone = sorted(self._parents + children, key=lambda one: -one.fitness)
        self._parents = everyone[: self._size]
