# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Adaptation: the best gait of a run is measured again after the robot has changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.cpg import from_weights
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.measurements import Record, is_unchanged
from bea_ros.runs.learned import read_learned
from bea_ros.runs.warm_start import within

ENDED = (
    "nothing is measured, as this adaptation had ended: give another --output to measure the gait "
    "again. In this one"
)


def before_of(folder: Path, task: str, duration: float) -> float:
    """Return the best fitness of a run in a task, over `duration` (s); raises RunFolderError."""
    learned = read_learned(folder)
    if learned.request["task"] != task:
        raise RunFolderError(
            f"{folder} is a run of the task {learned.request['task']}, not {task}"
        )
    if learned.platform["profile"] != "default":
        raise RunFolderError(
            f"{folder} was learned with profile {learned.request['profile']}: with the profile "
            "default, which a prior needs, its weights are another gait"
        )
    if learned.request.get("physics"):
        raise RunFolderError(
            f"{folder} was learned in {learned.request['physics']} draws of physics: its fitness "
            "is that of several worlds, and cannot be compared with what is measured in one"
        )
    if learned.duration != duration:
        raise RunFolderError(
            f"an evaluation of {folder} takes {learned.duration:g} s, not {duration:g}: give the "
            "same duration, or the fitness cannot be compared"
        )
    if learned.fitness is None:
        raise RunFolderError(f"{folder} has no log, so the fitness of its gait is not known")
    return learned.fitness


def candidate_of(folder: Path, names: list[str], weight_range: float) -> NDArray[np.float64]:
    """Return the best candidate of a run in [0, 1]^d; raises RunFolderError.

    `names` are the names of its weights.
    """
    weights = read_learned(folder).weights
    if set(weights) != set(names):
        raise RunFolderError(f"{folder} is of a robot with other CPG weights")
    values = np.array([weights[name] for name in names])
    return within(folder, from_weights(values, weight_range), weight_range)


def in_words(before: float, first: Record, best: Record, unit: str) -> str:
    """Say how much fitness a gait has left, and what learning again has gained."""

    def share(fitness: float) -> str:
        return f"{fitness:.4f} {unit}" + (f" ({fitness / before:.0%})" if before > 0 else "")

    now = f"the gait had {before:.4f} {unit} and has {share(first['fitness'])} now"
    if is_unchanged(first, before):
        return f"{now}: it lost at most a fifth, so nothing is learned"
    if best["evaluation"] == 1:
        return f"{now}: nothing better was found"
    return (
        f"{now}; after learning again {share(best['fitness'])} in evaluation {best['evaluation']}"
    )
