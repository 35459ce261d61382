# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA with turns before its switch, and with restarts.

It is the paper's Algorithm 1 with the BO and the EA of this folder. It also switches at N_s = 300,
unless that leaves the EA fewer than 200 evaluations: then it never switches. A `switch` that the
user gives is always used.

Before the switch BO and the EA take turns (see `turns`). A turn of BO has as many evaluations as a
generation, and both learn from all evaluations. After the switch the EA continues alone: the cost
of BO grows with its evaluations, and its turns would delay an EA that follows a valley.

If candidates are compared by features, BO comes close to an optimum within N_s evaluations. Which
optimum depends on its initial samples: two runs differ by far more than the EA gains in either. So
BEA restarts with a new BO once the EA stops gaining. Restarts are common in CMA-ES (Hansen, 2009).
The EA takes over only in a start that found the best fitness so far, or in the last start. It then
gets the evaluations of all starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bea_ros.optimizers.adaptive.bayesian import BAYESIAN_OPTIONS, COMPARE, BayesianOptimizer
from bea_ros.optimizers.adaptive.evolutionary import EVOLUTIONARY_OPTIONS, EvolutionaryAlgorithm
from bea_ros.optimizers.adaptive.model.warping import Scale
from bea_ros.optimizers.adaptive.turns import EVOLUTIONARY, FIRST, Turns
from bea_ros.optimizers.inputs import compared
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper import bea as paper
from bea_ros.optimizers.switching import EVOLUTIONARY_OVERHEAD, seconds

LEAST_EVOLUTION = 200  # evaluations after the switch, below which there is no switch
LEAST_START = 600  # remaining evaluations, below which there is no restart
PATIENCE = 100  # evaluations within which the EA must gain
LEAST_GAIN = 0.02  # in units of best minus median

# Modelled overhead in s. (a, b) of BO: a + b n^2.
LOCAL_OVERHEAD = (1e-3, 5e-9)
EVOLVED_OVERHEAD = (3e-2, 2e-8)  # of BO that compares candidates by features
MODELLED_OVERHEAD = 2e-2  # of the EA that compares candidates by features

OWN_OPTIONS = {
    "compare": COMPARE,
    "turns": Option(
        "BO and the EA take turns before the switch, by what they gain per second",
        True,
        choices=(True, False),
    ),
    "restarts": Option(
        "begin again once the EA gains no more, where candidates are compared by features",
        True,
        choices=(True, False),
    ),
}


