# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a warm start gains: learn under one physics, go on under another, in one process.

A gait is learned under the usual physics. Then, under other friction, masses and servos, BEA
starts from scratch and from the best of what was learned, with the same noise of the camera.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bea_ros.optimizers import Optimizer, create
from bea_ros.robots import Robot, load_robot
from bea_ros.runs.warm_start import best_and_diverse
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.observed import PoseNoise
from bea_ros.simulation.physics import Physics, draw_physics
from bea_ros.studies.robots.worker import fitness_of
from bea_ros.tasks import find_task

Array = NDArray[np.float64]

ROBOT, TASK, DURATION = "spider9", "gait", 15.0  # s
LEARNED, GOES_ON = 100, 30  # evaluations under the usual physics, and under the others
SEEDS, WORLDS, WORLDS_SEED = 2, 2, 2
COUNTS = (0, 5, 10)  # candidates that are taken over
SHOWN = (1, 5, 10, 20, 30)  # evaluations


def run() -> int:
    """Print the best fitness after some evaluations, by how many candidates were taken over."""
    worlds = draw_physics(WORLDS, WORLDS_SEED)
    curves: dict[int, list[Array]] = {count: [] for count in COUNTS}
    for seed in track(range(1, SEEDS + 1), "runs"):
        for count, found in transfer(load_robot(ROBOT), worlds, seed).items():
            curves[count] += found
    table = Table(
        *("first tried", *(f"after {n}" for n in SHOWN)),
        title=f"Best {TASK} (m/s) of {ROBOT} under other physics, mean of {SEEDS * WORLDS} runs",
    )
    for count, found in curves.items():
        name = f"best {count} of a run under the usual physics" if count else "random candidates"
        mean = np.mean(found, axis=0)
        table.add_row(name, *(f"{mean[n - 1]:.4f}" for n in SHOWN))
    Console().print(table)
    return 0


def transfer(robot: Robot, worlds: list[Physics], seed: int) -> dict[int, list[Array]]:
    """Best fitness so far, shape (GOES_ON,), in each world, by number of candidates taken over."""
    dimension = len(robot.parameter_names)
    first = create("bea", dimension, seed=seed, budget=LEARNED)
    learn(first, robot, Physics(), seed, LEARNED)
    x = np.array([record.x for record in first.history])
    fitness = np.array([record.fitness for record in first.history])
    found: dict[int, list[Array]] = {}
    for count in COUNTS:
        start = best_and_diverse(x, fitness, count) if count else ()
        options: dict[str, Any] = {"initial_samples": count} if count else {}
        for physics in worlds:
            bea = create("bea", dimension, seed=seed, budget=GOES_ON, start=start, **options)
            learn(bea, robot, physics, seed + SEEDS, GOES_ON)
            best = np.maximum.accumulate([record.fitness for record in bea.history])
            found.setdefault(count, []).append(best)
    return found


def learn(optimizer: Optimizer, robot: Robot, physics: Physics, seed: int, count: int) -> None:
    """Tell an optimizer `count` evaluations; a robot that falls over gets 0."""
    evaluator = Evaluator(
        robot, find_task(TASK), DURATION, physics=physics, noise=PoseNoise(), seed=seed
    )
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness_of(evaluator, x) or 0.0, evaluation_time=DURATION)
