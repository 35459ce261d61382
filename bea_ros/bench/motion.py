# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How well a controller is predicted from its weights, and the motion it commands."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import spearmanr

from bea_ros.optimizers.adaptive.gaussian_process import LearnedProcess
from bea_ros.optimizers.adaptive.hyperparameters import GRIDS, LogPosterior, hyperparameters_at
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.robots import Robot, load_robot
from bea_ros.robots.motion import CommandedMotion
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.studies.robots.plan import Plan
from bea_ros.studies.robots.worker import fitness_of
from bea_ros.tasks import find_task

Array = NDArray[np.float64]

KNOWN = (50, 200)  # evaluations a model learns from
TESTED = 100  # others that it predicts


def run(seed: int = 0) -> None:
    """Print a row per robot and task, all cores at work."""
    table = Table(
        title=f"Rank correlation of predicted and true fitness of {TESTED} random controllers,\n"
        f"predicted from {' and from '.join(map(str, KNOWN))} others"
    )
    table.add_column("robot")
    table.add_column("task")
    for known in KNOWN:
        for what in ("weights", "motion too"):
            table.add_column(f"{what}, {known}", justify="right")
    cases = Plan().cases
    found = Parallel(n_jobs=-1, return_as="generator")(
        delayed(measure)(*case, seed) for case in cases
    )
    rows = list(track(found, "cases", len(cases), transient=True))
    for case, row in zip(cases, rows, strict=True):
        table.add_row(*case, *(f"{value:.2f}" for value in row))
    table.add_row("mean", "", *(f"{value:.2f}" for value in np.mean(rows, axis=0)))
    Console().print(table)


def measure(robot_name: str, task_name: str, seed: int) -> list[float]:
    """Rank correlations, from weights and from motion, for each number of evaluations known."""
    robot, task = load_robot(robot_name), find_task(task_name)
    evaluator = Evaluator(robot, task)
    dimension = len(robot.parameter_names)
    x = np.random.default_rng(seed).random((max(KNOWN) + TESTED, dimension))
    fitness = np.array([fitness_of(evaluator, one) or 0.0 for one in x])  # 0 for one that fell
    return [
        prediction(inputs, x, fitness, known)
        for known in KNOWN
        for inputs in _both(robot, evaluator.duration)
    ]


def prediction(inputs: ModelInputs, x: Array, fitness: Array, known: int) -> float:
    """Rank correlation of the last `TESTED` candidates' fitness with what a model of the first
    `known` ones predicts, its length scale and noise the most probable ones.
    """
    points = inputs.points(x)
    posterior = LogPosterior(points[:known], fitness[:known], features=inputs.features)
    places = [(i, j, 0, 0) for i in range(len(GRIDS[0])) for j in range(len(GRIDS[1]))]
    model = LearnedProcess(
        x.shape[1],
        hyperparameters_at(max(places, key=posterior)),
        features=inputs.features,
        mean="fitted",
    )
    model.extend(points[:known], fitness[:known])
    mean, _ = model.posterior(points[-TESTED:])
    return float(spearmanr(mean, fitness[-TESTED:]).statistic)


def _both(robot: Robot, duration: float) -> tuple[ModelInputs, ModelInputs]:
    dimension = len(robot.parameter_names)
    motion = CommandedMotion(robot, duration)
    return ModelInputs(dimension), ModelInputs(dimension, motion)
