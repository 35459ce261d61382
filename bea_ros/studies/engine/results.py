# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the runs of a study came to, as its data have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Result:
    """A finished run: at `evaluation` (n,) the `best` value and the `overhead` (s) so far.

    `about` is its line in the table of runs.
    """

    case: tuple[str, ...]
    algorithm: str
    repetition: int
    evaluation: Array
    best: Array
    overhead: Array
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """Which run it is: case, algorithm and repetition."""
        return *self.case, self.algorithm, self.repetition

    @property
    def final(self) -> float:
        """The best value in the end."""
        return float(self.best[-1])

    @property
    def candidate(self) -> tuple[float, ...]:
        """The best candidate."""
        return tuple(map(float, self.about["candidate"].split()))

    def times(self, evaluation_time: float) -> Array:
        """Computation time (s), shape (n,), if each evaluation takes `evaluation_time` s."""
        return evaluation_time * self.evaluation + self.overhead


@dataclass(frozen=True)
class Results:
    """What a study found so far, its cases and algorithms in order; `settings` are the plan's.

    `shared` are the algorithms whose runs have the seeds of BEA's, and so their beginnings.
    """

    settings: dict[str, Any]
    versions: dict[str, str]
    cases: list[tuple[str, ...]]
    algorithms: list[str]
    results: list[Any] = field(default_factory=list)
    shared: tuple[str, ...] = ()

    def matched(
        self, bea: Sequence[Any], rest: Sequence[Any], other: str
    ) -> tuple[list[Any], list[Any]]:
        """Runs of both in a case to compare: pairs of one repetition where they share seeds."""
        if other not in self.shared:
            return list(bea), list(rest)
        mine, its = ({run.repetition: run for run in runs} for runs in (bea, rest))
        both = sorted(set(mine) & set(its))
        return [mine[n] for n in both], [its[n] for n in both]

    def of(self, case: tuple[str, ...], algorithm: str) -> list[Any]:
        """The runs of an algorithm in a case."""
        return [r for r in self.results if (r.case, r.algorithm) == (case, algorithm)]
