# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA as a race of several starts, where candidates are compared by features.

There the optimum that a run comes close to depends on its initial samples: two runs differ by more
than either gains in its second half. Who is ahead after 100 evaluations is usually ahead in the
end. So after a fifth of the budget other starts have 100 evaluations each, and the one that was
best after its first 100 goes on.

Without features, with too few evaluations or with a given `switch`, there is one start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.start import Start
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import Option
from bea_ros.optimizers.paper.bea import seeds

PART = 5  # the other starts begin after one part of the budget in so many
LAP = 100  # evaluations of each, by which all are compared
OTHERS, EACH = 4, 250  # at most, and evaluations of the budget for each of them
LEAST = 400  # remaining evaluations, below which there is no race


class BayesianEvolutionaryAlgorithm(Optimizer):
    """BEA that may begin anew, and goes on with the best start."""

    name: ClassVar[str] = "bea"
    profile: ClassVar[str] = "default"
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        **Start.OPTIONS,
        "restarts": Option(
            "other starts race with the first, where candidates are compared by features",
            True,
            choices=(True, False),
        ),
    }
    FIXED: ClassVar[Mapping[str, Any]] = Start.FIXED

    def _prepare(self) -> None:
        self._starts: list[Start] = []
        self._racing = False
        self._chosen = {name: value for name, value in self._given.items() if name != "restarts"}
        self._begin(self._seed)
        if not self._start.switch_is_given:  # later starts may have another budget
            self._chosen.pop("switch", None)

    def _begin(self, seed: int) -> None:
        """Begin another start."""
        self._began = len(self._records)
        self._start = Start(
            self._dimension,
            seed=seed,
            budget=self._budget,
            start=() if self._starts else self._first,
            features=self._features,
            **self._chosen,
        )
        self._starts.append(self._start)
        self._options["switch"] = self._start.options["switch"]

    def _replan(self) -> None:
        for start in self._starts:
            start.extend(self._budget)
        self._options["switch"] = self._start.options["switch"]
        self._plan_end()

    def _plan_end(self) -> None:
        """Tell the current start how many evaluations of its own it has in the end."""
        left = self._budget - len(self._records)
        self._start.end = len(self._start.history) + left

    def _propose(self) -> NDArray[np.float64]:
        return self._start.ask()

    def _learn(self, record: Record) -> None:
        self._start.absorb(record)
        if not self._racing:
            self._racing = self._race_is_due()
        elif len(self._records) - self._began < LAP:
            return
        elif len(self._starts) > min(self._budget // EACH, OTHERS):
            self._start, self._racing = max(self._starts, key=_best_of_lap), False
            self._plan_end()
        if self._racing:
            self._begin(seeds(self._seed, len(self._starts))[0])

    def _race_is_due(self) -> bool:
        n, alone = len(self._records), len(self._starts) == 1
        enough = n * PART >= self._budget and self._budget - n >= LEAST
        wanted = self._options["restarts"] and not self._start.switch_is_given
        return alone and enough and wanted and self._start.by_features

    @property
    def stage(self) -> str:
        return self._start.stage

    @property
    def step_size_factor(self) -> float:
        return self._start.step_size_factor


def _best_of_lap(start: Start) -> float:
    return max(record.fitness for record in start.history[:LAP])
