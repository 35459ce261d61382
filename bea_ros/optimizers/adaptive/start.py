# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One start of BEA: BO and the EA take turns, over evaluations of their own.

It is the paper's Algorithm 1 with the BO and the EA of this folder. Before the switch they take
turns (see `turns`). A turn of BO has as many evaluations as a generation, and both learn from all
evaluations.

After N_s = 300 the EA continues alone: the cost of BO grows with its evaluations, and its turns
would delay an EA that follows a valley. Overhead counts: BO has the time that 300 evaluations take
alone, so short evaluations bring the switch forward. There is no switch if N_s leaves the EA fewer
than 200 evaluations, or if candidates are compared by features: then BO goes on gaining, and the
EA has its first turn in the last tenth. A `switch` that the user gives is always used.

Where the run does not gain for long, a local search climbs from the best (see `trust_region`).
Then the EA goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.bayesian import BAYESIAN_OPTIONS, COMPARE, BayesianOptimizer
from bea_ros.optimizers.adaptive.evolutionary import EVOLUTIONARY_OPTIONS, EvolutionaryAlgorithm
from bea_ros.optimizers.adaptive.trust_region import TrustRegion
from bea_ros.optimizers.adaptive.turns import EVOLUTIONARY, Turns
from bea_ros.optimizers.inputs import compared
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.options import Option, changed
from bea_ros.optimizers.paper import bea as paper
from bea_ros.optimizers.switching import EVOLUTIONARY_OVERHEAD, seconds

FIRST = 8  # turns of BO before the EA has one
LAST = 10  # parts; the EA begins in the last one where candidates are compared by features
IDLE = 20  # evaluations per dimension without a gain, before a local search
LEAST_EVOLUTION = 200  # evaluations after the switch, below which there is no switch

# Modelled overhead in s. (a, b) of BO: a + b n^2.
LOCAL_OVERHEAD = (1e-3, 5e-9)
EVOLVED_OVERHEAD = (3e-2, 2e-8)  # of BO that compares candidates by features
MODELLED_OVERHEAD = 2e-2  # of the EA that compares candidates by features

OWN_OPTIONS = {
    "compare": COMPARE,
    "local": Option(
        "a local search climbs from the best while the EA does not gain, where candidates are "
        "compared by parameters",
        True,
        choices=(True, False),
    ),
    "turns": Option(
        "BO and the EA take turns before the switch, by what they gain per second",
        True,
        choices=(True, False),
    ),
}


