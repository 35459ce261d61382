# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the records in a run's logs: measurements and trajectories.

A check takes a complete record and the latest evaluation before it, which is None after damage.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bea_ros.runs.folder.log import Record
from bea_ros.runs.folder.measurements import COMPUTED, CORRECTION, REPETITION
from bea_ros.tasks import Task, Trajectory

DIGITS = 5  # decimals of stored poses
CLOSE = 1e-4  # absolute (m, rad, m/s, ...), or relative for numbers above 1
JITTERED = 40


def check_measurement(record: Record, latest: int | None) -> None:
    """Raise ValueError, with the reason, if this is not a measurement of the evaluation due."""
    number, kind = record["evaluation"], record.get("kind")
    if kind not in (None, REPETITION, CORRECTION):
        raise ValueError(f"its kind {kind!r} is unknown")
    if latest is not None:
        if kind is None and number != latest + 1:
            raise ValueError(f"it has evaluation {number}, not {latest + 1}")
        if kind is not None and number > latest:
            raise ValueError(f"it is a {kind} of evaluation {number}, which is not there")
    if not is_finite(record.get("fitness")):
        raise ValueError("its fitness is not a finite number")
    for name in ("parameters", "terms", "predicted"):
        numbers = record.get(name, {} if name == "predicted" else None)
        if not isinstance(numbers, dict) or not all(map(is_finite, numbers.values())):
            raise ValueError(f"its {name} must be finite numbers by name")
    if computed := COMPUTED & record.keys():
        raise ValueError(f"it has {min(computed)}, which is computed of several lines")
    if not isinstance(record.get("stage"), str) or not isinstance(record.get("attempts"), int):
        raise ValueError("it has no stage or no attempts")
    time = record.get("time")
    if not isinstance(time, dict) or not {"overhead", "evaluation"} <= set(time):
        raise ValueError("its time has no overhead or no evaluation")
    if not all(is_finite(value) and value >= 0 for name, value in time.items() if name != "at"):
        raise ValueError("its times must be finite numbers, none below 0")


def check_trajectory(record: Record, latest: int | None) -> None:
    """Raise ValueError, with the reason, if this is not a trajectory."""
    trajectory_of_record(record)


def record_of_trajectory(evaluation: int, trajectory: Trajectory) -> Record:
    """Return the record of an evaluation's trajectory."""
    return {"evaluation": evaluation, "poses": rows_of(trajectory)}


def disagreement(record: Record, trajectory: Trajectory, task: Task, duration: float) -> str:
    """Say which number of a measurement does not follow from its trajectory; empty if all do.

    A number must be within CLOSE of the recomputed one. It may also differ by twice the spread
    over JITTERED trajectories, which would be stored as this one.
    """
    told = {**record["terms"], "fitness": record["fitness"]}
    computed = task.evaluate(trajectory, duration).terms
    doubtful = [
        name
        for name, value in computed.items()
        if name in told and abs(told[name] - value) > CLOSE * max(1.0, abs(value))
    ]
    if not doubtful:
        return ""
    chance, others = np.random.default_rng(0), []
    for _ in range(JITTERED):
        rows = trajectory.poses
        rows += chance.uniform(-0.5, 0.5, rows.shape) * 10.0**-DIGITS
        rows[:, 0] = np.maximum.accumulate(rows[:, 0]) + 1e-12 * np.arange(len(rows))
        others.append(task.evaluate(Trajectory(*rows.T), duration).terms)
    for name in doubtful:
        values = [computed[name], *(terms[name] for terms in others)]
        if abs(told[name] - computed[name]) > CLOSE + 2 * (max(values) - min(values)):
            return f"its {name} {told[name]:g} is not that of its trajectory, {computed[name]:g}"
    return ""


def rows_of(trajectory: Trajectory) -> list[list[float]]:
    """Return rows of t (s), x, y (m) and yaw (rad), rounded to 5 decimals, with increasing t."""
    poses = trajectory.poses.round(DIGITS)
    # An image may be closer than that to the start or the end, which have poses, too.
    kept = np.append(np.diff(poses[:, 0]) > 0, True)
    rows: list[list[float]] = poses[kept].tolist()
    return rows


def trajectory_of_record(record: Record) -> Trajectory:
    """Return the trajectory of a record; raises ValueError."""
    try:
        poses = np.array(record.get("poses"), dtype=float)
    except (TypeError, ValueError, OverflowError):
        poses = np.empty(0)
    if poses.ndim != 2 or poses.shape[1] != 4:
        raise ValueError("its poses are not rows of four numbers")
    return Trajectory(*poses.T)


def as_stored(trajectory: Trajectory) -> Trajectory:
    """Return a trajectory as it is read from the folder."""
    return Trajectory(*np.array(rows_of(trajectory)).T)


def is_finite(value: Any) -> bool:
    """Whether a value from JSON or YAML is a finite number; booleans are not."""
    try:
        return not isinstance(value, bool | str) and math.isfinite(value)
    except (TypeError, OverflowError):
        return False
