# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study's data as small CSV files, from which every figure and table can be made again.

study.json              settings and versions
runs.csv                one line per finished run, with its best candidate
curves/ROBOT-TASK.csv   best fitness and overhead so far of each run: at every gain and every ten
                        evaluations
trajectories.csv        where the best candidate of each run takes the robot
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.experiments.robot_study.plan import Plan, Run
from bea_ros.experiments.robot_study.store import SUFFIX, Entry, read
from bea_ros.tasks import Trajectory

Array = NDArray[np.float64]

EVERY = 10  # evaluations between points of a curve, besides those with a gain
POSES_PER_SECOND = 2
SETTINGS, RUNS, CURVES, TRAJECTORIES = "study.json", "runs.csv", "curves", "trajectories.csv"
RUN_COLUMNS = (
    "robot", "task", "algorithm", "repetition", "seed", "evaluations", "best", "best_evaluation",
    "overhead_s", "simulation_s", "failed", "candidate",
)  # fmt: skip
CURVE_COLUMNS = ("algorithm", "repetition", "evaluation", "best", "overhead_s")
TRAJECTORY_COLUMNS = ("robot", "task", "algorithm", "repetition", "t", "x", "y", "yaw")


@dataclass(frozen=True, eq=False)
class Result:
    """A finished run: at `evaluation` (n,) the `best` fitness and the `overhead` (s) so far."""

    robot: str
    task: str
    algorithm: str
    repetition: int
    evaluation: Array
    best: Array
    overhead: Array
    candidate: tuple[float, ...]
    failed: int
    simulation: float  # CPU s in all
    trajectory: Trajectory | None = None

    def times(self, evaluation_time: float) -> Array:
        """Computation time (s), shape (n,), if each evaluation takes `evaluation_time` s."""
        return evaluation_time * self.evaluation + self.overhead


@dataclass(frozen=True)
class Results:
    """What the study found so far; `settings` are those of the plan."""

    settings: dict[str, Any]
    versions: dict[str, str]
    results: list[Result] = field(default_factory=list)

    def of(self, robot: str, task: str, algorithm: str) -> list[Result]:
        """The runs of an algorithm in a case."""
        return [
            r for r in self.results if (r.robot, r.task, r.algorithm) == (robot, task, algorithm)
        ]

    @property
    def algorithms(self) -> list[str]:
        """Algorithms with a finished run, in the plan's order."""
        return [
            name
            for name in self.settings["algorithms"]
            if any(result.algorithm == name for result in self.results)
        ]

    @property
    def cases(self) -> list[tuple[str, str]]:
        """Robot and task of each case, in the plan's order."""
        return [(r, t) for t in self.settings["tasks"] for r in self.settings["robots"]]


def check_settings(folder: Path, plan: Plan) -> None:
    """Refuse a folder whose data were made with other settings; raises ValueError."""
    path = folder / SETTINGS
    if not path.exists():
        return
    before = json.loads(path.read_text())["settings"]
    for name, value in plan.decisive.items():
        if before.get(name) != value:
            raise ValueError(
                f"{folder} is of a study with {name} {before.get(name)!r}, not {value!r}: "
                "choose another --output"
            )


def result_of(run: Run, entries: Sequence[Entry]) -> Result:
    """What a finished run came to."""
    best = np.maximum.accumulate([entry.fitness for entry in entries])
    overhead = np.cumsum([entry.overhead for entry in entries])
    n = len(entries)
    gains = (np.flatnonzero(np.diff(best) > 0) + 2).tolist()
    points = sorted({1, *gains, *range(EVERY, n + 1, EVERY), n})
    kept = np.array(points) - 1
    return Result(
        run.robot, run.task, run.algorithm, run.repetition,
        np.array(points, dtype=float), best[kept], overhead[kept],
        next(entry.candidate for entry in reversed(entries) if entry.candidate),
        sum(not entry.measured for entry in entries),
        sum(entry.simulation for entry in entries),
    )  # fmt: skip


def collect(runs: Iterable[Run], folder: Path) -> list[tuple[Run, Result]]:
    """The finished runs among those in a folder of run files; raises StoreError."""
    found = []
    for run in runs:
        _, entries = read(folder / f"{run.name}{SUFFIX}")
        if len(entries) >= run.evaluations:
            found.append((run, result_of(run, entries[: run.evaluations])))
    return found


