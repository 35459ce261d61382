# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of the simulator alone, and the effect of its time step on a gait."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bea_ros.optimizers import create
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.robots.description import Robot, load_robot, robot_names
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import rollout
from bea_ros.simulation.world import World
from bea_ros.tasks.fitness import find_task

GAIT = find_task("gait")
FAST_GAITS = 5


def run(evaluations: int = 60, seed: int = 0) -> None:
    """Print one line per robot that comes with the package."""
    table = Table(title=f"In-process evaluation, {GAIT.duration:g} s of gait on one core")
    for heading in ("robot", "x real time", "best gait (m/s)", "change at half the time step"):
        table.add_column(heading, justify="right")
    for name in track(robot_names(), "robots", transient=True):
        factor, speed, change = measure(load_robot(name), evaluations, seed)
        table.add_row(name, f"{factor:.0f}", f"{speed:.3f}", f"{change:.1%}")
    Console().print(table)


def measure(robot: Robot, evaluations: int, seed: int) -> tuple[float, float, float]:
    """Search gaits for `evaluations`, time them, and repeat the fastest with half the time step.

    Returns the simulated s per s of CPU time, the fastest gait found (m/s), and the largest
    relative change of the fast gaits' fitness with half the time step.
    """
    world = World(robot)
    optimizer = create("bo", len(robot.parameter_names), seed=seed, budget=evaluations)
    candidates, speeds, seconds = [], [], 0.0
    for _ in range(evaluations):
        candidate = optimizer.ask()
        start = time.process_time()
        speed = _speed(world, candidate)
        seconds += time.process_time() - start
        optimizer.tell(candidate, speed)
        candidates.append(candidate)
        speeds.append(speed)
    fast = np.argsort(speeds)[::-1][:FAST_GAITS]
    finer = World(robot, Physics(timestep=world.physics.timestep / 2))
    changes = [abs(_speed(finer, candidates[i]) / speeds[i] - 1.0) for i in fast]
    return evaluations * GAIT.duration / seconds, max(speeds), max(changes)


def _speed(world: World, candidate: NDArray[np.float64]) -> float:
    trajectory = rollout(world, CpgNetwork(world.robot, candidate), GAIT.duration)
    return GAIT.evaluate(trajectory).value
