# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Records, trajectories and folders as a learner writes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bea_ros.runs.folder.run_folder import RunFolder
from bea_ros.tasks import Trajectory


def record(number: int) -> dict[str, Any]:
    """The log's record of an evaluation: the later, the fitter."""
    return {
        "evaluation": number, "stage": "initial", "parameters": {"leg_00": number / 30},
        "fitness": 0.01 * number, "terms": {"duration": 2.0}, "attempts": 1,
        "time": {"at": "2026-01-01T00:00:00", "overhead": 0.001, "evaluation": 0.5,
                 "interruptions": 0},
    }  # fmt: skip


def trajectory(number: int, turn: float = 0.1) -> Trajectory:
    """Its trajectory, of four poses in two seconds, turning by so many rad a second."""
    t = np.linspace(0, 2, 4)
    return Trajectory(t, 0.01 * number * t, 0.0 * t, turn * t)


def best_of(number: int) -> dict[str, Any]:
    """An evaluation as the content of best.yaml."""
    found = record(number)["parameters"]
    names, values = list(found), list(found.values())
    return {"evaluation": number, "attempt": 1, "robot": "spider9", "names": names,
            "values": values}  # fmt: skip


def write_run(
    folder: Path,
    request: Mapping[str, Any],
    *records: Mapping[str, Any],
    best: int = 0,
    surroundings: Mapping[str, Any] | None = None,
) -> Path:
    """Begin or resume a run with these records, each with its trajectory; returns its folder."""
    run = RunFolder(folder, request, {"numpy": "2"}, surroundings)
    for line in records:
        run.append(line, trajectory(line["evaluation"]))
    if best:
        run.write_best(best_of(best), "gait")
    run.close()
    return folder


def lines_of(folder: Path, name: str) -> list[bytes]:
    """The lines of a log, with their ends."""
    return (folder / name).read_bytes().splitlines(keepends=True)
