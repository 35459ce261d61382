# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs on all cores of this machine or on a Dask cluster, and how far they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bea_ros.experiments.robot_study.plan import Run
from bea_ros.experiments.robot_study.store import SUFFIX
from bea_ros.experiments.robot_study.worker import execute

POLL = 1.0  # s between looks at the files
RECENT = 300.0  # s over which the speed is averaged for the time left


def carry_out(runs: Sequence[Run], folder: Path, jobs: int = -1, scheduler: str = "") -> None:
    """Carry out runs, `jobs` at a time (-1: one per core), or on the cluster of a Dask scheduler.

    The files go to `folder`, which the workers of a cluster must share. Raises ValueError where
    Dask is not installed or does not answer, and StoreError.
    """
    with _progress(runs, folder), _backend(scheduler):
        # Once each worker has its robots loaded it is quick; a batch of one keeps all cores busy.
        Parallel(n_jobs=jobs, batch_size=1, pre_dispatch="all")(
            delayed(execute)(run, folder) for run in runs
        )


def _backend(scheduler: str) -> Any:
    if not scheduler:
        return nullcontext()
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install distributed") from None
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, TimeoutError) as error:
        raise ValueError(f"no Dask scheduler at {scheduler}: {error}") from None
    return _on_cluster(client)


@contextmanager
def _on_cluster(client: Any) -> Iterator[None]:
    with client, parallel_config(backend="dask"):
        yield


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
