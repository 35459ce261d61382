# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the authors' published code does otherwise than the paper (profile "released").

- BO: the mean of the data, a small signal variance, some noise, gamma above 1; t counts the
  iterations of BO, not all evaluations.
- EA: mutation rate per gene; every normal draw has standard deviation 0.5; the common factor is
  drawn per gene; the first mutation of a gene leaves its step size alone; out of range, a gene is
  drawn from N(bound, 0.5); of 9 children, 2 ceil(ceil(c * 9) / 2), c the crossover rate, come from
  simple arithmetic recombination (from a random gene on) of tournament winners and the others are
  copies of winners.
- BEA: N_s = 250, S4 from the top 40 %, no gain-aware factor. It evaluates the transferred
  solutions once more without counting them; here they are not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper import bayesian, bea, evolutionary
from bea_ros.optimizers.paper.mutation import (
    Individual,
    SelfAdaptiveMutation,
    drawn_inside,
    learning_rates,
)

DEVIATION = 0.5  # of normal draws
BAYESIAN = {"mean": "data", "signal_variance": 0.01, "noise": 1e-4, "gamma": 5.0}
EVOLUTIONARY = {"mutation_per": "gene"}
STAGES = {"switch": 250, "transfer_top": 40.0, "gain_aware": False}


class ReleasedBayesianOptimizer(bayesian.BayesianOptimizer):
    """BO as released."""

    profile: ClassVar[str] = "released"
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(bayesian.BAYESIAN_OPTIONS, **BAYESIAN)

    @property
    def _t(self) -> int:
        return len(self._records) - self._initial


class ReleasedMutation(SelfAdaptiveMutation):
    """Recombination and mutation as released (BEA, galgo/Evolution.hpp and Population.hpp)."""

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
        n, rng = len(child.x), self._rng
        genes = self._mutated_genes(n)
        tau_common, tau = learning_rates(n)
        draw = DEVIATION * rng.standard_normal((3, n))
        change = np.where(child.adapted, np.exp(tau_common * draw[0] + tau * draw[1]), 1.0)
        step = np.maximum(child.step * change, self._options["smallest_step"])
        x = drawn_inside(child.x + step * draw[2] * factor, np.full(n, DEVIATION), rng)
        return Individual(
            np.where(genes, x, child.x),
            np.where(genes, step, child.step),
            child.adapted | genes,
        )


class ReleasedEvolutionaryAlgorithm(evolutionary.EvolutionaryAlgorithm):
    """The EA as released."""

    profile: ClassVar[str] = "released"
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(
        evolutionary.EVOLUTIONARY_OPTIONS, **EVOLUTIONARY
    )
    MUTATION: ClassVar[type[SelfAdaptiveMutation]] = ReleasedMutation


class ReleasedBea(bea.BayesianEvolutionaryAlgorithm):
    """BEA as released."""

    profile: ClassVar[str] = "released"
    BO: ClassVar[type[bayesian.BayesianOptimizer]] = ReleasedBayesianOptimizer
    EA: ClassVar[type[evolutionary.EvolutionaryAlgorithm]] = ReleasedEvolutionaryAlgorithm
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(
        bea.BayesianEvolutionaryAlgorithm.OPTIONS, **BAYESIAN, **EVOLUTIONARY, **STAGES
    )
