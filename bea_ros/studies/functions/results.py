# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study's data as CSV files, from which every figure and table can be made again.

study.json           settings and versions
runs.csv             one line per finished run, with its best candidate
curves/FUNCTION.csv  best f and overhead so far of each run, every 10 evaluations and at both ends

f is minimised and 0 at the optimum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.studies.functions.plan import LABELS, Plan, Run
from bea_ros.studies.functions.problems import NAMES
from bea_ros.studies.functions.worker import Outcome, read
from bea_ros.studies.study_files import (
    add_rows,
    read_columns,
    read_rows,
    read_settings,
    reading,
)

Array = NDArray[np.float64]

EVERY = 10  # evaluations between points of a curve
RUNS, CURVES = "runs.csv", "curves"
RUN_COLUMNS = (
    "function", "algorithm", "repetition", "seed", "evaluations", "switch", "f", "overhead_s",
    "candidate",
)  # fmt: skip
CURVE_COLUMNS = ("algorithm", "repetition", "evaluation", "best_f", "overhead_s")


@dataclass(frozen=True, eq=False)
class Result:
    """A finished run: at `evaluation` (n,) the `best` f and the `overhead` (s) so far.

    `switch` counts the evaluations before the EA, which are all of them for BO and few for an EA.
    """

    function: str
    algorithm: str
    repetition: int
    switch: int
    evaluation: Array
    best: Array
    overhead: Array

    @property
    def key(self) -> tuple[str, str, int]:
        """Which run it is: function, algorithm and repetition."""
        return self.function, self.algorithm, self.repetition

    def times(self, evaluation_time: float) -> Array:
        """Computation time (s), shape (n,), if each evaluation takes `evaluation_time` s."""
        return evaluation_time * self.evaluation + self.overhead


@dataclass(frozen=True)
class Results:
    """What the study found so far; `settings` are those of the plan."""

    settings: dict[str, Any]
    versions: dict[str, str]
    results: list[Result] = field(default_factory=list)

    def of(self, function: str, algorithm: str) -> list[Result]:
        """The runs of an algorithm on a function."""
        return [r for r in self.results if (r.function, r.algorithm) == (function, algorithm)]

    @property
    def algorithms(self) -> list[str]:
        """Algorithms with a finished run."""
        present = {result.algorithm for result in self.results}
        return [name for name in LABELS if name in present]

    @property
    def functions(self) -> list[str]:
        """Functions with a finished run."""
        present = {result.function for result in self.results}
        return [name for name in NAMES if name in present]


def collect(runs: Iterable[Run], files: Path) -> list[tuple[Run, Outcome]]:
    """The finished runs among those in a folder of run files; raises ValueError."""
    found = ((run, read(run, files)) for run in runs)
    return [(run, outcome) for run, outcome in found if outcome is not None]


def known(folder: Path) -> set[tuple[str, str, int]]:
    """Keys of the finished runs in the data of a folder, none if there are no data yet."""
    return {run.key for run in load(folder).results} if (folder / RUNS).exists() else set()


def save(folder: Path, plan: Plan, found: Sequence[tuple[Run, Outcome]]) -> None:
    """Add runs of a plan to the CSV files, whose data of other runs stay."""
    order = {tuple(map(str, run.key)): place for place, run in enumerate(plan.runs())}
    for function in dict.fromkeys(run.function for run, _ in found):
        rows = (row for pair in found if pair[0].function == function for row in _curve(*pair))
        there = {key[1:]: place for key, place in order.items() if key[0] == function}
        add_rows(folder / CURVES / f"{function}.csv", CURVE_COLUMNS, rows, there)
    # Last, as a run that is listed there is taken for finished.
    add_rows(folder / RUNS, RUN_COLUMNS, (_row(run, outcome) for run, outcome in found), order)


def load(folder: Path) -> Results:
    """Read what `save` wrote; raises ValueError if there is nothing, or it is damaged."""
    with reading(folder):
        settings, versions = read_settings(folder)
        runs = read_rows(folder / RUNS)
        curves = {
            name: read_columns(folder / CURVES / f"{name}.csv", CURVE_COLUMNS[:2])
            for name in dict.fromkeys(row["function"] for row in runs)
        }
        results = [
            Result(
                row["function"], row["algorithm"], int(row["repetition"]), int(row["switch"]),
                *curves[row["function"]][row["algorithm"], row["repetition"]],
            )
            for row in runs
        ]  # fmt: skip
    return Results(settings, versions, results)


def _row(run: Run, outcome: Outcome) -> list[Any]:
    return [
        run.function, run.algorithm, run.repetition, run.seed, run.evaluations, outcome.switch,
        repr(float(outcome.f.min())), f"{outcome.overhead.sum():.4f}",
        " ".join(repr(float(value)) for value in outcome.candidate),
    ]  # fmt: skip


def _curve(run: Run, outcome: Outcome) -> Iterable[list[Any]]:
    best, overhead = np.minimum.accumulate(outcome.f), np.cumsum(outcome.overhead)
    n = len(best)
    for evaluation in sorted({1, *range(EVERY, n + 1, EVERY), n}):
        at = evaluation - 1
        yield [
            run.algorithm, run.repetition, evaluation,
            f"{best[at]:.8g}", f"{overhead[at]:.5f}",
        ]  # fmt: skip
