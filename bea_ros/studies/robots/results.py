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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.studies.robots.plan import Plan, Run
from bea_ros.studies.robots.store import SUFFIX, Entry, read
from bea_ros.studies.robots.worker import best_trajectory
from bea_ros.studies.study_files import (
    read_columns,
    read_rows,
    read_settings,
    reading,
    write_rows,
)
from bea_ros.tasks import Trajectory

Array = NDArray[np.float64]

EVERY = 10  # evaluations between points of a curve, besides those with a gain
POSES_PER_SECOND = 2
RUNS, CURVES, TRAJECTORIES = "runs.csv", "curves", "trajectories.csv"
RUN_COLUMNS = (
    "robot", "task", "algorithm", "repetition", "seed", "evaluations", "best", "best_evaluation",
    "overhead_s", "simulation_s", "failed", "stages", "candidate",
)  # fmt: skip
CURVE_COLUMNS = ("algorithm", "repetition", "evaluation", "best", "overhead_s")
TRAJECTORY_COLUMNS = ("robot", "task", "algorithm", "repetition", "t", "x", "y", "yaw")


@dataclass(frozen=True, eq=False)
class Result:
    """A finished run: at `evaluation` (n,) the `best` fitness and the `overhead` (s) so far.

    `stages` are those it went through, each with its number of evaluations.
    """

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
    stages: tuple[tuple[str, int], ...]
    trajectory: Trajectory | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Which run it is: robot, task, algorithm and repetition."""
        return self.robot, self.task, self.algorithm, self.repetition

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
        tuple((stage, len(list(same))) for stage, same in groupby(e.stage for e in entries)),
    )  # fmt: skip


def collect(runs: Iterable[Run], folder: Path) -> list[Result]:
    """The finished runs among those in a folder of run files; raises StoreError.

    Files of other runs, which a study with other settings left there, are passed over.
    """
    found = []
    for run in runs:
        head, entries = read(folder / f"{run.name}{SUFFIX}")
        if head == run.head and len(entries) >= run.evaluations:
            result = result_of(run, entries[: run.evaluations])
            path = best_trajectory(run, result.candidate)
            found.append(replace(result, trajectory=path))
    return found


def known(folder: Path) -> list[Result]:
    """The finished runs in the data of a folder, none if there are no data yet."""
    return load(folder).results if (folder / RUNS).exists() else []


def save(folder: Path, plan: Plan, results: Iterable[Result]) -> None:
    """Write the CSV files; the results have their trajectories."""
    order = {run.key: number for number, run in enumerate(plan.runs())}
    ordered = sorted(results, key=lambda result: order[result.key])
    write_rows(folder / RUNS, RUN_COLUMNS, (_row(plan, result) for result in ordered))
    for robot, task in dict.fromkeys((result.robot, result.task) for result in ordered):
        own = (result for result in ordered if (result.robot, result.task) == (robot, task))
        rows = (row for result in own for row in _curve(result))
        write_rows(folder / CURVES / f"{robot}-{task}.csv", CURVE_COLUMNS, rows)
    rows = (row for result in ordered for row in _path(result))
    write_rows(folder / TRAJECTORIES, TRAJECTORY_COLUMNS, rows)


def load(folder: Path) -> Results:
    """Read what `save` wrote; raises ValueError if there is nothing, or it is damaged."""
    with reading(folder):
        settings, versions = read_settings(folder)
        curves = {
            (*path.stem.rsplit("-", 1), *key): columns
            for path in (folder / CURVES).glob("*.csv")
            for key, columns in read_columns(path, CURVE_COLUMNS[:2]).items()
        }
        paths = {
            key: Trajectory(*columns)
            for key, columns in read_columns(folder / TRAJECTORIES, TRAJECTORY_COLUMNS[:4]).items()
        }
        results = []
        for row in read_rows(folder / RUNS):
            key = tuple(row[name] for name in RUN_COLUMNS[:4])
            evaluation, best, overhead = curves[key]
            best[best == best[-1]] = float(row["best"])  # which has every digit
            results.append(
                Result(
                    row["robot"], row["task"], row["algorithm"], int(row["repetition"]),
                    evaluation, best, overhead, tuple(map(float, row["candidate"].split())),
                    int(row["failed"]), float(row["simulation_s"]), _stages(row["stages"]),
                    paths.get(key),
                )
            )  # fmt: skip
    return Results(settings, versions, results)


def _row(plan: Plan, result: Result) -> list[Any]:
    run = Run(*result.key, **plan.decisive)
    reached = int(result.evaluation[np.argmax(result.best)])
    return [
        *result.key, run.seed, run.evaluations,
        repr(float(result.best[-1])), reached, f"{result.overhead[-1]:.3f}",
        f"{result.simulation:.1f}", result.failed,
        " ".join(f"{stage}:{count}" for stage, count in result.stages),
        " ".join(map(repr, result.candidate)),
    ]  # fmt: skip


def _stages(text: str) -> tuple[tuple[str, int], ...]:
    pairs = (word.split(":") for word in text.split())
    return tuple((stage, int(count)) for stage, count in pairs)


def _curve(result: Result) -> Iterable[list[Any]]:
    points = zip(result.evaluation, result.best, result.overhead, strict=True)
    for evaluation, best, overhead in points:
        start = [result.algorithm, result.repetition, int(evaluation)]
        yield [*start, f"{best:.9g}", f"{overhead:.4f}"]


def _path(result: Result) -> Iterable[list[Any]]:
    path = result.trajectory
    assert path is not None
    times = np.arange(0.0, path.t[-1] + 1e-9, 1.0 / POSES_PER_SECOND)
    x, y, yaw = (np.interp(times, path.t, v) for v in (path.x, path.y, path.yaw))
    for pose in zip(times, x, y, yaw, strict=True):
        yield [*result.key, *(f"{value:.4g}" for value in pose)]
