# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A study: missing runs are carried out, and their results are kept in a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
from joblib import effective_n_jobs

from bea_ros.studies.engine.arithmetic import described, pinned
from bea_ros.studies.engine.data import (
    SETTINGS,
    DataError,
    add_rows,
    check_settings,
    read_settings,
    read_table,
    reading,
    write_settings,
)
from bea_ros.studies.engine.plan import Selection
from bea_ros.system.execution import for_each, progress
from bea_ros.system.versions import commit_of_checkout, versions_of

RUN_FILES = "runs"  # folder of the runs' own files; not needed once they are in the table
RUNS = "runs.csv"


class Study(ABC):
    """The engine's part of every study, whatever its runs measure.

    Every figure and table can be made again from its data:

    study.json          settings and versions
    runs.csv            a line per finished run: its key and `run_columns`

    Attributes:
        FOLDER: the study's folder.
        QUICK: settings of `--quick`.
        PACKAGES: packages whose versions are recorded.
        execute: carries out a run. It takes the run and the folder of its file, which exists when
            the run is finished. It is at module level, so that other processes can import it.
    """

    FOLDER: ClassVar[Path]
    QUICK: ClassVar[Mapping[str, Any]]
    PACKAGES: ClassVar[tuple[str, ...]]
    PLAN: ClassVar[Any]
    RUN: ClassVar[Any]
    RUN_COLUMNS: ClassVar[tuple[str, ...]]
    execute: ClassVar[Callable[..., None]]

    def outcome(self, run: Any, files: Path) -> Any:
        """Result of a run, None if it is not finished; raises ValueError for a damaged file."""
        return run.read(files)

    @abstractmethod
    def run_row(self, run: Any, outcome: Any) -> Sequence[Any]:
        """Its values of `run_columns`."""

    def plan(self, given: Mapping[str, Any], quick: bool, folder: Path) -> Any:
        """The plan with the given options; raises ValueError for a value that is not allowed."""
        return self.PLAN(**{**(self.QUICK if quick else {}), **given})

    def run_columns(self, plan: Any) -> Sequence[str]:
        """The table's columns after those of a run's key."""
        return self.RUN_COLUMNS

    def finished(self, table: pd.DataFrame, plan: Any) -> pd.DataFrame:
        """The table's lines whose runs a plan does not repeat."""
        return table

    def possible(self, runs: Sequence[Any]) -> Sequence[Any]:
        """The missing runs that can be carried out on this machine."""
        return runs

    def progress(self, runs: Sequence[Any], files: Path) -> AbstractContextManager[None]:
        """Show a line of progress during the block."""
        paths = [run.path(files) for run in runs]
        return progress(len(runs), lambda: sum(path.exists() for path in paths))

    @contextmanager
    def made_with(self, jobs: int, scheduler: str) -> Iterator[dict[str, str]]:
        """Versions and arithmetic of the numbers computed in the block."""
        # Only new local processes are pinned, neither this one nor a cluster's.
        alone = effective_n_jobs(jobs) == 1 or scheduler
        commit = commit_of_checkout()  # None outside of git
        known = versions_of(*self.PACKAGES) | ({} if commit is None else {"commit": commit})
        with nullcontext(described()) if alone else pinned() as arithmetic:
            yield {**known, "arithmetic": arithmetic}

    def carry_out(
        self, plan: Selection, folder: Path, jobs: int, scheduler: str = ""
    ) -> Sequence[tuple[Any, Any]]:
        """Carry out the runs that the data lack; the files of earlier runs are not needed.

        Returns the new runs and their results. Raises ValueError if the folder has another study,
        or if the scheduler does not answer.
        """
        check_settings(folder, plan.decisive)
        table = self.table(folder)
        listed = set(self._keys(table))
        known = set(self._keys(self.finished(table, plan))) if listed else set()
        missing = self.possible([run for run in plan.runs() if run.words not in known])
        if not missing:
            return []
        if len(table) and list(table) != [*self.RUN.KEY, *self.run_columns(plan)]:
            raise ValueError(f"{folder / RUNS} has other columns: choose another --output")
        if (folder / SETTINGS).exists():
            plan = plan.including(read_settings(folder)[0])
        files = (folder / RUN_FILES).absolute()
        for run in missing:
            if run.words in listed:
                run.path(files).unlink(missing_ok=True)
        try:
            with self.made_with(jobs, scheduler) as made_with:
                write_settings(folder, plan.settings, made_with)
                with self.progress(missing, files):
                    for_each(self.execute, missing, files, jobs=jobs, scheduler=scheduler)
        finally:  # finished runs are saved also after an interruption
            found = self.collect(missing, files)
            self.save(folder, plan, found)
        return found

    def table(self, folder: Path) -> pd.DataFrame:
        """The lines of the finished runs in a folder, all values as text; may be empty."""
        if not (folder / RUNS).exists():
            return pd.DataFrame(columns=list(self.RUN.KEY))
        with reading(folder):
            table = read_table(folder / RUNS)
        for name in self.RUN.KEY:
            if name not in table:
                raise DataError(
                    f"{folder / RUNS} has no column '{name}', as it is damaged or of another "
                    "study: restore it, or choose another --output"
                )
        return table

    def _keys(self, table: pd.DataFrame) -> list[tuple[str, ...]]:
        return list(table[list(self.RUN.KEY)].itertuples(index=False, name=None))

    def collect(self, runs: Iterable[Any], files: Path) -> list[tuple[Any, Any]]:
        """The finished ones of `runs`, with results from a folder of files; raises ValueError."""
        found = ((run, self.outcome(run, files)) for run in runs)
        return [(run, outcome) for run, outcome in found if outcome is not None]

    def save(self, folder: Path, plan: Any, found: Sequence[tuple[Any, Any]]) -> None:
        """Add runs of a plan to the table; lines of other runs stay."""
        if found:
            rows = ((*run.key, *self.run_row(run, outcome)) for run, outcome in found)
            add_rows(folder / RUNS, self.RUN.KEY, self.run_columns(plan), rows)
