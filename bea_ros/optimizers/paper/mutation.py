# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How children come from parents (paper, eq. 7 to 10 and Algorithm 2).

Where the paper contradicts itself or is silent:

- tau and tau': the text has tau' = 1/sqrt(2n) for the common draw and tau = 1/sqrt(2 sqrt(n)) for
  each coordinate's; Algorithm 2 swaps them. Read as the text (and Eiben and Smith, 2015).
- sigma'' carries the iteration i in the text, the coordinate j in Algorithm 2. Read as i: one
  number, updated once per evaluation (or, as option alpha_per, per generation).
- sigma''_i needs f'_i, but makes the candidate of iteration i. Read as made of the evaluations
  before: the update by f'_i serves the next child. In BEA sigma''_0 = 1 where the EA begins, and
  f'_k may be of BO.
- "smaller step size ... when algorithm has no gains ... and larger ... when the algorithm has no
  gains" (section V-B). Read as eq. 10: no gain, larger.
- out of bounds: the text repeats the mutation until it is inside; Algorithm 2 draws again around
  the bound that was crossed, with sigma'_j but not sigma''. Read as Algorithm 2, both loops
  repeated until x'_j is inside. L_j = 0 and U_j = 1 here.
- mutation rate 0.8: Algorithm 2 mutates every coordinate, so the rate is that of a child.
- arithmetic recombination: neither form nor weight is printed. Whole arithmetic recombination
  with weight 0.6 (the released code's weight), of step sizes as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GAIN_WINDOW = 10  # evaluations: k + 10 = i (section III)
LARGEST = 1e100  # keeps sigma'' as printed a number in runs of any length
DRAWS_INSIDE = 100  # attempts at drawing a coordinate inside its bounds


@dataclass
class Individual:
    """A solution x, its step sizes sigma_j, which were adapted before, and its fitness."""

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


def learning_rates(n: int) -> tuple[float, float]:
    """Return tau' = 1/sqrt(2n) of the common draw and tau = 1/sqrt(2 sqrt(n)) of each gene's."""
    return 1.0 / math.sqrt(2.0 * n), 1.0 / math.sqrt(2.0 * math.sqrt(n))


def mutated_step(sigma: Array, rng: np.random.Generator, epsilon_0: float) -> Array:
    """sigma'_j = sigma_j exp(tau' N(0,1) + tau N_j(0,1)), at least epsilon_0 (eq. 7)."""
    tau_common, tau = learning_rates(len(sigma))
    exponent = tau_common * rng.standard_normal() + tau * rng.standard_normal(len(sigma))
    return np.maximum(sigma * np.exp(exponent), epsilon_0)


def drawn_inside(x: Array, sigma: Array, rng: np.random.Generator) -> Array:
    """Draw x'_j out of [L_j, U_j] from N(L_j or U_j, sigma'_j) until inside (Algorithm 2).

    If the step size is far above the range, uniform draws end the loop.
    """
    for _ in range(DRAWS_INSIDE):
        low, high = x < 0.0, x > 1.0
        out = low | high
        if not out.any():
            return x
        bound = np.where(low, 0.0, 1.0)
        x = np.where(out, bound + sigma * rng.standard_normal(len(x)), x)
    return np.where((x < 0.0) | (x > 1.0), rng.random(len(x)), x)


class SelfAdaptiveMutation:
    """Tournaments, whole arithmetic recombination, and the mutation of Algorithm 2.

    Args:
        options: all options of the EA.
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
        """x'_j = x_j + sigma'_j N_j(0,1) sigma'' (eq. 9); eq. 8 where the factor sigma'' is 1."""
        n, rng = len(child.x), self._rng
        genes = self._mutated_genes(n)
        sigma = mutated_step(child.step, rng, self._options["smallest_step"])
        x = child.x + sigma * rng.standard_normal(n) * factor
        x = np.where(genes, drawn_inside(x, sigma, rng), child.x)
        return Individual(x, np.where(genes, sigma, child.step), child.adapted | genes)

    def _mutated_genes(self, n: int) -> NDArray[np.bool_]:
        rate = self._options["mutation_rate"]
        if self._options["mutation_per"] == "child":
            return np.full(n, self._rng.random() < rate)
        return self._rng.random(n) < rate

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


class GainAwareStep:
    """The factor sigma'' (eq. 10), from the best fitness so far f'.

    Args:
        alpha: growth without gain.
        beta: shrinkage with gain.
        window: updates between k and i.
        largest: upper bound of sigma''; the lower bound is its inverse.
    """

    def __init__(
        self, alpha: float, beta: float, window: int = GAIN_WINDOW, largest: float = LARGEST
    ) -> None:
        self._alpha, self._beta = alpha, beta
        self.window, self._largest = window, largest
        self._bests: list[float] = []
        self.factor = 1.0  # sigma''_0 = 1

    def update(self, best: float) -> None:
        """Add f'_i, and adapt sigma'' once there is an f'_k to compare with."""
        self._bests.append(best)
        if len(self._bests) > self.window:
            no_gain = self._bests[-1] == self._bests.pop(0)  # delta_(k,i) = f'_i - f'_k = 0
            factor = self.factor * (self._alpha if no_gain else self._beta)
            self.factor = min(max(factor, 1.0 / self._largest), self._largest)
