# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the runs of a study came to, as its data have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.studies.engine.statistics import resample

Array = NDArray[np.float64]

# s that BO takes for its 1500th candidate on the paper's machine: 11 to 14 (paper, section VII-B)
LAST, AT = 12.5, 1500


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

    def papers_overhead(self, switch: int) -> Array:
        """Overhead so far (s), shape (n,), on the paper's machine: cubic in BO's evaluations, as
        the paper says and draws it, and none of the EA's. `switch` is where BEA leaves BO.
        """
        last = {"bo": np.inf, "bea": switch, "ea": 0}.get(self.algorithm.split("-")[0], np.nan)
        return LAST * AT / 4.0 * (np.minimum(self.evaluation, last) / AT) ** 4

    def papers_times(self, evaluation_time: float, switch: int) -> Array:
        """As `times`, by the overhead that the paper's machine had."""
        return evaluation_time * self.evaluation + self.papers_overhead(switch)

    def after(self, evaluations: float) -> float:
        """The best value after so many evaluations."""
        return float(resample(self.evaluation, self.best, evaluations))


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

    def pairs(
        self, one: str, other: str, shared: bool | None = None
    ) -> Iterator[tuple[tuple[str, ...], list[Any], list[Any]]]:
        """Cases in which both algorithms have finished runs, and these: pairs of one repetition
        where they are `shared` (unless said, where `other` is among those).
        """
        for case in self.cases:
            ours, theirs = self.of(case, one), self.of(case, other)
            if other in self.shared if shared is None else shared:
                mine, its = ({run.repetition: run for run in runs} for runs in (ours, theirs))
                both = sorted(mine.keys() & its.keys())
                ours, theirs = [mine[n] for n in both], [its[n] for n in both]
            if ours and theirs:
                yield case, ours, theirs

    def present(
        self, case: tuple[str, ...], algorithms: Sequence[str] = ()
    ) -> list[tuple[str, list[Any]]]:
        """Those of some algorithms, or of all, that have runs in a case, with these."""
        names = algorithms or self.algorithms
        return [(name, runs) for name in names if (runs := self.of(case, name))]

    def of(self, case: tuple[str, ...], algorithm: str) -> list[Any]:
        """The runs of an algorithm in a case."""
        return [r for r in self.results if (r.case, r.algorithm) == (case, algorithm)]
