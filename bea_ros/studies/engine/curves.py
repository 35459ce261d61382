# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A study whose runs are curves over evaluations, by case and algorithm."""

from __future__ import annotations

import argparse
import tempfile
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bea_ros.studies.engine import options
from bea_ros.studies.engine.data import (
    Array,
    add_rows,
    check_settings,
    read_columns,
    read_settings,
    read_table,
    reading,
)
from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.engine.study import RUNS, Study
from bea_ros.system.execution import for_each

CURVES = "curves"


class CurveStudy(Study):
    """A study of algorithms on the engine. Additional data:

    curves/CASE.csv     a line per point of a run's curve: algorithm, repetition and CURVE_COLUMNS

    Attributes:
        FOLDER: the study's folder, with a folder for each profile.
        TIMES: evaluation times (s) of the report.
        SHARED: algorithms whose runs have the seed of BEA's run of the same repetition.
    """

    TIMES: ClassVar[tuple[float, ...]]
    SHARED: ClassVar[tuple[str, ...]] = ()
    RESULT: ClassVar[Any] = Result
    CURVE_COLUMNS: ClassVar[tuple[str, ...]]

    @abstractmethod
    def curve_rows(self, run: Any, outcome: Any) -> Iterable[Sequence[Any]]:
        """Return the values of CURVE_COLUMNS for each evaluation."""

    @abstractmethod
    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        """Write the page, and other outputs; returns the path of the page."""

    def run(self, parsed: argparse.Namespace) -> int:
        """Run the study with the options, some of which are fields of the plan.

        Raises ValueError if an option is not allowed.
        """
        folder, given = options.read(parsed, self.FOLDER, self.PLAN)
        if parsed.again is not None:
            return self.again(folder, parsed.again, parsed.jobs, given)
        if not parsed.report:
            plan = self.plan(given, parsed.quick, folder)
            self.carry_out(plan, folder, parsed.jobs, parsed.scheduler)
        path = self.report(folder, self.load(folder), parsed.evaluation_time or self.TIMES)
        print(f"wrote {path}")
        return 0

    def again(self, folder: Path, count: int, jobs: int, given: Mapping[str, Any]) -> int:
        """Repeat some finished runs of the `given` plan; returns 0 if all digits are the same.

        Times in seconds may differ. Raises ValueError if there are no data, or for no runs.
        """
        if count < 1:
            raise ValueError(f"--again {count}: at least 1 run is needed")
        with reading(folder):
            settings, made_with = read_settings(folder)
            rows = read_table(folder / RUNS).to_dict("records")
            known = {run.words: run for run in self.PLAN.of(settings).runs()}
            before = {known[tuple(row[n] for n in self.RUN.KEY)]: row for row in rows}
        plan = self.PLAN.of({**settings, **given})
        check_settings(folder, plan.decisive)
        finished = [run for run in plan.runs() if run in before]
        if not finished:
            raise ValueError(f"{folder} has no finished run of these")
        drawn = np.random.default_rng().permutation(len(finished))[:count]
        runs = [finished[i] for i in drawn]
        with tempfile.TemporaryDirectory() as name, self.made_with(jobs, "") as now:
            with self.progress(runs, Path(name)):
                for_each(self.execute, runs, Path(name), jobs=jobs, scheduler="")
            found = self.collect(runs, Path(name))
        print(f"made with {made_with.get('arithmetic', 'unknown')}, now {now['arithmetic']}")
        same = 0
        for run, outcome in found:
            values = map(str, self.run_row(run, outcome))
            both = zip(self.RUN_COLUMNS, values, strict=True)
            row = before[run]
            other = [c for c, value in both if not c.endswith("_s") and row[c] != value]
            same += not other
            print(f"{run.name}: {'other ' + ', '.join(other) if other else 'the same'}")
        print(f"{same} of {len(runs)} runs give the same digits")
        return 0 if same == len(runs) else 1

    def save(self, folder: Path, plan: Any, found: Sequence[tuple[Any, Any]]) -> None:
        """Add runs of a plan to the tables; lines of other runs stay."""
        for case in dict.fromkeys(run.key[:-2] for run, _ in found):
            rows = (
                (*run.key[-2:], *row)
                for run, outcome in found
                if run.key[:-2] == case
                for row in self.curve_rows(run, outcome)
            )
            add_rows(self._curves(folder, case), self.RUN.KEY[-2:], self.CURVE_COLUMNS, rows)
        # Last, as a run that is listed there counts as finished.
        super().save(folder, plan, found)

    def _curves(self, folder: Path, case: Sequence[str]) -> Path:
        return folder / CURVES / f"{'-'.join(case)}.csv"

    def load(self, folder: Path) -> Results:
        """Read what `save` wrote: the cases and algorithms with runs, in the order of the page.

        Raises ValueError if there is nothing, or it is damaged.
        """
        with reading(folder):
            settings, made_with = read_settings(folder)
            curves: dict[tuple[str, ...], dict[tuple[str, ...], Array]] = {}
            found = []
            for row in read_table(folder / RUNS).to_dict("records"):
                *words, algorithm, repetition = (row[name] for name in self.RUN.KEY)
                case = tuple(words)
                if case not in curves:
                    curves[case] = read_columns(self._curves(folder, case), self.RUN.KEY[-2:])
                curve = curves[case][algorithm, repetition]
                if "" in row.values() or int(row["evaluations"]) != curve[0][-1]:
                    raise ValueError(f"{' '.join((*case, algorithm, repetition))} is not whole")
                found.append(self.RESULT(case, algorithm, int(repetition), *curve, row))
            plan = self.PLAN.of(settings)
            begun, algorithms = {run.case for run in found}, {run.algorithm for run in found}
            cases = [case for case in plan.cases if case in begun]
            names = [name for name in plan.algorithms if name in algorithms]
            return Results(settings, made_with, cases, names, found, self.SHARED)
