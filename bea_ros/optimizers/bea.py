# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The Bayesian-Evolutionary Algorithm: BO while it pays, a transfer, then a gain-aware EA (Algorithm 1).

Algorithm 1 runs BO while i < N_s, which makes N_s - 1 evaluations of it; the text speaks of
switching after N_s. Read as the text: the first N_s evaluations, initial samples included, are
BO's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.bayesian import BAYESIAN_OPTIONS, INITIAL_OPTIONS, BayesianOptimizer
from bea_ros.optimizers.evolutionary import EVOLUTIONARY_OPTIONS, EvolutionaryAlgorithm
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.transfer import STRATEGIES, select

BEA_OPTIONS = {
    "switch": Option(
        "evaluations after which the EA takes over, or 'gain': when it promises more gain per second",
        300,
        300,
        250,
        low=1,
        integer=True,
        choices=("gain",),
    ),
    "transfer": Option("what the EA starts from", "S4", "S4", "S4", choices=STRATEGIES),
    "transfer_top": Option("d of S4, in percent", 50.0, 50.0, 40.0, low=1.0, high=100.0),
}
IN_BEA = {
    "crossover_rate": replace(
        EVOLUTIONARY_OPTIONS["crossover_rate"], default=0.1, paper=0.1, released=0.1
    ),
    "gain_aware": replace(
        EVOLUTIONARY_OPTIONS["gain_aware"], default=True, paper=True, released=False
    ),
    "covariance_step": replace(EVOLUTIONARY_OPTIONS["covariance_step"], default=0.008),
}


class BayesianEvolutionaryAlgorithm(Optimizer):
    """BEA (Algorithm 1)."""

    name: ClassVar[str] = "bea"
    OPTIONS = BEA_OPTIONS | INITIAL_OPTIONS | BAYESIAN_OPTIONS | EVOLUTIONARY_OPTIONS | IN_BEA

    def _prepare(self) -> None:
        options = self._options
        if self._budget < options["initial_samples"]:
            raise ValueError(
                f"budget={self._budget} is below initial_samples={options['initial_samples']}"
            )
        seeds = np.random.SeedSequence(self._seed).generate_state(3)
        self._bo = BayesianOptimizer(
            self._dimension,
            seed=int(seeds[0]),
            budget=self._budget,
            profile=self._profile,
            **{name: options[name] for name in BayesianOptimizer.OPTIONS},
        )
        self._ea: EvolutionaryAlgorithm | None = None
        self._ea_seed, self._transfer_seed = int(seeds[1]), int(seeds[2])
        self._switch = 300 if options["switch"] == "gain" else int(options["switch"])

    @property
    def stage(self) -> str:
        return self._bo.stage if self._ea is None else "evolutionary"

    @property
    def step_size_factor(self) -> float:
        return 1.0 if self._ea is None else self._ea.step_size_factor

    def _propose(self) -> NDArray[np.float64]:
        return (self._bo if self._ea is None else self._ea).ask()

    def _learn(self, record: Record) -> None:
        active = self._bo if self._ea is None else self._ea
        active.absorb(record)
        if self._ea is None and len(self._records) >= self._switch:
            self._ea = self._transfer()

    def _transfer(self) -> EvolutionaryAlgorithm:
        options = self._options
        ea = EvolutionaryAlgorithm(
            self._dimension,
            seed=self._ea_seed,
            budget=max(self._budget, options["population"]),
            profile=self._profile,
            **{name: options[name] for name in EvolutionaryAlgorithm.OPTIONS},
        )
        fitness = np.array([r.fitness for r in self._records])
        x = np.array([r.x for r in self._records])
        chosen = select(
            options["transfer"],
            x,
            fitness,
            min(options["population"], len(x)),
            top=options["transfer_top"],
            seed=self._transfer_seed,
        )
        ea.start_from([self._records[i] for i in chosen], np.maximum.accumulate(fitness).tolist())
        return ea