def save(
    folder: Path,
    plan: Plan,
    versions: dict[str, str],
    found: Sequence[tuple[Run, Result]],
    trajectories: Sequence[Trajectory],
) -> None:
    """Write the CSV files and the settings."""
    _write(folder / RUNS, RUN_COLUMNS, (_row(run, result) for run, result in found))
    ordered = sorted((result for _, result in found), key=lambda r: (r.robot, r.task))
    for (robot, task), results in groupby(ordered, key=lambda r: (r.robot, r.task)):
        rows = (row for result in results for row in _curve(result))
        _write(folder / CURVES / f"{robot}-{task}.csv", CURVE_COLUMNS, rows)
    paths = zip(found, trajectories, strict=True)
    rows = (row for (run, _), path in paths for row in _path(run, path))
    _write(folder / TRAJECTORIES, TRAJECTORY_COLUMNS, rows)
    settings = {"settings": asdict(plan), "versions": versions}
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1) + "\n")


def load(folder: Path) -> Results:
    """Read what `save` wrote; raises ValueError if there is nothing, or it is damaged."""
    try:
        about = json.loads((folder / SETTINGS).read_text())
        curves = _load_curves(folder)
        paths = _load_trajectories(folder)
        results = [
            Result(
                row["robot"], row["task"], row["algorithm"], int(row["repetition"]),
                *curves[key],
                tuple(map(float, row["candidate"].split())),
                int(row["failed"]), float(row["simulation_s"]), paths.get(key),
            )
            for row in _rows(folder / RUNS)
            for key in [tuple(row[name] for name in RUN_COLUMNS[:4])]
        ]  # fmt: skip
    except FileNotFoundError as error:
        raise ValueError(f"{folder} holds no study: {error.filename} is missing") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder}: the study's data are damaged ({error!r})") from error
    return Results(about["settings"], about["versions"], results)


def _row(run: Run, result: Result) -> list[Any]:
    reached = int(result.evaluation[np.argmax(result.best)])
    return [
        run.robot, run.task, run.algorithm, run.repetition, run.seed, run.evaluations,
        repr(float(result.best[-1])), reached, f"{result.overhead[-1]:.3f}",
        f"{result.simulation:.1f}", result.failed, " ".join(map(repr, result.candidate)),
    ]  # fmt: skip


def _curve(result: Result) -> Iterable[list[Any]]:
    points = zip(result.evaluation, result.best, result.overhead, strict=True)
    for evaluation, best, overhead in points:
        start = [result.algorithm, result.repetition, int(evaluation)]
        yield [*start, f"{best:.6g}", f"{overhead:.4f}"]


def _path(run: Run, path: Trajectory) -> Iterable[list[Any]]:
    start = [run.robot, run.task, run.algorithm, run.repetition]
    times = np.arange(0.0, path.t[-1] + 1e-9, 1.0 / POSES_PER_SECOND)
    x, y, yaw = (np.interp(times, path.t, v) for v in (path.x, path.y, path.yaw))
    for pose in zip(times, x, y, yaw, strict=True):
        yield [*start, *(f"{value:.4g}" for value in pose)]


def _load_curves(folder: Path) -> dict[tuple[str, ...], tuple[Array, Array, Array]]:
    points: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for path in sorted((folder / CURVES).glob("*.csv")):
        for row in _rows(path):
            key = (*path.stem.rsplit("-", 1), row["algorithm"], row["repetition"])
            values = tuple(float(row[name]) for name in CURVE_COLUMNS[2:])
            points.setdefault(key, []).append(values)
    columns = {key: np.array(rows).T for key, rows in points.items()}
    return {key: (c[0], c[1], c[2]) for key, c in columns.items()}


def _load_trajectories(folder: Path) -> dict[tuple[str, ...], Trajectory]:
    poses: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for row in _rows(folder / TRAJECTORIES):
        key = tuple(row[name] for name in TRAJECTORY_COLUMNS[:4])
        values = tuple(float(row[name]) for name in TRAJECTORY_COLUMNS[4:])
        poses.setdefault(key, []).append(values)
    return {key: Trajectory(*np.array(rows).T) for key, rows in poses.items()}


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
