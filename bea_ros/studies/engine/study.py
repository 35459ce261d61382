# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A study: what is missing of it is carried out, kept as tables and reported."""

from __future__ import annotations

import argparse
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs

from bea_ros.studies.engine import options
from bea_ros.studies.engine.arithmetic import described, pinned
from bea_ros.studies.engine.data import (
    SETTINGS,
    Array,
    add_rows,
    check_settings,
    read_columns,
    read_settings,
    read_table,
    reading,
    versions,
    write_settings,
)
from bea_ros.studies.engine.plan import Plan, Run
from bea_ros.studies.engine.results import Result, Results
from bea_ros.system.execution import for_each, progress

RUN_FILES = "runs"  # folder of the runs' own files, which are not needed when they are in a table
RUNS, CURVES = "runs.csv", "curves"


class Study(ABC):
    """What makes one study out of the engine.

    Its data, from which every figure and table can be made again, are

    study.json          settings and versions
    runs.csv            a line per finished run: its key and RUN_COLUMNS
    curves/CASE.csv     a line per point of a run's curve: algorithm, repetition and CURVE_COLUMNS

    Attributes:
        FOLDER: where it is kept, in a folder of its profile.
        QUICK: settings of `--quick`.
        PACKAGES: whose versions are written down.
        TIMES: evaluation times (s) of the report.
        SUFFIX: of the runs' files.
        SHARED: algorithms whose runs have the seeds of BEA's of one repetition.
        execute: carries a run out, at module level, so that another process finds it: takes the
            run and the folder of its file, which is there when it is finished.
    """

    FOLDER: ClassVar[Path]
    QUICK: ClassVar[Mapping[str, Any]]
    PACKAGES: ClassVar[tuple[str, ...]]
    TIMES: ClassVar[tuple[float, ...]]
    SUFFIX: ClassVar[str]
    SHARED: ClassVar[tuple[str, ...]] = ()
    PLAN: ClassVar[type[Plan]]
    RUN: ClassVar[type[Run]]
    RESULT: ClassVar[Any] = Result
    RUN_COLUMNS: ClassVar[tuple[str, ...]]
    CURVE_COLUMNS: ClassVar[tuple[str, ...]]
    execute: ClassVar[Callable[..., None]]

    @abstractmethod
    def outcome(self, run: Any, files: Path) -> Any:
        """What a run came to, None if it is not finished; raises ValueError."""

    @abstractmethod
    def run_row(self, run: Any, outcome: Any) -> Sequence[Any]:
        """Its values of RUN_COLUMNS."""

    @abstractmethod
    def curve_rows(self, run: Any, outcome: Any) -> Iterable[Sequence[Any]]:
        """Its values of CURVE_COLUMNS, evaluation by evaluation."""

    @abstractmethod
    def order(self, settings: dict[str, Any], found: Sequence[Result]) -> tuple[list, list]:
        """Cases and algorithms in the order in which they are shown."""

    @abstractmethod
    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        """Write the page and what else is made of the data; returns the page's path."""

    def plan(self, given: Mapping[str, Any], quick: bool, folder: Path) -> Plan:
        """What the given options ask for; raises ValueError for what cannot be."""
        return self.PLAN(**{**(self.QUICK if quick else {}), **given})

    def possible(self, runs: Sequence[Any]) -> Sequence[Any]:
        """Those of the missing runs that can be carried out here."""
        return runs

    def progress(self, runs: Sequence[Any], files: Path) -> AbstractContextManager[None]:
        """A line, while the block runs, on how far the runs are."""
        paths = [files / f"{run.name}{self.SUFFIX}" for run in runs]
        return progress(len(runs), lambda: sum(path.exists() for path in paths))

    def run(self, parsed: argparse.Namespace, *, only_report: bool) -> int:
        """Do what the options say, of which some are fields of the plan.

        Raises ValueError for what is not allowed.
        """
        options.check(parsed)
        folder = options.folder_of(parsed, self.FOLDER)
        given = options.given(parsed, [field.name for field in fields(self.PLAN)])
        if parsed.again is not None:
            return self.again(folder, parsed.again, parsed.jobs)
        if not only_report:
            plan = self.plan(given, parsed.quick, folder)
            self.carry_out(plan, folder, parsed.jobs, parsed.scheduler)
        path = self.report(folder, self.load(folder), parsed.evaluation_time or self.TIMES)
        print(f"wrote {path}")
        return 0

    def carry_out(self, plan: Plan, folder: Path, jobs: int, scheduler: str = "") -> None:
        """Carry out what the data do not have, also where the files of the runs are gone.

        Raises ValueError where the folder is of another study, and where there is no scheduler.
        """
        check_settings(folder, plan.decisive, plan.ONCE)
        known = self.known(folder)
        missing = [run for run in plan.runs() if tuple(map(str, run.key)) not in known]
        missing = list(self.possible(missing))
        if not missing:
            return
        if (folder / SETTINGS).exists():
            plan = plan.including(read_settings(folder)[0])
        files = (folder / RUN_FILES).absolute()
        # In this process, or on machines that somebody else set up.
        alone = effective_n_jobs(jobs) == 1 or scheduler
        try:
            with nullcontext(described()) if alone else pinned() as arithmetic:
                made_with = {**versions(*self.PACKAGES), "arithmetic": arithmetic}
                write_settings(folder, plan.settings, made_with)
                with self.progress(missing, files):
                    for_each(self.execute, missing, files, jobs=jobs, scheduler=scheduler)
        finally:  # what is done is worth a report also when it was stopped
            self.save(folder, plan, self.collect(missing, files))

    def again(self, folder: Path, count: int, jobs: int) -> int:
        """Carry out some of the finished runs once more; returns 0 if all digits are the same.

        What is measured in seconds may differ. Raises ValueError if there are no data.
        """
        with reading(folder):
            settings, made_with = read_settings(folder)
            rows = read_table(folder / RUNS).to_dict("records")
        plan = self.PLAN.of(settings)
        by_key = {tuple(map(str, run.key)): run for run in plan.runs()}
        drawn = np.random.default_rng().permutation(len(rows))[:count]
        chosen = {tuple(rows[i][n] for n in self.RUN.KEY): rows[i] for i in drawn}
        runs = [by_key[key] for key in chosen]
        with tempfile.TemporaryDirectory() as name, pinned() as arithmetic:
            with self.progress(runs, Path(name)):
                for_each(self.execute, runs, Path(name), jobs=jobs, scheduler="")
            found = self.collect(runs, Path(name))
        print(f"made with {made_with.get('arithmetic', 'unknown arithmetic')}, now {arithmetic}")
        same = 0
        for run, outcome in found:
            values = map(str, self.run_row(run, outcome))
            both = zip(self.RUN_COLUMNS, values, strict=True)
            before = chosen[tuple(map(str, run.key))]
            other = [c for c, value in both if not c.endswith("_s") and before[c] != value]
            same += not other
            print(f"{run.name}: {'other ' + ', '.join(other) if other else 'the same'}")
        print(f"{same} of {len(runs)} runs give the same digits")
        return 0 if same == len(runs) else 1

    def known(self, folder: Path) -> set[tuple[str, ...]]:
        """Keys of the finished runs in the data of a folder, none if there are no data yet."""
        if not (folder / RUNS).exists():
            return set()
        with reading(folder):
            rows = read_table(folder / RUNS)[list(self.RUN.KEY)]
            return set(rows.itertuples(index=False, name=None))

    def collect(self, runs: Iterable[Any], files: Path) -> list[tuple[Any, Any]]:
        """The finished runs among those in a folder of run files; raises ValueError."""
        found = ((run, self.outcome(run, files)) for run in runs)
        return [(run, outcome) for run, outcome in found if outcome is not None]

    def save(self, folder: Path, plan: Plan, found: Sequence[tuple[Any, Any]]) -> None:
        """Add runs of a plan to the tables, whose lines of other runs stay."""
        if not found:
            return
        order = {tuple(map(str, run.key)): place for place, run in enumerate(plan.runs())}
        for case in dict.fromkeys(run.key[:-2] for run, _ in found):
            rows = (
                (*run.key[-2:], *row)
                for run, outcome in found
                if run.key[:-2] == case
                for row in self.curve_rows(run, outcome)
            )
            there = {key[-2:]: place for key, place in order.items() if key[:-2] == case}
            add_rows(self._curves(folder, case), self._curve_header, rows, there)
        # Last, as a run that is listed there is taken for finished.
        runs = ((*run.key, *self.run_row(run, outcome)) for run, outcome in found)
        add_rows(folder / RUNS, (*self.RUN.KEY, *self.RUN_COLUMNS), runs, order)

    @property
    def _curve_header(self) -> tuple[str, ...]:
        return *self.RUN.KEY[-2:], *self.CURVE_COLUMNS

    def _curves(self, folder: Path, case: Sequence[str]) -> Path:
        return folder / CURVES / f"{'-'.join(case)}.csv"

    def load(self, folder: Path) -> Results:
        """Read what `save` wrote; raises ValueError if there is nothing, or it is damaged."""
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
                found.append(self.RESULT(case, algorithm, int(repetition), *curve, row))
            order = self.order(settings, found)
            return Results(settings, made_with, *order, found, self.SHARED)
