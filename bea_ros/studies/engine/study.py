# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A study: what is missing of it is carried out and kept in a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from bea_ros.studies.engine.data import (
    SETTINGS,
    add_rows,
    check_settings,
    read_settings,
    read_table,
    reading,
    versions,
    write_settings,
)
from bea_ros.studies.engine.plan import Selection
from bea_ros.system.execution import for_each, progress

RUN_FILES = "runs"  # folder of the runs' own files, which are not needed when they are in a table
RUNS = "runs.csv"


class Study(ABC):
    """What the engine does for every study, whatever its runs come to.

    Its data, from which every figure and table can be made again, are

    study.json          settings and versions
    runs.csv            a line per finished run: its key and `run_columns`

    Attributes:
        FOLDER: where it is kept.
        QUICK: settings of `--quick`.
        PACKAGES: whose versions are written down.
        SUFFIX: of the runs' files.
        execute: carries a run out, at module level, so that another process finds it: takes the
            run and the folder of its file, which is there when it is finished.
    """

    FOLDER: ClassVar[Path]
    QUICK: ClassVar[Mapping[str, Any]]
    PACKAGES: ClassVar[tuple[str, ...]]
    SUFFIX: ClassVar[str]
    PLAN: ClassVar[Any]
    RUN: ClassVar[Any]
    RUN_COLUMNS: ClassVar[tuple[str, ...]]
    execute: ClassVar[Callable[..., None]]

    @abstractmethod
    def outcome(self, run: Any, files: Path) -> Any:
        """What a run came to, None if it is not finished; raises ValueError."""

    @abstractmethod
    def run_row(self, run: Any, outcome: Any) -> Sequence[Any]:
        """Its values of `run_columns`."""

    def plan(self, given: Mapping[str, Any], quick: bool, folder: Path) -> Any:
        """What the given options ask for; raises ValueError for what cannot be."""
        return self.PLAN(**{**(self.QUICK if quick else {}), **given})

    def run_columns(self, plan: Any) -> Sequence[str]:
        """The table's columns behind those of a run's key."""
        return self.RUN_COLUMNS

    def finished(self, table: pd.DataFrame) -> pd.DataFrame:
        """Those of the table's lines whose runs need not be repeated."""
        return table

    def possible(self, runs: Sequence[Any]) -> Sequence[Any]:
        """Those of the missing runs that can be carried out here."""
        return runs

    def progress(self, runs: Sequence[Any], files: Path) -> AbstractContextManager[None]:
        """A line, while the block runs, on how far the runs are."""
        paths = [files / f"{run.name}{self.SUFFIX}" for run in runs]
        return progress(len(runs), lambda: sum(path.exists() for path in paths))

    def made_with(self, jobs: int, scheduler: str) -> AbstractContextManager[dict[str, str]]:
        """What numbers are made with that are computed in the block."""
        return nullcontext(versions(*self.PACKAGES))

    def places(self, plan: Any, keys: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
        """Where in the table runs stand; what has no place comes last."""
        return {tuple(map(str, run.key)): place for place, run in enumerate(plan.runs())}

    def carry_out(
        self, plan: Selection, folder: Path, jobs: int, scheduler: str = ""
    ) -> Sequence[tuple[Any, Any]]:
        """Carry out what the data do not have, also where the files of the runs are gone.

        Returns the new runs and what they came to. Raises ValueError where the folder is of
        another study, and where there is no scheduler.
        """
        check_settings(folder, plan.decisive, plan.ONCE)
        table = self.table(folder)
        known = set(self._keys(self.finished(table))) if len(table) else set()
        missing = [run for run in plan.runs() if tuple(map(str, run.key)) not in known]
        missing = list(self.possible(missing))
        if not missing:
            return []
        if len(table) and list(table) != [*self.RUN.KEY, *self.run_columns(plan)]:
            raise ValueError(f"{folder / RUNS} has other columns: choose another --output")
        if (folder / SETTINGS).exists():
            plan = plan.including(read_settings(folder)[0])
        files = (folder / RUN_FILES).absolute()
        try:
            with self.made_with(jobs, scheduler) as made_with:
                write_settings(folder, plan.settings, made_with)
                with self.progress(missing, files):
                    for_each(self.execute, missing, files, jobs=jobs, scheduler=scheduler)
        finally:  # what is done is worth a report also when it was stopped
            found = self.collect(missing, files)
            self.save(folder, plan, found)
        return found

    def table(self, folder: Path) -> pd.DataFrame:
        """The lines of the finished runs in a folder, every value as it is written; maybe none."""
        if not (folder / RUNS).exists():
            return pd.DataFrame(columns=list(self.RUN.KEY))
        with reading(folder):
            table = read_table(folder / RUNS)
            self._keys(table)
            return table

    def _keys(self, table: pd.DataFrame) -> list[tuple[str, ...]]:
        return list(table[list(self.RUN.KEY)].itertuples(index=False, name=None))

    def collect(self, runs: Iterable[Any], files: Path) -> list[tuple[Any, Any]]:
        """The finished runs among those in a folder of run files; raises ValueError."""
        found = ((run, self.outcome(run, files)) for run in runs)
        return [(run, outcome) for run, outcome in found if outcome is not None]

    def save(self, folder: Path, plan: Any, found: Sequence[tuple[Any, Any]]) -> None:
        """Add runs of a plan to the table, whose lines of other runs stay."""
        if not found:
            return
        keys = [tuple(map(str, run.key)) for run, _ in found]
        order = self.places(plan, {*keys, *self._keys(self.table(folder))})
        rows = ((*run.key, *self.run_row(run, outcome)) for run, outcome in found)
        add_rows(folder / RUNS, (*self.RUN.KEY, *self.run_columns(plan)), rows, order)
