# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs that are made in no time: nothing is simulated, and their fitness is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from example_run import record, write_run

from bea_ros.optimizers import create
from bea_ros.runs.folder.run_folder import RunFolder
from bea_ros.runs.learning import LearningRun
from bea_ros.tasks import Trajectory

BUDGET = 16
PATH = Trajectory([0.0, 1.0], [0.0, 0.1], [0.0, 0.0], [0.0, 0.0])
TASK = "no task"  # the fitness is not that of PATH


def make_run(
    folder: Path, evaluations: int = 12, gain: float = 1.0, enough: float = 0.0, **request: Any
) -> Path:
    """A run of spider9; its fitness grows with `gain`, repetitions and a skipped one among it."""
    asked = {
        "robot": "spider9", "generation": "small", "masses": "nominal", "task": "gait",
        "algorithm": "bea", "profile": "default", "evaluations": evaluations, "seed": 1,
        "duration": 2.0, "weight_range": 1.5, "options": {"noise": 1e-5}, **request,
    }  # fmt: skip
    lines, rng = [], np.random.default_rng(asked["seed"])
    for number in range(1, evaluations + 1):
        line = record(number)
        line["fitness"] = gain * (0.01 * number + 0.001 * rng.standard_normal())
        if number == 3:
            line |= {"fitness": 0.0, "terms": {}, "given_up": True}
        lines.append(line)
        if number == 5:
            lines.append({**line, "fitness": 0.04, "kind": "repetition"})
    return write_run(
        folder,
        asked,
        *lines,
        surroundings={"arena": "/nowhere/arena.yaml", **({"enough": enough} if enough else {})},
    )


def weights(x):
    return {f"w{i}": float(value) for i, value in enumerate(x)}


def opened(path, confirm=0, make=lambda: create("bo", 3, seed=4, budget=BUDGET), **more):
    return LearningRun(
        RunFolder(path, {"robot": "spider9", "task": TASK}, {}),
        make,
        weights,
        30.0,
        confirm,
        **more,
    )


def measured(trial, count):
    """A noisy fitness: the same for the same candidate and number of measurements before."""
    noise = np.random.default_rng([trial.evaluation, count]).normal(0.0, 0.2)
    return float(-sum((w - 0.4) ** 2 for w in trial.weights.values()) + noise)


def step(run, fitness=None):
    trial = run.next()
    if trial is None:
        return None
    count = sum(line["evaluation"] == trial.evaluation for line in run.folder.lines)
    fitness = measured(trial, count) if fitness is None else fitness
    run.take(trial, fitness, {}, PATH, 1, {"evaluation": 30.0, "interruptions": 0})
    return trial


def finish(run):
    while step(run):
        pass
    run.folder.close()


def give_up(run):
    run.give_up(run.next(), 3, {"evaluation": 30.0, "interruptions": 0})
