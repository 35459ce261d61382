# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of a study's runs, as loaded from its data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.studies.engine.statistics import resample

Array = NDArray[np.float64]

# BO's overhead (s) for its 1500th candidate on the paper's machine: assumed, as the paper prints
# none. Its ratios BEA / BO for gait (VII-B) need 14 to 18, if an evaluation takes 1 s.
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
        """Case, algorithm and repetition of the run."""
        return *self.case, self.algorithm, self.repetition

    @property
    def final(self) -> float:
        """The best value at the end."""
        return float(self.best[-1])

    @property
    def candidate(self) -> tuple[float, ...]:
        """The best candidate."""
        return tuple(map(float, self.about["candidate"].split()))

    def times(self, evaluation_time: float) -> Array:
        """Computation time (s), shape (n,), if each evaluation takes `evaluation_time` s."""
        return evaluation_time * self.evaluation + self.overhead

    def papers_overhead(self, switch: int) -> Array:
        """Overhead so far (s), shape (n,), on the paper's machine.

        As in the paper, it is cubic in the number of BO's evaluations, and the EA has none.
        BEA leaves BO after `switch` evaluations; if that is 0, its overhead is unknown (NaN).
        """
        last = {"bo": np.inf, "bea": switch or np.nan, "ea": 0}.get(
            self.algorithm.split("-")[0], np.nan
        )
        return LAST * AT / 4.0 * (np.minimum(self.evaluation, last) / AT) ** 4

    def papers_times(self, evaluation_time: float, switch: int) -> Array:
        """As `times`, with the overhead of the paper's machine."""
        return evaluation_time * self.evaluation + self.papers_overhead(switch)

    def after(self, evaluations: float) -> float:
        """The best value after this number of evaluations."""
        return float(resample(self.evaluation, self.best, evaluations))


def overhead_per_evaluation(runs: Sequence[Result]) -> tuple[Array, Array]:
    """Evaluations (m,), and the mean overhead (s) per evaluation since the previous point (m,)."""
    at = runs[0].evaluation
    return at[1:], np.diff(np.mean([run.overhead for run in runs], axis=0)) / np.diff(at)


@dataclass(frozen=True)
class Results:
    """Results of a study so far, with cases and algorithms in order; `settings` are the plan's.

    Runs of the `shared` algorithms have the seeds of BEA's runs, and so their first evaluations.
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
        """Cases with finished runs of both algorithms, and these runs.

        If `shared`, runs are in pairs of one repetition. The default is True for an `other` among
        the study's shared algorithms.
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
        """The algorithms (default: of all) that have runs in a case, with these runs."""
        names = algorithms or self.algorithms
        return [(name, runs) for name in names if (runs := self.of(case, name))]

    def of(self, case: tuple[str, ...], algorithm: str) -> list[Any]:
        """The runs of an algorithm in a case."""
        return [r for r in self.results if (r.case, r.algorithm) == (case, algorithm)]