class BayesianEvolutionaryAlgorithm(paper.BayesianEvolutionaryAlgorithm):
    """BEA with turns of BO and the EA, and with restarts."""

    profile: ClassVar[str] = "default"
    BO = BayesianOptimizer
    EA = EvolutionaryAlgorithm
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(
        paper.BEA_OPTIONS | BAYESIAN_OPTIONS | EVOLUTIONARY_OPTIONS | OWN_OPTIONS,
        crossover_rate=0.1,
        gain_aware=True,
        covariance_step=0.01,
    )
    FIXED: ClassVar[Mapping[str, Any]] = BayesianOptimizer.FIXED
    _ea: EvolutionaryAlgorithm | None

    def _prepare(self) -> None:
        self._starts = 0
        self._bests: list[float] = []  # best fitness after each evaluation
        self._replan()
        super()._prepare()

    def _ea_may_come(self) -> bool:
        first_turn = self._earliest + FIRST * self._options["population"]
        in_turns = self._options["turns"] and first_turn < self._budget
        return in_turns or super()._ea_may_come()

    def _replan(self) -> None:
        """Choose the switch for the budget, unless the user gave one."""
        if "switch" not in self._given:
            usual = int(self.OPTIONS["switch"].value)
            enough = self._budget - usual >= LEAST_EVOLUTION
            self._options["switch"] = usual if enough else self._budget

    def _begin(self, seeds: Sequence[int], start: ArrayLike) -> None:
        super()._begin(seeds, start)
        self._starts += 1
        self._began = self._stage_began = len(self._records)
        self._turn_began = self._began + self._earliest - self._options["population"]
        self._turns = Turns()
        self._evolving = self._taken_over = False

    def _learn(self, record: Record) -> None:
        self._bests.append(max([record.fitness, *self._bests[-1:]]))
        self._learn_together(record)
        n = len(self._records)
        if self._taken_over:
            if self._may_begin_again() and self._gains_no_more():
                self._begin(paper.seeds(self._seed, self._starts), ())
        elif self._switch_is_due(n - self._began):
            if self._may_begin_again() and not self._found_the_best():
                self._begin(paper.seeds(self._seed, self._starts), ())
            elif n < self._budget or "switch" in self._given:
                self._began, self._stage_began = 0, n
                self._ea = self._transfer()
                self._evolving = self._taken_over = True
        elif self._options["turns"] and self._turn_is_over():
            self._hand_over()

    def _learn_together(self, record: Record) -> None:
        """Tell BO and the EA the evaluation; BO no longer once the EA has taken over."""
        if not self._taken_over:
            self._bo.absorb(record)
        if self._ea is not None:
            (self._ea.absorb if self._evolving else self._ea.hear)(record)

    def _turn_is_over(self) -> bool:
        """Whether the EA completed a generation, or BO had as many evaluations as one."""
        if self._evolving and self._ea is not None:
            return self._ea.between_generations
        return len(self._records) - self._turn_began >= self._options["population"]

    def _hand_over(self) -> None:
        """Credit the completed turn, and begin the next one."""
        turn = self._records[self._turn_began :]
        before = self._records[self._began : max(self._turn_began, self._began + 1)]
        best, earlier = (max(record.fitness for record in some) for some in (turn, before))
        self._turns.credit(max(best - earlier, 0.0), self._seconds(turn))
        self._turn_began = len(self._records)
        self._evolving = self._turns.next() == EVOLUTIONARY
        if self._evolving and self._ea is None:
            self._ea = self._transfer()

    @property
    def _active(self) -> paper.BayesianOptimizer | EvolutionaryAlgorithm:
        return self._ea if self._evolving and self._ea is not None else self._bo

    def _overheads(self) -> tuple[tuple[float, float], float]:
        if compared(self._features, self._options):
            return EVOLVED_OVERHEAD, MODELLED_OVERHEAD
        return LOCAL_OVERHEAD, EVOLUTIONARY_OVERHEAD

    def _seconds(self, turn: Sequence[Record]) -> float:
        """Duration of a turn, by modelled or measured overhead as the options say."""
        options = self._options
        time, model = options["assumed_evaluation_time"], options["assumed_overhead"] == "model"
        bayesian, evolutionary = self._overheads()
        overhead = (evolutionary, 0.0) if self._evolving else bayesian
        told = None if time == "told" else float(time)
        each = seconds(turn, len(self._records) - self._began, told, overhead if model else None)
        return len(turn) * sum(each)

    def _transfer(self) -> EvolutionaryAlgorithm:
        ea = super()._transfer()
        assert isinstance(ea, EvolutionaryAlgorithm)
        return ea

    def _transferable(self, least: int) -> list[Record]:
        """Evaluations that the EA learns from: of this start, or of all once it has taken over."""
        return self._records[self._began :]

    def _known(self) -> list[Record]:
        return self._transferable(0)

    def _may_begin_again(self) -> bool:
        begins_again = self._options["restarts"] and compared(self._features, self._options)
        return bool(begins_again) and self._budget - len(self._records) >= LEAST_START

    def _found_the_best(self) -> bool:
        """Whether this stage found the best fitness so far."""
        before = self._bests[: self._stage_began]
        return not before or self._bests[-1] > before[-1]

    def _gains_no_more(self) -> bool:
        if len(self._records) - self._stage_began < PATIENCE:
            return False
        gain = self._bests[-1] - self._bests[-1 - PATIENCE]
        fitness = np.array([record.fitness for record in self._records])
        return gain <= LEAST_GAIN * Scale.of(fitness).unit
