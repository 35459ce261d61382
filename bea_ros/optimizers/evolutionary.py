# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm of the paper, with and without gain-aware step sizes (eq. 6-8, Algorithm 2).

Where the paper contradicts itself or is silent, profile "paper" reads it so:

- tau and tau': the text has tau' = 1/sqrt(2n) for the common draw and tau = 1/sqrt(2 sqrt(n)) for
  each coordinate's; Algorithm 2 swaps them. Read as the text (and Eiben and Smith, 2015).
- sigma'' carries the iteration i in the text, the coordinate j in Algorithm 2. Read as i: one
  number, updated once per evaluation.
- "smaller step size ... when algorithm has no gains ... and larger ... when the algorithm has no
  gains" (section IV-B). Read as eq. 8: no gain, larger.
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
of a gene leaves its step size alone; out of range, the gene is drawn from N(bound, 0.5); children are
2 * ceil(ceil(0.1 * 9) / 2) of simple arithmetic recombination (from a random gene on) of random
tournament winners, the others copies of winners; no gain-aware factor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option

Array = NDArray[np.float64]

GAIN_WINDOW = 10  # evaluations: k + 10 = i
LARGEST_FACTOR = 1e100  # keeps sigma'' a number in runs of any length

EVOLUTIONARY_OPTIONS = {
    "population": Option("population size p", 10, 10, 10, low=2, high=1000, integer=True),
    "mutation_rate": Option("probability of mutating a child", 0.8, 0.8, 0.8, low=0.0, high=1.0),
    "mutation_per": Option(
        "what the mutation rate is of", "child", "child", "gene", choices=("child", "gene")
    ),
    "crossover_rate": Option(
        "probability of recombining two parents", 0.7, 0.7, 0.7, low=0.0, high=1.0
    ),
    "recombination_weight": Option(
        "weight of one parent in the child", 0.6, 0.6, 0.6, low=0.0, high=1.0
    ),
    "tournament": Option("tournament size", 2, 2, 2, low=1, high=100, integer=True),
    "step_size": Option("sigma_j at the start", 0.1, 0.1, 0.1, low=1e-9, high=10.0),
    "smallest_step": Option("epsilon_0", 0.001, 0.001, 0.001, low=0.0, high=1.0),
    "gain_aware": Option(
        "multiply steps by sigma'' (eq. 7)", False, False, False, choices=(True, False)
    ),
    "alpha": Option(
        "growth of sigma'' without gain (eq. 8)", 1.03, 1.03, 1.03, low=1.0, high=10.0
    ),
    "beta": Option("shrinkage of sigma'' with gain (eq. 8)", 0.99, 0.99, 0.99, low=0.01, high=1.0),
}


@dataclass
class Individual:
    """A solution, its step sizes sigma_j, which of them were adapted before, and its fitness."""

    x: Array
    step: Array
    adapted: NDArray[np.bool_]
    fitness: float = -math.inf


class GainAwareStep:
    """The factor sigma'' (eq. 8)."""

    def __init__(self, alpha: float, beta: float) -> None:
        self._alpha, self._beta = alpha, beta
        self._best: list[float] = []  # f' of the last 11 evaluations
        self.factor = 1.0  # sigma''_0 = 1

    def update(self, best: float) -> None:
        """Take in f'_i; from the eleventh on, compare with f'_(i-10)."""
        self._best.append(best)
        if len(self._best) > GAIN_WINDOW:
            no_gain = self._best[-1] == self._best.pop(0)
            self.factor *= self._alpha if no_gain else self._beta
            self.factor = min(self.factor, LARGEST_FACTOR)


