# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run as tables, for notebooks and other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bea_ros.runs.folder.head import REQUEST, RunFolderError, read_head
from bea_ros.runs.folder.lock import in_use
from bea_ros.runs.folder.measurements import (
    Record,
    best_of,
    evaluations_of,
    is_finished,
    measurements,
    spread,
)
from bea_ros.runs.folder.run_folder import read_measurements, read_trajectories
from bea_ros.tasks import Trajectory, unit_of

FINISHED, GOING, STOPPED = "finished", "learning", "stopped"


@dataclass(frozen=True)
class Run:
    """The contents of a run's folder.

    `request` has the settings of the run (robot, task, seed, ...), and `surroundings` the further
    arguments that it was started with. `files` has the contents of the files that these name.
    `lines` are the measurements of the log, in their order.
    """

    folder: Path
    request: dict[str, Any]
    surroundings: dict[str, Any]
    versions: dict[str, str]
    files: dict[str, Any]
    lines: list[Record]

    @cached_property
    def records(self) -> list[Record]:
        """The evaluations: each is a candidate with all its measurements (measurements.py)."""
        return evaluations_of(self.lines)

    @cached_property
    def paths(self) -> dict[int, Trajectory]:
        """The trajectory of each evaluation's last measurement; raises RunFolderError."""
        return read_trajectories(self.folder)

    @property
    def unit(self) -> str:
        """Unit of the fitness; empty for a task that this installation does not have."""
        return unit_of(str(self.request.get("task")))

    @property
    def best(self) -> Record | None:
        """The best evaluation, if one was measured."""
        return best_of(self.records)

    @property
    def state(self) -> str:
        """`finished`, `learning` (a learner is writing the folder) or `stopped`."""
        if in_use(self.folder):
            return GOING
        return FINISHED if is_finished(self.request, self.records) else STOPPED

    @property
    def log(self) -> pd.DataFrame:
        """A row per line of the log, with columns such as `parameters.leg_01`."""
        return pd.DataFrame([dict(_flat(line)) for line in self.lines])

    @property
    def evaluations(self) -> pd.DataFrame:
        """A row per evaluation, with its number as index.

        `fitness` is the mean of the measurements, `measurements` their number, `spread` their
        standard deviation, and `best` the best fitness so far.
        """
        rows = []
        best = -np.inf
        for record in self.records:
            given_up = bool(record.get("given_up", False))
            best = best if given_up else max(best, record["fitness"])
            left = ("measurements", "told", "doubted", "given_up", "kind")
            row = dict(_flat({n: v for n, v in record.items() if n not in left}))
            row |= {"measurements": len(measurements(record)), "spread": spread(record)}
            rows.append(row | {"given_up": given_up, "best": best if best > -np.inf else np.nan})
        first = ["evaluation", "stage", "fitness", "best", "measurements", "spread", "given_up"]
        table = pd.DataFrame(rows, columns=None if rows else first)
        rest = [name for name in table.columns if name not in first]
        return table[first + rest].set_index("evaluation")

    @property
    def trajectories(self) -> pd.DataFrame:
        """A row per pose: `evaluation`, `t` (s), `x`, `y` (m), `yaw` (rad)."""
        columns = ["evaluation", "t", "x", "y", "yaw"]
        parts = [
            pd.DataFrame({"evaluation": number, "t": p.t, "x": p.x, "y": p.y, "yaw": p.yaw})
            for number, p in sorted(self.paths.items())
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def load_run(folder: Path | str) -> Run:
    """Read a run's folder; raises RunFolderError."""
    folder = Path(folder)
    head = read_head(folder)
    if head is None:
        raise RunFolderError(f"{folder} is not the folder of a run: it has no {REQUEST}")
    surroundings, versions, files = (
        head.get(name, {}) for name in ("surroundings", "versions", "files")
    )
    lines = read_measurements(folder)
    return Run(folder, dict(head["request"]), surroundings, versions, files, lines)


def runs_below(folder: Path) -> list[Path]:
    """The folders of runs at or below this folder, in the order of their names.

    Links to folders are followed; a folder that is found twice counts once. Hidden ones do not.
    Raises RunFolderError if the folder does not exist, and OSError if it cannot be read.
    """
    if not folder.is_dir():
        raise RunFolderError(f"{folder} is not a folder")
    os.scandir(folder).close()  # raises: walk takes a folder that cannot be read for an empty one
    runs: list[Path] = []
    seen: set[str] = set()

    def unread(error: OSError) -> None:
        """A folder that cannot be read may be a run: it is told as damage."""
        runs.append(Path(error.filename))

    for place, inner, files in os.walk(folder, onerror=unread, followlinks=True):
        if (real := os.path.realpath(place)) in seen:
            inner.clear()
            continue
        seen.add(real)
        if REQUEST in (*files, *inner):  # a folder of that name is told as damage
            runs.append(Path(place))
        inner[:] = sorted(name for name in inner if not name.startswith("."))
    return sorted(runs)


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value under its path: `a: {b: 1}` as `a.b`."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
