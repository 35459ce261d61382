# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm of the paper, with and without gain-aware steps (Algorithm 2).

Where the paper contradicts itself or is silent, profile "paper" reads it so:

- tau and tau': the text has tau' = 1/sqrt(2n) for the common draw and tau = 1/sqrt(2 sqrt(n)) for
  each coordinate's; Algorithm 2 swaps them. Read as the text (and Eiben and Smith, 2015).
- sigma'' carries the iteration i in the text, the coordinate j in Algorithm 2. Read as i: one
  number, updated once per evaluation.
- "smaller step size ... when algorithm has no gains ... and larger ... when the algorithm has no
  gains" (section V-B). Read as eq. 10: no gain, larger.
- out of bounds: the text repeats the mutation until it is inside; Algorithm 2 draws again around
  the bound that was crossed, with sigma'_j but not sigma''. Read as Algorithm 2, both loops
  repeated until x'_j is inside.
- mutation rate 0.8: Algorithm 2 mutates every coordinate, so the rate is that of a child.
- arithmetic recombination: neither form nor weight is printed. Whole arithmetic recombination
  with weight 0.6 (the released code's weight), of step sizes as well.
- "elitist survivor selection": the best one stays, p - 1 children replace the others, as in the
  released code.
- sigma_j at the start and epsilon_0 are not printed: 0.1 and 0.001 of the range, as released.

Profile "released" does what the authors' published code does: mutation rate per gene; every
normal draw has standard deviation 0.5; the common factor is drawn per gene; the first mutation
of a gene leaves its step size alone; out of range, a gene is drawn from N(bound, 0.5); of 9
children, 2 ceil(ceil(0.1 * 9) / 2) come from simple arithmetic recombination (from a random gene
on) of tournament winners and the others are copies of winners; there is no gain-aware factor. It
evaluates the transferred solutions once more without counting them; here they are not.

Profile "default" mutates one gene of a child on average, updates sigma'' once per generation
and keeps it bounded (the literal rule ends above 1e10), and breeds part of the generations by
covariance adaptation, screened by a Gaussian process (see `valley`): the one for rugged
landscapes, the other for smooth valleys. Which breeds next is decided by what each gained per
evaluation lately. Where candidates are compared by features, as in BEA, mutants evolve on a model
of them before they are evaluated (see `modelled`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.inputs import COMPARE, ModelInputs, compared
from bea_ros.optimizers.modelled import ModelledMutants
from bea_ros.optimizers.operator_choice import OperatorChoice
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.screening import Archive
from bea_ros.optimizers.valley import Valley
from bea_ros.optimizers.variation import (
    GainAwareStep,
    Individual,
    ReleasedMutation,
    SelfAdaptiveMutation,
    best_of,
)

Array = NDArray[np.float64]

GAIN_WINDOW = 10  # evaluations: k + 10 = i
LITERAL_BOUND = 1e100  # keeps the literal sigma'' a number in runs of any length
BOUND = 10.0  # on sigma'' and its inverse in profile "default"

EVOLUTIONARY_OPTIONS = {
    "population": Option("population size p", 10, 10, 10, low=2, high=1000, integer=True),
    "mutation_rate": Option(
        "probability of mutation; of genes at '1/d' at least one mutates",
        "1/d",
        0.8,
        0.8,
        low=0.0,
        high=1.0,
        choices=("1/d",),
    ),
    "mutation_per": Option(
        "what the mutation rate is of", "gene", "child", "gene", choices=("child", "gene")
    ),
    "crossover_rate": Option(
        "probability of recombining two parents", 0.7, 0.7, 0.7, low=0.0, high=1.0
    ),
    "recombination_weight": Option(
        "weight of one parent in the child", 0.6, 0.6, 0.6, low=0.0, high=1.0
    ),
    "tournament": Option("tournament size", 2, 2, 2, low=1, high=100, integer=True),
    "step_size": Option("sigma_j at the start", 0.3, 0.1, 0.1, low=1e-9, high=10.0),
    "smallest_step": Option("epsilon_0", 0.001, 0.001, 0.001, low=0.0, high=1.0),
    "gain_aware": Option(
        "multiply steps by sigma'' (eq. 9)", False, False, False, choices=(True, False)
    ),
    "alpha": Option(
        "growth of sigma'' without gain (eq. 10)", 1.03, 1.03, 1.03, low=1.0, high=10.0
    ),
    "beta": Option(
        "shrinkage of sigma'' with gain (eq. 10)", 0.99, 0.99, 0.99, low=0.01, high=1.0
    ),
    "covariance": Option(
        "breed part of the generations by covariance adaptation",
        True,
        False,
        False,
        choices=(True, False),
    ),
    "compare": replace(COMPARE, default="parameters"),
    "covariance_step": Option(
        "sigma of covariance adaptation at the start", 0.2, 0.2, 0.2, low=1e-6, high=1.0
    ),
}


class EvolutionaryAlgorithm(Optimizer):
    """Self-adaptive Gaussian mutation, arithmetic recombination, tournaments, elitism.

    Asked one child at a time: a generation ends with its last child.
    """

    name: ClassVar[str] = "ea"
    OPTIONS = EVOLUTIONARY_OPTIONS

    def _prepare(self) -> None:
        options = self._options
        self._size = options["population"]
        if self._budget < self._size:
            raise ValueError(f"{self._budget} evaluations are fewer than population={self._size}")
        if len(self._first) > self._size:
            raise ValueError(
                f"start has {len(self._first)} candidates, more than population={self._size}"
            )
        check_covariance(options, self._profile)
        self._literal = self._profile != "default"
        self._gain = GainAwareStep(
            options["alpha"],
            options["beta"],
            GAIN_WINDOW if self._literal else 1,
            LITERAL_BOUND if self._literal else BOUND,
        )
        released = self._profile == "released"
        self._mutation = (ReleasedMutation if released else SelfAdaptiveMutation)(
            options, self._rng
        )
        self._parents: list[Individual] = []
        self._unborn: list[Individual] = []
        self._generation: list[Individual] = []
        self._valley: Valley | None = None
        self._inputs = ModelInputs(self._dimension, compared(self._features, options))
        self._archive = Archive(self._inputs)
        self._modelled = ModelledMutants(self._dimension, self._inputs, self._rng)
        self._choice = OperatorChoice(modelled=self._inputs.features > 0)
        self._best_before = -math.inf

    def start_from(
        self, evaluated: Sequence[Record], bests: Sequence[float], known: Sequence[Record]
    ) -> None:
        """Begin with evaluated solutions as parents.

        Args:
            evaluated: the first population.
            bests: best fitness so far f' after each evaluation made before.
            known: every evaluation made before, for the screening of offspring.
        """
        self._archive = Archive(self._inputs, known)
        step = self._options["step_size"]
        self._parents = [Individual.new(record.x, step, record.fitness) for record in evaluated]
        self._best_before = bests[-1]
        for best in bests[-GAIN_WINDOW:] if self._literal else bests[-1:]:
            self._gain.update(best)
        self._begin_valley()

    @property
    def stage(self) -> str:
        return "evolutionary" if self._parents else "initial"

    @property
    def step_size_factor(self) -> float:
        return self._gain.factor if self._options["gain_aware"] else 1.0

    def _propose(self) -> Array:
        if not self._parents:
            x = self._rng.random(self._dimension)
            born = len(self._generation)
            x = self._first[born] if born < len(self._first) else x
            self._child = Individual.new(x, self._options["step_size"])
            return x
        if not self._unborn:
            self._breed()
        self._child = self._unborn.pop()
        if not (self._by_covariance or self._inputs.features):
            self._child = self._mutation.mutate(self._child, self.step_size_factor)
        return self._child.x

    def _breed(self) -> None:
        self._by_covariance = self._valley is not None and self._choice.covariance_next()
        if self._by_covariance:
            assert self._valley is not None
            step = self._options["step_size"]
            points = self._valley.sample(self._elite(), self._archive)
            self._unborn = [Individual.new(x, step) for x in points[::-1]]
        elif self._inputs.features:
            self._unborn = self._modelled_mutants()[::-1]
        else:
            self._unborn = self._mutation.breed(self._parents, self._size - 1)[::-1]
        self._due = len(self._unborn)

    def _modelled_mutants(self) -> list[Individual]:
        born = self._mutation.breed(self._parents, self._size - 1)
        mutants = [self._mutation.mutate(child, self.step_size_factor) for child in born]
        x = np.array([mutant.x for mutant in mutants])
        step = self._options["step_size"]
        return [Individual.new(x, step) for x in self._modelled.generation(x, self._archive)]

    def _learn(self, record: Record) -> None:
        self._child.x, self._child.fitness = record.x, record.fitness
        self._archive.add(record)
        self._generation.append(self._child)
        if self._literal:
            self._gain.update(self._best_fitness())
        if not self._parents:
            if len(self._generation) == self._size:
                self._parents, self._generation = self._generation, []
                self._begin_valley()
        elif len(self._generation) == self._due:
            self._select()

    def _select(self) -> None:
        """Choose the survivors of a generation."""
        elite, children = self._elite(), self._generation
        self._generation = []
        gain = max(0.0, best_of(children).fitness - elite.fitness)
        if self._literal:
            self._parents = [elite, *children]
            return
        self._gain.update(max(self._best_before, elite.fitness, best_of(children).fitness))
        self._choice.credit(self._by_covariance, gain / len(children))
        if self._by_covariance:
            assert self._valley is not None
            self._valley.update(children, gain)
            children = [best_of(children)]  # the others would crowd out diversity
        everyone = sorted(self._parents + children, key=lambda one: -one.fitness)
        self._parents = everyone[: self._size]

    def _elite(self) -> Individual:
        return best_of(self._parents)

    def _best_fitness(self) -> float:
        known = [*self._parents, *self._generation]
        return max(self._best_before, best_of(known).fitness)

    def _begin_valley(self) -> None:
        if self._options["covariance"] and self._dimension > 1:
            step = self._options["covariance_step"]
            self._valley = Valley(self._elite(), step, max(self._size, 4), self._rng)


def check_covariance(options: Mapping[str, Any], profile: str) -> None:
    """Raise ValueError for covariance adaptation where the generations are the paper's."""
    if options["covariance"] and profile != "default":
        raise ValueError(f"option covariance=True is for profile 'default', not {profile!r}")
