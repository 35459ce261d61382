# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How children come from parents: the paper's operators, and those of its released code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DRAWS_INSIDE = 100  # attempts at drawing a coordinate inside its bounds


@dataclass
class Individual:
    """A solution, its step sizes sigma_j, which of them were adapted before, and its fitness."""

    x: Array
    step: Array
    adapted: NDArray[np.bool_]
    fitness: float = -math.inf

    @classmethod
    def new(cls, x: Array, step: float, fitness: float = -math.inf) -> Individual:
        """Return an individual with equal step sizes."""
        return cls(x.copy(), np.full(len(x), step), np.zeros(len(x), dtype=bool), fitness)


def best_of(individuals: Sequence[Individual]) -> Individual:
    """Return the fittest; the first of equals."""
    return max(individuals, key=lambda one: one.fitness)


class SelfAdaptiveMutation:
    """Tournaments, whole arithmetic recombination and self-adaptive Gaussian mutation.

    Args:
        options: EVOLUTIONARY_OPTIONS as resolved.
        rng: every draw comes from it.
    """

    def __init__(self, options: Mapping[str, Any], rng: np.random.Generator) -> None:
        self._options = options
        self._rng = rng

    def breed(self, parents: Sequence[Individual], count: int) -> list[Individual]:
        """Return children, selected and recombined but not mutated yet."""
        children = []
        for _ in range(count):
            child = self._tournament(parents)
            if self._rng.random() < self._options["crossover_rate"]:
                child = self._recombine(child, self._tournament(parents))
            children.append(child)
        return children

    def mutate(self, child: Individual, factor: float) -> Individual:
        """Return the child mutated, steps multiplied by the factor sigma'' (eq. 9)."""
        d, rng = len(child.x), self._rng
        genes = self._mutated_genes(d)
        step = mutated_step(child.step, rng, self._options["smallest_step"])
        x = child.x + step * rng.standard_normal(d) * factor
        x = np.where(genes, drawn_inside(x, step, rng), child.x)
        return Individual(x, np.where(genes, step, child.step), child.adapted | genes)

    def _mutated_genes(self, d: int) -> NDArray[np.bool_]:
        rate = self._options["mutation_rate"]
        if self._options["mutation_per"] == "child":
            return np.full(d, self._rng.random() < (1.0 / d if rate == "1/d" else rate))
        if rate != "1/d":
            return self._rng.random(d) < rate
        genes = self._rng.random(d) < 1.0 / d
        genes[self._rng.integers(d)] |= not genes.any()
        return genes

    def _tournament(self, parents: Sequence[Individual]) -> Individual:
        drawn = self._rng.integers(len(parents), size=self._options["tournament"])
        return best_of([parents[i] for i in drawn])

    def _recombine(self, a: Individual, b: Individual, first: int = 0) -> Individual:
        """Return w a + (1 - w) b from gene `first` on and b before it; all step sizes mixed."""
        weight = self._options["recombination_weight"]
        x = b.x.copy()
        x[first:] = weight * a.x[first:] + (1.0 - weight) * b.x[first:]
        step = weight * a.step + (1.0 - weight) * b.step
        return Individual(x, step, a.adapted | b.adapted)


class ReleasedMutation(SelfAdaptiveMutation):
    """What the authors' released code does (BEA, galgo/Evolution.hpp and Population.hpp)."""

    def breed(self, parents: Sequence[Individual], count: int) -> list[Individual]:
        winners = [self._tournament(parents) for _ in range(count + 1)]
        pairs = math.ceil(math.ceil(self._options["crossover_rate"] * count) / 2)
        children = []
        for _ in range(pairs):
            i, j = self._rng.choice(len(winners), size=2, replace=False)
            first = int(self._rng.integers(len(winners[i].x)))
            children.append(self._recombine(winners[j], winners[i], first))
            children.append(self._recombine(winners[i], winners[j], first))
        children += [winners[self._rng.integers(len(winners))] for _ in range(count)]
        return children[:count]

    def mutate(self, child: Individual, factor: float) -> Individual:
        d, rng = len(child.x), self._rng
        genes = self._mutated_genes(d)
        tau_common, tau = learning_rates(d)
        draw = 0.5 * rng.standard_normal((3, d))  # normal draws have standard deviation 0.5
        change = np.where(child.adapted, np.exp(tau_common * draw[0] + tau * draw[1]), 1.0)
        step = np.maximum(child.step * change, self._options["smallest_step"])
        x = drawn_inside(child.x + step * draw[2] * factor, np.full(d, 0.5), rng)
        return Individual(
            np.where(genes, x, child.x),
            np.where(genes, step, child.step),
            child.adapted | genes,
        )


def learning_rates(n: int) -> tuple[float, float]:
    """Return tau' = 1/sqrt(2n) of the common draw and tau = 1/sqrt(2 sqrt(n)) of each gene's."""
    return 1.0 / math.sqrt(2.0 * n), 1.0 / math.sqrt(2.0 * math.sqrt(n))


def mutated_step(step: Array, rng: np.random.Generator, smallest: float) -> Array:
    """Return sigma'_j = sigma_j exp(tau' N(0,1) + tau N_j(0,1)), at least epsilon_0 (eq. 7)."""
    tau_common, tau = learning_rates(len(step))
    exponent = tau_common * rng.standard_normal() + tau * rng.standard_normal(len(step))
    return np.maximum(step * np.exp(exponent), smallest)


def drawn_inside(x: Array, step: Array, rng: np.random.Generator) -> Array:
    """Draw coordinates out of [0, 1] from N(bound crossed, step) until inside (Algorithm 2).

    Step sizes far above the range would make that endless: uniform draws end it.
    """
    for _ in range(DRAWS_INSIDE):
        low, high = x < 0.0, x > 1.0
        out = low | high
        if not out.any():
            return x
        bound = np.where(low, 0.0, 1.0)
        x = np.where(out, bound + step * rng.standard_normal(len(x)), x)
    return np.where((x < 0.0) | (x > 1.0), rng.random(len(x)), x)


class GainAwareStep:
    """The factor sigma'' (eq. 10), from the best fitness so far f'.

    Args:
        alpha: growth without gain.
        beta: shrinkage with gain.
        window: updates between k and i.
        largest: bound on sigma'', and its inverse the lower one.
    """

    def __init__(self, alpha: float, beta: float, window: int, largest: float) -> None:
        self._alpha, self._beta = alpha, beta
        self._window, self._largest = window, largest
        self._bests: list[float] = []
        self.factor = 1.0  # sigma''_0 = 1

    def update(self, best: float) -> None:
        """Take in f'_i, and adapt once there is an f'_k to compare with."""
        self._bests.append(best)
        if len(self._bests) > self._window:
            no_gain = self._bests[-1] == self._bests.pop(0)
            factor = self.factor * (self._alpha if no_gain else self._beta)
            self.factor = min(max(factor, 1.0 / self._largest), self._largest)
