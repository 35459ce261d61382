# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Repeated trials of best candidates: trials.jsonl has every trial, with its trajectory."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots import robot_name
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.records import disagreement, rows_of
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.runs.learned import Learned, names_of, read_learned
from bea_ros.system.files import read_whole, replace_file
from bea_ros.tasks import Task, Trajectory

TRIALS = "trials.jsonl"


@dataclass(frozen=True, eq=False)
class Trial:
    """One repetition of a run's best candidate; `fitness` is None if it could not be trusted.

    `duration` (s) is the planned one, and `evaluation` the run's best at that time; both are 0 in
    old files, which do not have them.
    """

    run: Path
    repetition: int
    fitness: float | None
    trajectory: Trajectory | None
    duration: float = 0.0
    evaluation: int = 0


@dataclass(frozen=True)
class Validated:
    """The trials of one run's best candidate; statistics are NaN if none could be trusted.

    `name` is that of the run, or its path if runs share a name, with the evaluation if the run has
    found a better one since then.
    """

    learned: Learned
    name: str
    trials: list[Trial] = field(default_factory=list)

    @property
    def values(self) -> NDArray[np.float64]:
        """Fitness of the trials that can be trusted."""
        return np.array([t.fitness for t in self.trials if t.fitness is not None])

    @property
    def mean(self) -> float:
        """Mean fitness."""
        return float(self.values.mean()) if self.values.size else math.nan

    @property
    def duration(self) -> str:
        """Planned duration of the trials (s) as text; "" if it was not recorded."""
        return ", ".join(sorted({f"{t.duration:g}" for t in self.trials if t.duration}))

    @property
    def compares(self) -> bool:
        """Whether all trials were as long as the evaluations of the run."""
        return self.duration in ("", f"{self.learned.duration:g}")

    @property
    def case(self) -> tuple[str, str]:
        """Robot and task."""
        return robot_name(self.learned.request["robot"]), self.learned.request["task"]

    @property
    def kind(self) -> tuple[str, ...]:
        """What must be equal for a mean over runs: case, module generation and duration."""
        return *self.case, str(self.learned.request.get("generation", "small")), self.duration


def save_trials(folder: Path, trials: Sequence[Trial], more: bool = False) -> None:
    """Write trials into a folder; `more` appends them to those already there."""
    folder.mkdir(parents=True, exist_ok=True)
    before = load_trials(folder) if more else []
    kept = {(trial.run, trial.repetition): trial for trial in [*before, *trials]}
    lines = (json.dumps(_record(trial)) + "\n" for trial in kept.values())
    replace_file(folder / TRIALS, "".join(lines))


def check_new(folder: Path, name: str, append: bool = False) -> None:
    """Raise RunFolderError if the folder has the file `name` of an earlier validation.

    `append` says whether its trials could be kept.
    """
    if (folder / name).exists():
        keep = "keep its trials beside the new ones (--append, append:=true), or " * append
        raise RunFolderError(
            f"{folder / name} is of an earlier validation: {keep}choose another --output"
            + " (output:=...)" * append
        )


def load_trials(folder: Path) -> list[Trial]:
    """The trials in a folder; raises RunFolderError."""
    path = folder / TRIALS
    try:
        lines = read_whole(path).splitlines() if path.exists() else []
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return [_trial(json.loads(line)) for line in lines]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise RunFolderError(f"{path} is damaged: remove it, or choose another --output") from None


def _trial(record: Mapping[str, Any]) -> Trial:
    poses, fitness, repetition = record["poses"], record["fitness"], record["repetition"]
    if not isinstance(repetition, int) or not (fitness is None or math.isfinite(fitness)):
        raise ValueError("no trial")
    trajectory = Trajectory(*np.array(poses, dtype=float).T) if poses else None
    duration, evaluation = float(record.get("duration", 0.0)), int(record.get("evaluation", 0))
    return Trial(Path(record["run"]), repetition, fitness, trajectory, duration, evaluation)


def validated(folder: Path) -> list[Validated]:
    """The controllers that were tried in a folder, checked; raises RunFolderError."""
    learned = cache(read_learned)
    found: dict[tuple[Path, int], Validated] = {}
    trials = load_trials(folder)
    names = names_of(trial.run for trial in trials)
    for number, trial in enumerate(trials, 1):
        place = f"{folder / TRIALS}: line {number}"
        try:
            best = learned(trial.run)
            key = trial.run, trial.evaluation or best.evaluation
            if key not in found:
                found[key] = _tried(best, key[1], names[trial.run])
        except RunFolderError as error:
            raise RunFolderError(
                f"{place}: {error}: put that run back, or choose another --output"
            ) from None
        if wrong := _disagreement(trial, best.task):
            raise RunFolderError(
                f"{place} is damaged: {wrong}: remove it, or choose another --output"
            )
        found[key].trials.append(trial)
    return list(found.values())


def unused_seed(folder: Path) -> int:
    """A simulator's seed that puts the robot to other places than in the trials of a folder."""
    return 1 + sum(len(one.trials) for one in validated(folder))


def _tried(best: Learned, evaluation: int, name: str) -> Validated:
    """A run's best candidate, or one that was the best earlier; raises RunFolderError."""
    if evaluation == best.evaluation:
        return Validated(best, name)
    for record in read_evaluations(best.folder):
        if record["evaluation"] == evaluation:
            fitness, weights = record["fitness"], dict(record["parameters"])
            earlier = replace(best, evaluation=evaluation, fitness=fitness, weights=weights)
            return Validated(earlier, f"{name}, evaluation {evaluation}")
    raise RunFolderError(f"{best.folder} has no evaluation {evaluation}")


def _disagreement(trial: Trial, task: Task) -> str:
    """Say why a fitness does not follow from its trajectory; empty if it does or is not known."""
    if trial.trajectory is None or trial.fitness is None or not trial.duration:
        return ""
    record = {"fitness": trial.fitness, "terms": {}}
    return disagreement(record, trial.trajectory, task, trial.duration)


def _record(trial: Trial) -> dict[str, Any]:
    return {
        "run": str(trial.run),
        "evaluation": trial.evaluation,
        "repetition": trial.repetition,
        "fitness": trial.fitness,
        "duration": trial.duration,
        "poses": [] if trial.trajectory is None else rows_of(trial.trajectory),
    }
