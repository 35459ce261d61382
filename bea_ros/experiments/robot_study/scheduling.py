# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs on all cores of this machine or on a Dask cluster, and how far they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bea_ros.experiments.parallel import RECENT, for_each
from bea_ros.experiments.robot_study.plan import Run
from bea_ros.experiments.robot_study.store import SUFFIX
from bea_ros.experiments.robot_study.worker import execute

POLL = 1.0  # s between looks at the files


def carry_out(runs: Sequence[Run], folder: Path, jobs: int = -1, scheduler: str = "") -> None:
    """Carry out runs, `jobs` at a time (-1: one per core), or on the cluster of a Dask scheduler.

    The files go to `folder`, which the workers of a cluster must share. Raises ValueError where
    Dask is not installed or does not answer, and StoreError.
    """
    with _progress(runs, folder):
        for_each(execute, runs, folder, jobs=jobs, scheduler=scheduler)


@contextmanager
def _progress(runs: Sequence[Run], folder: Path) -> Iterator[None]:
    """A line that says how many evaluations are done, and how long the others will take."""
    total = sum(run.evaluations for run in runs)
    columns = (
        TextColumn("evaluations"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[runs]}"),
    )
    done = threading.Event()
    watcher = EvaluationCounter([folder / f"{run.name}{SUFFIX}" for run in runs])
    console = Console(stderr=True)
    with Progress(*columns, console=console, speed_estimate_period=RECENT) as progress:
        task = progress.add_task("", total=total, completed=watcher.count(), runs="")

        def look() -> None:
            counted = watcher.count()
            finished = sum(watcher.of(i) >= run.evaluations for i, run in enumerate(runs))
            progress.update(task, completed=counted, runs=f"{finished}/{len(runs)} runs")

        def watch() -> None:
            while not done.wait(POLL):
                look()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            look()


class EvaluationCounter:
    """Counts the evaluations in files that grow, and reads each part of them once."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._offsets = [0] * len(paths)
        self._lines = [0] * len(paths)

    def count(self) -> int:
        """Evaluations in all files now."""
        for i, path in enumerate(self._paths):
            try:
                with path.open("rb") as file:
                    file.seek(self._offsets[i])
                    new = file.read()
            except FileNotFoundError:
                continue
            self._offsets[i] += new.rfind(b"\n") + 1
            self._lines[i] += new.count(b"\n")
        return sum(self.of(i) for i in range(len(self._paths)))

    def of(self, i: int) -> int:
        """Evaluations in the i-th file when they were last counted; its first line is the head."""
        return max(self._lines[i] - 1, 0)
