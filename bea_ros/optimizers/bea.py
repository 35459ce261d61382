# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The Bayesian-Evolutionary Algorithm (paper, Algorithm 1): BO, a transfer, a gain-aware EA.

Algorithm 1 runs BO while i < N_s, which makes N_s - 1 evaluations of it; the text switches after
N_s. Read as the text: the first N_s evaluations, initial samples included, are BO's.

In profile "default" the switch is N_s = 300 as well, unless that would leave the EA fewer than
200 evaluations. It gains little in so few, and BO costs less than the EA's slower progress: then
BO goes on to the end of the budget. A `switch` that is given is taken literally.

Where candidates are compared by features, BO comes close to an optimum within N_s evaluations,
but which one is a matter of where it began: two runs differ by far more than the EA gains in
either. Profile "default" therefore begins again, with a BO that knows of nothing, once the EA
gains no more, as CMA-ES does with its restarts (Hansen, 2009). The EA gets the evaluations of
all starts, and takes over only where a start has found the best so far, or is the last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.bayesian import BAYESIAN_OPTIONS, INITIAL_OPTIONS, BayesianOptimizer
from bea_ros.optimizers.evolutionary import (
    EVOLUTIONARY_OPTIONS,
    EvolutionaryAlgorithm,
    check_covariance,
)
from bea_ros.optimizers.inputs import compared
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.switching import (
    EVOLUTIONARY_OVERHEAD,
    EVOLVED_OVERHEAD,
    FRESH_OVERHEAD,
    MODELLED_OVERHEAD,
    POOL_OVERHEAD,
    GainSwitch,
)
from bea_ros.optimizers.transfer import STRATEGIES, select
from bea_ros.optimizers.warping import Scale

BEA_OPTIONS = {
    "switch": Option(
        "evaluations after which the EA takes over; 'gain': when it promises more per second",
        300,
        300,
        250,
        low=1,
        integer=True,
        choices=("gain",),
    ),
    "assumed_evaluation_time": Option(
        "evaluation time in s for switch='gain'; 'told' is what was told with each evaluation",
        "told",
        "told",
        "told",
        low=0.0,
        choices=("told",),
    ),
    "assumed_overhead": Option(
        "overhead for switch='gain': a fixed model of it, or the measured one",
        "model",
        "model",
        "model",
        choices=("model", "measured"),
    ),
    "restarts": Option(
        "begin again once the EA gains no more, where candidates are compared by features",
        True,
        False,
        False,
        choices=(True, False),
    ),
    "transfer": Option("what the EA starts from", "S4", "S4", "S4", choices=STRATEGIES),
    "transfer_top": Option("d of S4, in percent", 50.0, 50.0, 40.0, low=1.0, high=100.0),
}
LEAST_EVOLUTION = 200  # evaluations the EA needs to be worth a transfer
LEAST_START = 600  # evaluations that must be left to begin again: half of them for the EA
PATIENCE = 100  # evaluations over which the EA has to gain
LEAST_GAIN = 0.02  # of best minus median

IN_BEA = {
    "crossover_rate": replace(
        EVOLUTIONARY_OPTIONS["crossover_rate"], default=0.1, paper=0.1, released=0.1
    ),
    "gain_aware": replace(
        EVOLUTIONARY_OPTIONS["gain_aware"], default=True, paper=True, released=False
    ),
    "compare": BAYESIAN_OPTIONS["compare"],
    "covariance_step": replace(EVOLUTIONARY_OPTIONS["covariance_step"], default=0.01),
}


