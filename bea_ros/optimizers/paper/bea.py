# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The Bayesian-Evolutionary Algorithm (paper, Algorithm 1): BO, a transfer, a gain-aware EA.

Algorithm 1 runs BO while i < N_s, which makes N_s - 1 evaluations of it; the text switches after
N_s. Read as the text: the first N_s evaluations, initial samples included, are BO's.

N_s is 250 on functions and 300 on robots (section VI-C); the studies of functions set 250. The
paper compares the gain per second of BO with that of an EA run beside it; switch='gain' decides
without one (see `switching`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers import transfer
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper.bayesian import BAYESIAN_OPTIONS, BayesianOptimizer
from bea_ros.optimizers.paper.evolutionary import PUBLISHED_OPTIONS, EvolutionaryAlgorithm
from bea_ros.optimizers.switching import EVOLUTIONARY_OVERHEAD, gain_switch_is_due

OVERHEAD = (1e-3, 4e-8)  # of BO in s, for switch='gain': constant, and times n^2

BEA_OPTIONS = {
    "switch": Option(
        "N_s, evaluations after which the EA takes over; 'gain': when it promises more per second",
        300,
        low=1,
        integer=True,
        choices=("gain",),
    ),
    "assumed_evaluation_time": Option(
        "evaluation time in s for switch='gain'; 'told' is what was told with each evaluation",
        "told",
        low=0.0,
        choices=("told",),
    ),
    "assumed_overhead": Option(
        "overhead for switch='gain': a fixed model of it, or the measured one",
        "model",
        choices=("model", "measured"),
    ),
    "transfer": Option("what the EA starts from", "S4", choices=transfer.STRATEGIES),
    "transfer_top": Option("d of S4, in percent", 50.0, low=1.0, high=100.0),
}


class BayesianEvolutionaryAlgorithm(Optimizer):
    """BEA (Algorithm 1)."""

    name: ClassVar[str] = "bea"
    profile: ClassVar[str] = "paper"
    BO: ClassVar[type[BayesianOptimizer]] = BayesianOptimizer
    EA: ClassVar[type[EvolutionaryAlgorithm]] = EvolutionaryAlgorithm
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(
        BEA_OPTIONS | BAYESIAN_OPTIONS | PUBLISHED_OPTIONS, crossover_rate=0.1, gain_aware=True
    )
    FIXED: ClassVar[Mapping[str, Any]] = {
        **BayesianOptimizer.FIXED,
        **EvolutionaryAlgorithm.FIXED,
        "restarts": False,
    }

    def _prepare(self) -> None:
        options = self._options
        earliest = self._earliest
        self._begin()
        if self._budget < earliest:
            raise ValueError(
                f"{self._budget} evaluations are fewer than {earliest}, the largest of "
                "initial_samples, population and the candidates to start with"
            )
        by_gain = isinstance(options["switch"], str)
        if not by_gain and options["switch"] < earliest:
            raise ValueError(
                f"option switch={options['switch']} is out of range: allowed is at least "
                f"{earliest}, the largest of initial_samples, population and the candidates to "
                "start with"
            )
        if self._ea_may_come():
            transfer.prepare(options["transfer"])

    @property
    def _earliest(self) -> int:
        """Number of evaluations before which the EA has no parents."""
        samples = max(self._options["initial_samples"], len(self._first))
        return int(max(samples, self._options["population"]))

    def _ea_may_come(self) -> bool:
        """Whether the EA may propose candidates within the budget."""
        switch = self._options["switch"]
        return isinstance(switch, str) or switch < self._budget

    def _begin(self) -> None:
        """Begin the first stage: BO."""
        options = self._options
        seed, self._ea_seed, self._transfer_seed = seeds(self._seed)
        self._bo = self.BO(
            self._dimension,
            seed=seed,
            budget=self._budget,
            start=self._first,
            features=self._features,
            **{name: options[name] for name in self.BO.OPTIONS},
        )
        self._ea: EvolutionaryAlgorithm | None = None

    def _propose(self) -> NDArray[np.float64]:
        return self._active.ask()

    def _learn(self, record: Record) -> None:
        self._active.absorb(record)
        if self._ea is None and self._switch_is_due(len(self._records)):
            self._ea = self._transfer()

    @property
    def _active(self) -> BayesianOptimizer | EvolutionaryAlgorithm:
        """The active optimizer: BO in the first stage, the gain-aware EA in the third."""
        return self._ea or self._bo

    def _switch_is_due(self, i: int) -> bool:
        """Whether the first stage is over after i evaluations of it: i = N_s."""
        if self._options["switch"] != "gain":
            return i >= self._options["switch"]
        bayesian, evolutionary = self._overheads()
        assumed = self._assumed(bayesian)
        return gain_switch_is_due(self._records, self._earliest, *assumed, evolutionary)

    def _assumed(
        self, overhead: tuple[float, float]
    ) -> tuple[float | None, tuple[float, float] | None]:
        """Evaluation time and overhead that the options assume, for `seconds`."""
        time = self._options["assumed_evaluation_time"]
        modelled = self._options["assumed_overhead"] == "model"
        return None if time == "told" else float(time), overhead if modelled else None

    def _overheads(self) -> tuple[tuple[float, float], float]:
        """Modelled overheads in s: (a, b) of BO, as in `seconds`, and of the EA."""
        return OVERHEAD, EVOLUTIONARY_OVERHEAD

    def _transfer(self) -> EvolutionaryAlgorithm:
        """The second stage: give the EA p of BO's solutions to begin the third with."""
        options = self._options
        p = options["population"]
        ea = self.EA(
            self._dimension,
            seed=self._ea_seed,
            budget=self._budget,
            features=self._features,
            **{name: options[name] for name in self.EA.OPTIONS},
        )
        records = self._transferable(p)
        x = np.array([record.x for record in records])
        fitness = np.array([record.fitness for record in records])
        chosen = transfer.select(
            options["transfer"],
            x,
            fitness,
            p,
            top=options["transfer_top"],
            seed=self._transfer_seed,
            clustering=self._clustering(),
        )
        ea.start_from([records[i] for i in chosen], self._records)
        return ea

    def _clustering(self) -> transfer.Clustering:
        """Clustering method of S3 and S4."""
        return transfer.k_means

    def _transferable(self, least: int) -> list[Record]:
        """Evaluations to choose from, at least `least`: all of them."""
        return self._records

    @property
    def stage(self) -> str:
        return self._active.stage

    @property
    def step_size_factor(self) -> float:
        return self._active.step_size_factor


def seeds(seed: int, start: int = 0) -> list[int]:
    """Return the seeds of BO, the EA and the transfer; each start has its own.

    BO alone asks the candidates of BEA's first stage with the first one.
    """
    return np.random.SeedSequence(seed).generate_state(3 * start + 3)[-3:].tolist()
