# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The differences of the authors' published code from the paper (profile "released").

Repository langongjin/BEA, BEA_EA_BO, commit b2e2cf2; files are below that folder.

BO (main.cpp, limbo/bayes_opt/boptimizer.hpp):

- the prior mean is that of the data, the signal variance 0.01, the noise 1e-6: on raw values of a
  function the model hardly explores;
- gamma is 5, and t counts the iterations of BO from 0, not all evaluations. For t = 0 and t = 1,
  tau_t is negative (pi^2 / 15 < 1), and GP-UCB is not a number. DIRECT then returns the random
  point that Limbo passes as its start (so the first two lines of individuals.txt; all others lie
  on DIRECT's grid);
- 10 initial samples and 240 iterations: N_s = 250.

The transfer (galgo/Population.hpp, creation):

- from BO's iterations alone, without the initial samples; S4 from the top 40 %;
- k-means is OpenCV's, the best of three attempts. Each ends after 10 iterations, or once no centre
  moves by more than 1, which in a unit cube is at once;
- no gain-aware factor in any commit.

EA (galgo/Evolution.hpp, Population.hpp):

- mutation rate per gene; every normal draw has standard deviation 0.5; the common factor is drawn
  per gene; the first mutation of a gene leaves its step size alone; out of range, a gene is drawn
  from N(bound, 0.5);
- of 9 children, 2 ceil(ceil(c * 9) / 2), c the crossover rate, come from simple arithmetic
  recombination (from a random gene on) of tournament winners and the others are copies of winners;
- a generation is 10 evaluations: the elite is evaluated again, last (value.txt, whose every tenth
  value repeats).

Left out: individuals are written to individuals1.txt and read from individuals.txt, so that the
published run's EA began with another run's BO. Solutions are rounded to 32 bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper import bayesian, bea, evolutionary
from bea_ros.optimizers.paper.acquisition import log_tau
from bea_ros.optimizers.paper.mutation import (
    Individual,
    SelfAdaptiveMutation,
    best_of,
    drawn_inside,
    learning_rates,
)
from bea_ros.optimizers.transfer import Clustering

DEVIATION = 0.5  # of normal draws
BAYESIAN = {"mean": "data", "signal_variance": 0.01, "noise": 1e-4, "gamma": 5.0}
EVOLUTIONARY = {"mutation_per": "gene"}
STAGES = {"switch": 250, "transfer_top": 40.0, "gain_aware": False}

Array = NDArray[np.float64]


class ReleasedBayesianOptimizer(bayesian.BayesianOptimizer):
    """BO as released."""

    profile: ClassVar[str] = "released"
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(bayesian.BAYESIAN_OPTIONS, **BAYESIAN)

    @property
    def _t(self) -> int:
        return len(self._records) - self._initial

    def _maximise_ucb(self, best: Array) -> Array:
        if log_tau(self._t, self._dimension, self._options["gamma"]) < 0.0:
            return self._rng.random(self._dimension)
        return super()._maximise_ucb(best)


class ReleasedMutation(SelfAdaptiveMutation):
    """Recombination and mutation as released."""

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
        evolutionary.PUBLISHED_OPTIONS, **EVOLUTIONARY
    )
    MUTATION: ClassVar[type[SelfAdaptiveMutation]] = ReleasedMutation

    @property
    def _births(self) -> int:
        return self._size

    def _next_child(self) -> Individual:
        if len(self._generation) < self._size - 1:
            return super()._next_child()
        elite = best_of(self._parents)
        return Individual(elite.x.copy(), elite.step.copy(), elite.adapted.copy())

    def _survivors(self) -> list[Individual]:
        return self._generation


class ReleasedBea(bea.BayesianEvolutionaryAlgorithm):
    """BEA as released."""

    profile: ClassVar[str] = "released"
    BO: ClassVar[type[bayesian.BayesianOptimizer]] = ReleasedBayesianOptimizer
    EA: ClassVar[type[evolutionary.EvolutionaryAlgorithm]] = ReleasedEvolutionaryAlgorithm
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(
        bea.BayesianEvolutionaryAlgorithm.OPTIONS, **BAYESIAN, **EVOLUTIONARY, **STAGES
    )

    def _transferable(self, least: int) -> list[Record]:
        iterations = [record for record in self._records if record.stage == "bayesian"]
        return iterations if len(iterations) >= least else self._records

    def _clustering(self) -> Clustering:
        return opencvs_k_means


def opencvs_k_means(points: Array, clusters: int, seed: int) -> NDArray[np.int32]:
    """Return labels (n,) of points (n, d), by k-means as in OpenCV."""
    import cv2

    cv2.setRNGSeed(seed & 0x7FFFFFFF)
    ends = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 10, 1.0)
    labels = np.zeros((len(points), 1), dtype=np.int32)
    cv2.kmeans(points.astype(np.float32), clusters, labels, ends, 3, cv2.KMEANS_PP_CENTERS)
    return labels[:, 0]