class EvolutionaryAlgorithm(Optimizer):
    """Self-adaptive Gaussian mutation, arithmetic recombination, tournaments, one elite.

    Asked one child at a time: a generation ends with its last child.
    """

    name: ClassVar[str] = "ea"
    OPTIONS = EVOLUTIONARY_OPTIONS

    def _prepare(self) -> None:
        self._parents: list[Individual] = []
        self._children: list[Individual] = []
        self._generation: list[Individual] = []
        self._gain = GainAwareStep(self._options["alpha"], self._options["beta"])
        self._size = int(self._options["population"])
        if self._budget < self._size:
            raise ValueError(f"budget={self._budget} is below population={self._size}")

    def start_from(self, evaluated: Sequence[Record], best: Sequence[float] = ()) -> None:
        """Begin with these evaluated solutions as parents, and f' of the evaluations before."""
        self._parents = [self._individual(record.x, record.fitness) for record in evaluated]
        for value in best[-GAIN_WINDOW:]:
            self._gain.update(value)

    @property
    def stage(self) -> str:
        return "evolutionary" if self._parents else "initial"

    @property
    def step_size_factor(self) -> float:
        return self._gain.factor if self._options["gain_aware"] else 1.0

    def _propose(self) -> Array:
        if not self._parents:
            self._child = self._individual(self._rng.random(self._dimension))
        else:
            if not self._children:
                self._children = self._breed()
            self._child = self._mutate(self._children.pop(0))
        return self._child.x

    def _learn(self, record: Record) -> None:
        assert self._best is not None
        self._child.x, self._child.fitness = record.x, record.fitness
        self._generation.append(self._child)
        self._gain.update(max(self._records[self._best].fitness, self._elite_fitness()))
        if len(self._generation) == (self._size - 1 if self._parents else self._size):
            elite = [max(self._parents, key=lambda one: one.fitness)] if self._parents else []
            self._parents, self._generation = elite + self._generation, []

    def _elite_fitness(self) -> float:
        return max((one.fitness for one in self._parents), default=-math.inf)

    def _individual(self, x: Array, fitness: float = -math.inf) -> Individual:
        step = np.full(self._dimension, self._options["step_size"])
        return Individual(x.copy(), step, np.zeros(self._dimension, dtype=bool), fitness)

    # -- reproduction ---------------------------------------------------------------------

    def _tournament(self) -> Individual:
        drawn = self._rng.integers(len(self._parents), size=int(self._options["tournament"]))
        return max((self._parents[i] for i in drawn), key=lambda one: one.fitness)

    def _breed(self) -> list[Individual]:
        """Return the p - 1 children of a generation, not mutated yet."""
        if self._profile == "released":
            return self._breed_as_released()
        children = []
        for _ in range(self._size - 1):
            child = self._tournament()
            if self._rng.random() < self._options["crossover_rate"]:
                child = self._recombine(child, self._tournament(), first=0)
            children.append(child)
        return children

    def _breed_as_released(self) -> list[Individual]:
        winners = [self._tournament() for _ in range(self._size)]
        pairs = math.ceil(math.ceil(self._options["crossover_rate"] * (self._size - 1)) / 2)
        children = []
        for _ in range(pairs):
            a, b = self._rng.choice(self._size, size=2, replace=False)
            first = int(self._rng.integers(self._dimension))
            children.append(self._recombine(winners[b], winners[a], first))
            children.append(self._recombine(winners[a], winners[b], first))
        children += [winners[self._rng.integers(self._size)] for _ in range(self._size)]
        return children[: self._size - 1]

    def _recombine(self, a: Individual, b: Individual, first: int) -> Individual:
        """Arithmetic recombination from a gene on: w a + (1 - w) b; b before it. Step sizes: all of them."""
        weight = self._options["recombination_weight"]
        x = b.x.copy()
        x[first:] = weight * a.x[first:] + (1.0 - weight) * b.x[first:]
        return Individual(x, weight * a.step + (1.0 - weight) * b.step, a.adapted | b.adapted)

    # -- mutation -------------------------------------------------------------------------

    def _mutate(self, parent: Individual) -> Individual:
        child = Individual(parent.x.copy(), parent.step.copy(), parent.adapted.copy())
        if self._profile == "released":
            return self._mutate_as_released(child)
        if self._options["mutation_per"] == "child":
            genes = np.full(self._dimension, self._rng.random() < self._options["mutation_rate"])
        else:
            genes = self._rng.random(self._dimension) < self._options["mutation_rate"]
        step = mutated_step(child.step, self._rng, self._options["smallest_step"])
        x = (
            child.x + step * self._rng.standard_normal(self._dimension) * self.step_size_factor
        )  # eq. 7
        x = drawn_inside(x, step, self._rng)
        child.x, child.step = np.where(genes, x, child.x), np.where(genes, step, child.step)
        return child

    def _mutate_as_released(self, child: Individual) -> Individual:
        d, rng = self._dimension, self._rng
        genes = rng.random(d) < self._options["mutation_rate"]
        tau_common, tau = 1.0 / math.sqrt(2.0 * d), 1.0 / math.sqrt(2.0 * math.sqrt(d))
        draw = 0.5 * rng.standard_normal((3, d))
        factor = np.where(child.adapted, np.exp(tau_common * draw[0] + tau * draw[1]), 1.0)
        step = np.maximum(child.step * factor, self._options["smallest_step"])
        x = drawn_inside(child.x + step * draw[2], np.full(d, 0.5), rng)
        child.x, child.step = np.where(genes, x, child.x), np.where(genes, step, child.step)
        child.adapted |= genes
        return child


def mutated_step(step: Array, rng: np.random.Generator, smallest: float) -> Array:
    """Self-adapt step sizes: sigma'_j = sigma_j exp(tau' N(0,1) + tau N_j(0,1)), at least epsilon_0 (eq. 5)."""
    n = len(step)
    tau_common = 1.0 / math.sqrt(2.0 * n)
    tau = 1.0 / math.sqrt(2.0 * math.sqrt(n))
    exponent = tau_common * rng.standard_normal() + tau * rng.standard_normal(n)
    return np.maximum(step * np.exp(exponent), smallest)


def drawn_inside(x: Array, step: Array, rng: np.random.Generator) -> Array:
    """Draw coordinates out of [0, 1] again from N(bound crossed, step) until inside (Algorithm 2).

    A step size far above the range would make that endless: after 100 draws, uniform ones do.
    """
    x = x.copy()
    for _ in range(100):
        low, high = x < 0.0, x > 1.0
        out = low | high
        if not out.any():
            return x
        x[out] = np.where(low[out], 0.0, 1.0) + step[out] * rng.standard_normal(int(out.sum()))
    out = (x < 0.0) | (x > 1.0)
    x[out] = rng.random(int(out.sum()))
    return x
