# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA that adapts when it switches, begins again where that pays, or takes turns.

It is the paper's (Algorithm 1) with the BO and the EA of this folder. The switch is N_s = 300 as
well, unless that would leave the EA fewer than 200 evaluations. It gains little in so few, and BO
costs less than the EA's slower progress: then BO goes on to the end of the budget. A `switch` that
is given is taken literally.

With switch="turns" nobody is left for good: BO and the EA take turns (see `turns`), as many
evaluations of BO as a generation has, and both learn from all of them.

Where candidates are compared by features, BO comes close to an optimum within N_s evaluations,
but which one is a matter of where it began: two runs differ by far more than the EA gains in
either. So it begins again, with a BO that knows of nothing, once the EA gains no more, as CMA-ES
does with its restarts (Hansen, 2009). The EA gets the evaluations of all starts, and takes over
only where a start has found the best so far, or is the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from bea_ros.optimizers.adaptive.bayesian import BAYESIAN_OPTIONS, COMPARE, BayesianOptimizer
from bea_ros.optimizers.adaptive.evolutionary import EVOLUTIONARY_OPTIONS, EvolutionaryAlgorithm
from bea_ros.optimizers.adaptive.turns import EVOLUTIONARY, Turns
from bea_ros.optimizers.adaptive.warping import Scale
from bea_ros.optimizers.inputs import compared
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper import bea as paper
from bea_ros.optimizers.switching import EVOLUTIONARY_OVERHEAD, seconds
from bea_ros.optimizers.threads import single_threaded

LEAST_EVOLUTION = 200  # evaluations the EA needs to be worth a transfer
LEAST_START = 600  # evaluations that must be left to begin again: half of them for the EA
PATIENCE = 100  # evaluations over which the EA has to gain
LEAST_GAIN = 0.02  # of best minus median

# For switch='gain', in s. Of BO by its pool: constant, and times n^2.
POOL_OVERHEAD = (1e-3, 5e-9)
EVOLVED_OVERHEAD = (3e-2, 2e-8)  # of BO where candidates are compared by features
MODELLED_OVERHEAD = 2e-2  # of the EA there

SWITCH = replace(
    paper.BEA_OPTIONS["switch"],
    doc="N_s, evaluations after which the EA takes over; 'gain': when it promises more per "
    "second; 'turns': both go on, by what they gain per second",
    choices=("gain", "turns"),
)
RESTARTS = Option(
    "begin again once the EA gains no more, where candidates are compared by features",
    True,
    choices=(True, False),
)


class BayesianEvolutionaryAlgorithm(paper.BayesianEvolutionaryAlgorithm):
    """BEA, again and again."""

    profile: ClassVar[str] = "default"
    BO = BayesianOptimizer
    EA = EvolutionaryAlgorithm
    OPTIONS: ClassVar[Mapping[str, Option]] = changed(
        paper.BEA_OPTIONS
        | BAYESIAN_OPTIONS
        | EVOLUTIONARY_OPTIONS
        | {"compare": COMPARE, "restarts": RESTARTS, "switch": SWITCH},
        crossover_rate=0.1,
        gain_aware=True,
        covariance_step=0.01,
    )
    FIXED: ClassVar[Mapping[str, Any]] = BayesianOptimizer.FIXED

    def _prepare(self) -> None:
        options = self._options
        self._begins_again = bool(options["restarts"] and compared(self._features, options))
        self._starts = 1
        self._stage_began = self._bo_began = 0
        self._taken_over = True  # False: BO is over, and nothing was asked since
        self._bests: list[float] = []  # best fitness after each evaluation
        if "switch" not in self._given:
            options["switch"] = self._usual_switch()
        super()._prepare()
        self._turns = Turns() if options["switch"] == "turns" else None
        self._turn_began = self._earliest - options["population"]
        self._evolving = False

    def _usual_switch(self) -> int:
        usual = int(self.OPTIONS["switch"].value)
        return usual if self._budget - usual >= LEAST_EVOLUTION else self._budget

    def _replan(self) -> None:
        """BO goes on where the EA took over because the evaluations were over."""
        if self._given.get("switch", self._first_budget) != self._first_budget:
            return  # it is to be taken literally
        self._options["switch"] = switch = self._usual_switch()
        n = len(self._records)
        changed = self._ea is not None or not self._taken_over
        if changed and self._stage_began == n and n - self._bo_began < switch:
            self._ea, self._taken_over, self._stage_began = None, True, self._bo_began

    def _overheads(self) -> tuple[tuple[float, float], float]:
        if compared(self._features, self._options):
            return EVOLVED_OVERHEAD, MODELLED_OVERHEAD
        return POOL_OVERHEAD, EVOLUTIONARY_OVERHEAD

    def _hand_over(self, turns: Turns) -> None:
        """Count the turn that is over, and begin the next one."""
        turn = self._records[self._turn_began :]
        before = self._bests[self._turn_began - 1] if self._turn_began else self._bests[0]
        turns.credit(self._bests[-1] - before, self._seconds(turn))
        self._turn_began = len(self._records)
        self._evolving = turns.next() == EVOLUTIONARY
        if self._evolving and self._ea is None:
            self._ea = self._transfer()

    def _turn_is_over(self) -> bool:
        """Whether a generation of the EA is complete, or BO had as many evaluations."""
        if self._evolving:
            assert isinstance(self._ea, EvolutionaryAlgorithm)
            return self._ea.between_generations
        return len(self._records) - self._turn_began >= self._options["population"]

    def _seconds(self, turn: Sequence[Record]) -> float:
        """What a turn took: counted work, unless measured overhead is asked for."""
        options = self._options
        time, model = options["assumed_evaluation_time"], options["assumed_overhead"] == "model"
        bayesian, evolutionary = self._overheads()
        overhead = (evolutionary, 0.0) if self._evolving else bayesian
        each = seconds(
            turn,
            len(self._records),
            None if time == "told" else float(time),
            overhead if model else None,
        )
        return len(turn) * sum(each)

    def _learn_together(self, record: Record) -> None:
        """Both learn from every evaluation."""
        self._bo.absorb(record)
        if self._ea is None:
            return
        assert isinstance(self._ea, EvolutionaryAlgorithm)
        if self._evolving:
            self._ea.absorb(record)
        else:
            self._ea.hear(record)

    def _learn(self, record: Record) -> None:
        self._bests.append(max([record.fitness, *self._bests[-1:]]))
        if self._turns is not None:
            self._learn_together(record)
            return
        self._active.absorb(record)
        n = len(self._records)
        if self._ea is not None:
            if self._may_begin_again() and self._gains_no_more():
                self._begin_again()
        elif self._switch_is_due(n - self._stage_began):
            if self._may_begin_again() and not self._found_the_best():
                self._begin_again()
            else:
                self._bo_began, self._stage_began = self._stage_began, n
                self._taken_over = False

    @property
    def _active(self) -> paper.BayesianOptimizer | paper.EvolutionaryAlgorithm:
        """Who runs. The EA takes over when it is needed: at the end of a run it never is."""
        if self._turns is not None:
            if self._candidate is None and self._turn_is_over():
                with single_threaded():
                    self._hand_over(self._turns)
            return self._ea if self._evolving and self._ea is not None else self._bo
        if not self._taken_over:
            self._taken_over = True
            with single_threaded():
                self._ea = self._transfer()
        return super()._active

    def _begin_again(self) -> None:
        self._begin(paper.seeds(self._seed, self._starts), ())
        self._starts += 1
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
