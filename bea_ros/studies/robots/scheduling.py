# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs on all cores of this machine or on a Dask cluster, and how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bea_ros.studies.parallel import for_each, progress
from bea_ros.studies.robots.plan import Run
from bea_ros.studies.robots.store import SUFFIX
from bea_ros.studies.robots.worker import execute


def carry_out(runs: Sequence[Run], folder: Path, jobs: int = -1, scheduler: str = "") -> None:
    """Carry out runs, `jobs` at a time (-1: one per core), or on the cluster of a Dask scheduler.

    The files go to `folder`, which the workers of a cluster must share. Raises ValueError where
    Dask is not installed or does not answer, and StoreError.
    """
    watcher = EvaluationCounter([folder / f"{run.name}{SUFFIX}" for run in runs])

    def finished() -> str:
        ended = sum(watcher.of(i) >= run.evaluations for i, run in enumerate(runs))
        return f"{ended}/{len(runs)} runs"

    with progress(sum(run.evaluations for run in runs), watcher.count, "evaluations", finished):
        for_each(execute, runs, folder, jobs=jobs, scheduler=scheduler)


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
