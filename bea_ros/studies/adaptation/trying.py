# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluates candidates on a robot in a changed world, measured by the camera."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.arena import load_arena
from bea_ros.robots import Robot
from bea_ros.robots.damage import Damage
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.observed import PoseNoise
from bea_ros.simulation.physics import Physics
from bea_ros.studies.robots.worker import fitness_of
from bea_ros.tasks import find_task, worst_of

Array = NDArray[np.float64]


def trials_of(
    robot: Robot,
    physics: Physics,
    damages: Mapping[str, Damage],
    task: str,
    seconds: float,
    seed: int,
) -> Callable[[Array], float | None]:
    """A function that returns a candidate's fitness, or None if the robot fell over."""
    evaluator = Evaluator(
        robot,
        find_task(task),
        seconds,
        physics=physics,
        arena=load_arena(robot),
        noise=PoseNoise(),
        seed=seed,
    )
    evaluator.world.damage(damages)
    return lambda x: fitness_of(evaluator, x)


def learn(method: Any, trials: Callable[[Array], float | None], count: int) -> Array:
    """Fitness of each of `count` evaluations, shape (count,); a fall gets the worst so far."""
    found: list[float] = []
    for _ in range(count):
        x = method.ask()
        fitness = trials(x)
        found.append(worst_of(found) if fitness is None else fitness)
        method.tell(x, found[-1])
    return np.array(found)