class Start(paper.BayesianEvolutionaryAlgorithm):
    """BEA with turns of BO and the EA."""

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
        # A resumed run gives all options of its run.yaml, also the switch that was chosen here.
        self.switch_is_given = self._given.get("switch", self._usual_switch) != self._usual_switch
        self._replan()
        super()._prepare()

    def _ea_may_come(self) -> bool:
        in_turns = self._options["turns"] and self._evolution_begins < self._budget
        return in_turns or super()._ea_may_come()

    @property
    def _evolution_begins(self) -> int:
        """The evaluations before the EA's first turn, which has at least a generation left."""
        p = self._options["population"]
        first = self._earliest + FIRST * p
        if not self.by_features:
            return first
        return max(first, self.end - max(self.end // LAST, 2 * p - 1))

    def _replan(self) -> None:
        """Choose the switch for the budget, unless the user gave another."""
        self.end = self._budget
        if not self.switch_is_given:
            self._options["switch"] = self._usual_switch

    @property
    def _usual_switch(self) -> int:
        """The switch for the budget; the budget itself if the EA never continues alone."""
        usual = max(int(self.OPTIONS["switch"].value), self._earliest)
        alone = self._budget - usual >= LEAST_EVOLUTION and not self.by_features
        return usual if alone else self._budget

    @property
    def by_features(self) -> bool:
        """Whether candidates are compared by features."""
        return compared(self._features, self._options) is not None

    def _begin(self) -> None:
        super()._begin()
        self._turn_began = self._earliest - self._options["population"]
        self._turns = Turns()
        self._evaluating = self._thinking = 0.0  # s of evaluations and of overhead so far
        self._evolving = self._alone = False
        self._local: TrustRegion | None = None
        self._climbed = -1  # where the last local search began or ended

    def _learn(self, record: Record) -> None:
        if self._local is not None:
            self._local.learn(record.x, record.fitness)
            self._end_local()
            return
        if self._ea is not None:
            (self._ea.absorb if self._evolving else self._ea.hear)(record)
        if self._alone:
            self._begin_local()
            return
        self._bo.absorb(record)
        n = len(self._records)
        if self._switch_is_due(n):
            if n < self._budget or self.switch_is_given:
                self._ea = self._transfer()
                self._evolving = self._alone = True
                self._begin_local()
        elif self._options["turns"] and self._turn_is_over():
            self._hand_over()

    def _switch_is_due(self, i: int) -> bool:
        """Whether BO had the time that N_s evaluations take alone, or made a given N_s."""
        evaluating, thinking = self._each(self._records[-1:])
        self._evaluating += evaluating
        self._thinking += thinking
        n_s = self._options["switch"]
        if self.switch_is_given or n_s >= self._budget:
            return super()._switch_is_due(i)
        return i >= self._earliest and self._thinking >= (n_s - i) * self._evaluating / i

    def _begin_local(self) -> None:
        """Begin a local search from the best, if the EA has not gained for long."""
        best = self._best or 0
        idle = len(self._records) - 1 - best >= IDLE * self._dimension
        wanted = self._options["local"] and not self.by_features and best != self._climbed
        if idle and wanted and self._ea is not None and self._ea.between_generations:
            start = self._records[best]
            self._local, self._climbed = TrustRegion(start.x, start.fitness), best

    def _end_local(self) -> None:
        """End the local search if it is over; the EA goes on from its best."""
        best = self._best or 0
        if self._local is not None and self._local.over:
            if self._ea is not None and best != self._climbed:
                self._ea.hear(self._records[best])
            self._local, self._climbed = None, best

    def _turn_is_over(self) -> bool:
        """Whether the EA completed a generation, or BO had as many evaluations as one."""
        if self._evolving and self._ea is not None:
            return self._ea.between_generations
        return len(self._records) - self._turn_began >= self._options["population"]

    def _hand_over(self) -> None:
        """Credit the completed turn, and begin the next one."""
        turn = self._records[self._turn_began :]
        before = self._records[: max(self._turn_began, 1)]
        best, earlier = (max(record.fitness for record in some) for some in (turn, before))
        self._turns.credit(max(best - earlier, 0.0), len(turn) * sum(self._each(turn)))
        self._turn_began = len(self._records)
        late = len(self._records) >= self._evolution_begins
        self._evolving = self._turns.next(may_begin=late) == EVOLUTIONARY
        if self._evolving and self._ea is None:
            self._ea = self._transfer()

    def _propose(self) -> NDArray[np.float64]:
        return self._local.propose() if self._local is not None else super()._propose()

    @property
    def stage(self) -> str:
        return "local" if self._local is not None else super().stage

    @property
    def _active(self) -> paper.BayesianOptimizer | EvolutionaryAlgorithm:
        return self._ea if self._evolving and self._ea is not None else self._bo

    def _overheads(self) -> tuple[tuple[float, float], float]:
        if self.by_features:
            return EVOLVED_OVERHEAD, MODELLED_OVERHEAD
        return LOCAL_OVERHEAD, EVOLUTIONARY_OVERHEAD

    def _each(self, records: Sequence[Record]) -> tuple[float, float]:
        """Mean evaluation time and overhead (s) of the last records, all by BO or all by the EA.

        Both are assumed or measured, as the options say.
        """
        bayesian, evolutionary = self._overheads()
        assumed = self._assumed((evolutionary, 0.0) if self._evolving else bayesian)
        return seconds(records, len(self._records), *assumed)

    def _transfer(self) -> EvolutionaryAlgorithm:
        ea = super()._transfer()
        assert isinstance(ea, EvolutionaryAlgorithm)
        return ea
