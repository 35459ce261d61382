# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the robots, on the studies' engine; fitness is maximised.

An additional trajectories.csv has the trajectory of each run's best candidate.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bea_ros.studies.engine import results
from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.data import (
    SETTINGS,
    add_rows,
    read_columns,
    read_settings,
    reading,
)
from bea_ros.studies.engine.results import Results
from bea_ros.studies.robots import EVALUATION_TIMES, FOLDER, report
from bea_ros.studies.robots.plan import ALGORITHMS, Plan, Run, installed
from bea_ros.studies.robots.store import Entry, EvaluationCounter, read
from bea_ros.studies.robots.worker import evaluator_of, execute
from bea_ros.system.execution import progress
from bea_ros.tasks import Trajectory

EVERY = 10  # evaluations between points of a curve; points with a gain are added
POSES_PER_SECOND = 2
TRAJECTORIES = "trajectories.csv"
POSE = ("t", "x", "y", "yaw")


@dataclass(frozen=True, eq=False)
class Result(results.Result):
    """A finished run, with the trajectory of its best candidate."""

    trajectory: Trajectory | None = None

    @property
    def stages(self) -> list[tuple[str, int]]:
        """The run's stages, each with its number of evaluations."""
        pairs = (word.split(":") for word in self.about["stages"].split())
        return [(stage, int(count)) for stage, count in pairs]


class RobotStudy(CurveStudy):
    """The paper's nine cases: three robots and three tasks, learned by several algorithms."""

    FOLDER = FOLDER
    QUICK: ClassVar = {"repetitions": 2, "evaluations": 30, "switch": 15, "duration": 2.0}
    PACKAGES = ("numpy", "scipy", "mujoco", "cma")
    TIMES = EVALUATION_TIMES
    SHARED = ("bo",)
    PLAN, RUN, RESULT = Plan, Run, Result
    RUN_COLUMNS = (
        "seed", "evaluations", "best", "best_evaluation", "overhead_s", "simulation_s", "failed",
        "stages", "candidate",
    )  # fmt: skip
    CURVE_COLUMNS = ("evaluation", "best", "overhead_s")
    execute = staticmethod(execute)

    def plan(self, given: Mapping[str, Any], quick: bool, folder: Path) -> Any:
        """The plan; settings without an option are those of the folder's study, if any."""
        published = given.get("profile", "default") != "default"
        base = Plan() if published else Plan(algorithms=ALGORITHMS, switch=0)
        if quick:
            base = replace(base, **self.QUICK)
        if (folder / SETTINGS).exists():
            with reading(folder):
                settings, _ = read_settings(folder)
            if not settings.keys() <= {field.name for field in fields(Plan)}:
                raise ValueError(f"{folder} is not of a study of robots: choose another --output")
            before = Plan.of(settings)
            if quick and before.evaluations != base.evaluations:
                raise ValueError(
                    f"{folder} holds another study than --quick: choose another --output"
                )
            base = before
        elif "motor" not in given:
            given = {**given, "motor": ""}
        return replace(base, **given)

    def possible(self, runs: Sequence[Run]) -> Sequence[Run]:
        for name in dict.fromkeys(run.algorithm for run in runs):
            if not installed(name):
                print(f"without {name}: pip install {name}")
        return [run for run in runs if installed(run.algorithm)]

    def carry_out(self, plan: Any, folder: Path, jobs: int, scheduler: str = "") -> Sequence[Any]:
        try:
            return super().carry_out(plan, folder, jobs, scheduler)
        except KeyboardInterrupt:
            print(
                "stopped. The same command resumes. A report of the runs that are finished: "
                f"bea bench robots --output {shlex.quote(str(folder))} --evaluation-time 0.1 1"
            )
            raise

    def progress(self, runs: Sequence[Run], files: Path) -> AbstractContextManager[None]:
        watcher = EvaluationCounter([run.path(files) for run in runs])

        def finished() -> str:
            done = zip(watcher.each(), runs, strict=True)
            return f"{sum(n >= run.evaluations for n, run in done)}/{len(runs)} runs"

        total = sum(run.evaluations for run in runs)
        return progress(total, watcher.count, "evaluations", finished)

    def outcome(self, run: Run, files: Path) -> list[Entry] | None:
        """The evaluations of a finished run; None also for a file of other settings."""
        head, entries, _ = read(run.path(files))
        finished = head == run.head and len(entries) >= run.evaluations
        return entries[: run.evaluations] if finished else None

    def run_row(self, run: Run, outcome: Sequence[Entry]) -> Sequence[Any]:
        fitness = [entry.fitness for entry in outcome]
        stages = groupby(entry.stage for entry in outcome)
        return (
            run.seed, run.evaluations, max(fitness), int(np.argmax(fitness)) + 1,
            f"{np.cumsum([entry.overhead for entry in outcome])[-1]:.3f}",
            f"{sum(entry.simulation for entry in outcome):.1f}",
            sum(not entry.measured for entry in outcome),
            " ".join(f"{stage}:{len(list(same))}" for stage, same in stages),
            " ".join(map(repr, _best(outcome))),
        )  # fmt: skip

    def curve_rows(self, run: Run, outcome: Sequence[Entry]) -> Iterable[Sequence[Any]]:
        """Rows at every gain, every EVERY evaluations and both ends."""
        best = np.maximum.accumulate([entry.fitness for entry in outcome])
        overhead = np.cumsum([entry.overhead for entry in outcome])
        n = len(best)
        gains = (np.flatnonzero(np.diff(best) > 0) + 2).tolist()
        for at in sorted({1, *gains, *range(EVERY, n + 1, EVERY), n}):
            yield at, f"{best[at - 1]:.9g}", f"{overhead[at - 1]:.4f}"

    def save(self, folder: Path, plan: Any, found: Sequence[tuple[Any, Any]]) -> None:
        if found:
            rows = ((*run.key, *pose) for run, outcome in found for pose in _poses(run, outcome))
            add_rows(folder / TRAJECTORIES, Run.KEY, POSE, rows)
        super().save(folder, plan, found)

    def load(self, folder: Path) -> Results:
        found = super().load(folder)
        with reading(folder):
            paths = read_columns(folder / TRAJECTORIES, Run.KEY)
            for i, result in enumerate(found.results):
                pose = paths.get(tuple(map(str, result.key)))
                path = None if pose is None else Trajectory(*pose)
                found.results[i] = replace(result, trajectory=path)
        return found

    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        return report.write(folder, results, times)


def _best(outcome: Sequence[Entry]) -> tuple[float, ...]:
    return next(entry.candidate for entry in reversed(outcome) if entry.candidate)


def _poses(run: Run, outcome: Sequence[Entry]) -> Iterable[list[str]]:
    path = evaluator_of(run).trajectory(np.array(_best(outcome)))
    times = np.arange(0.0, path.t[-1] + 1e-9, 1.0 / POSES_PER_SECOND)
    x, y, yaw = (np.interp(times, path.t, v) for v in (path.x, path.y, path.yaw))
    for pose in zip(times, x, y, yaw, strict=True):
        yield [f"{value:.4g}" for value in pose]