class BayesianEvolutionaryAlgorithm(Optimizer):
    """BEA (Algorithm 1)."""

    name: ClassVar[str] = "bea"
    OPTIONS = BEA_OPTIONS | INITIAL_OPTIONS | BAYESIAN_OPTIONS | EVOLUTIONARY_OPTIONS | IN_BEA

    def _prepare(self) -> None:
        options = self._options
        self._begins_again = bool(options["restarts"] and compared(self._features, options))
        self._starts = 0
        self._bests: list[float] = []  # best fitness after each evaluation
        samples = max(options["initial_samples"], len(self._first))
        self._earliest = earliest = max(samples, options["population"])
        check_covariance(options, self._profile)
        self._begin()
        if self._budget < earliest:
            raise ValueError(
                f"{self._budget} evaluations are fewer than {earliest}, the largest of "
                "initial_samples, population and the candidates to start with"
            )
        few = options["switch"] != "gain" and self._budget - options["switch"] < LEAST_EVOLUTION
        if few and self._profile == "default" and "switch" not in self._given:
            options["switch"] = self._budget
        if options["switch"] != "gain" and options["switch"] < earliest:
            raise ValueError(
                f"option switch={options['switch']} is out of range: allowed is at least "
                f"{earliest}, the largest of initial_samples, population and the candidates to "
                "start with"
            )

    def _begin(self) -> None:
        """Begin, or begin again, with BO."""
        options = self._options
        seed, self._ea_seed, self._transfer_seed = _seeds(self._seed, self._starts)
        self._bo: BayesianOptimizer | None = BayesianOptimizer(
            self._dimension,
            seed=seed,
            budget=self._budget,
            profile=self._profile,
            start=self._first[:0] if self._starts else self._first,
            features=self._features,
            **{name: options[name] for name in BayesianOptimizer.OPTIONS},
        )
        self._ea: EvolutionaryAlgorithm | None = None
        self._starts += 1
        self._stage_began = len(self._records)
        self._gain_switch = self._switch_by_gain() if options["switch"] == "gain" else None

    def _switch_by_gain(self) -> GainSwitch:
        options = self._options
        assumed = options["assumed_evaluation_time"]
        model, evolutionary = POOL_OVERHEAD, EVOLUTIONARY_OVERHEAD
        if options["search"] == "fresh":
            model = FRESH_OVERHEAD
        if compared(self._features, options):
            model, evolutionary = EVOLVED_OVERHEAD, MODELLED_OVERHEAD
        return GainSwitch(
            self._earliest,
            None if assumed == "told" else float(assumed),
            model if options["assumed_overhead"] == "model" else None,
            evolutionary,
        )

    @property
    def stage(self) -> str:
        return self._active.stage

    @property
    def step_size_factor(self) -> float:
        return self._active.step_size_factor

    @property
    def _active(self) -> BayesianOptimizer | EvolutionaryAlgorithm:
        active = self._bo or self._ea
        assert active is not None
        return active

    def _propose(self) -> NDArray[np.float64]:
        return self._active.ask()

    def _learn(self, record: Record) -> None:
        self._active.absorb(record)
        self._bests.append(max([record.fitness, *self._bests[-1:]]))
        if self._bo is None:
            if self._may_begin_again() and self._gains_no_more():
                self._begin()
        elif self._switch_is_due():
            if self._may_begin_again() and not self._found_the_best():
                self._begin()
            else:
                self._ea, self._bo = self._transfer(), None
                self._stage_began = len(self._records)

    def _may_begin_again(self) -> bool:
        return self._begins_again and self._budget - len(self._records) >= LEAST_START

    def _found_the_best(self) -> bool:
        """Whether this stage has found the best so far."""
        before = self._bests[: self._stage_began]
        return not before or self._bests[-1] > before[-1]

    def _gains_no_more(self) -> bool:
        if len(self._records) - self._stage_began < PATIENCE:
            return False
        gain = self._bests[-1] - self._bests[-1 - PATIENCE]
        fitness = np.array([record.fitness for record in self._records])
        return gain <= LEAST_GAIN * Scale.of(fitness).unit

    def _switch_is_due(self) -> bool:
        if self._gain_switch is not None:
            return self._gain_switch.due(self._records)
        return len(self._records) - self._stage_began >= self._options["switch"]

    def _transfer(self) -> EvolutionaryAlgorithm:
        options = self._options
        ea = EvolutionaryAlgorithm(
            self._dimension,
            seed=self._ea_seed,
            budget=max(self._budget, options["population"]),
            profile=self._profile,
            features=self._features,
            **{name: options[name] for name in EvolutionaryAlgorithm.OPTIONS},
        )
        fitness = np.array([record.fitness for record in self._records])
        chosen = select(
            options["transfer"],
            np.array([record.x for record in self._records]),
            fitness,
            options["population"],
            top=options["transfer_top"],
            seed=self._transfer_seed,
        )
        ea.start_from([self._records[i] for i in chosen], self._bests, self._records)
        return ea


def first_stage_seed(seed: int) -> int:
    """Return the seed with which BO alone asks the candidates of BEA's first stage."""
    return _seeds(seed, 0)[0]


def _seeds(seed: int, start: int) -> list[int]:
    """Return those of BO, of the EA and of the transfer."""
    return np.random.SeedSequence(seed).generate_state(3 * start + 3)[-3:].tolist()
