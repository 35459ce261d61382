# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fitness of candidates by simulation without ROS, hundreds of times faster than real time."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from bea_ros.localization.arena import Arena
from bea_ros.localization.window import Sighting, Trust, Untrusted, window_of
from bea_ros.robots import Robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE, CpgNetwork, output_of
from bea_ros.robots.damage import Damage
from bea_ros.robots.motors import motor_of
from bea_ros.simulation.observed import IMAGE_RATE, PoseNoise
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import CONTROL_RATE, samples, trajectory_of_samples
from bea_ros.simulation.world import Array, SimulationError, World
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Task, Trajectory


class Evaluator:
    """Evaluates a robot's candidates in a task: the graph's URDF, controller and fitness.

    With `noise`, poses are sampled at the camera's rate with errors like the camera's, which
    depend on `seed` and candidate. With `arena`, an evaluation ends at its edge as in the graph;
    without, the floor is endless. `profile` is that of the optimizer. By default `duration` (s) is
    the task's, and `motor` the profile's. The same candidate always gets the same fitness.
    """

    def __init__(
        self,
        robot: Robot,
        task: Task,
        duration: float | None = None,
        *,
        profile: str = "default",
        motor: str = "",
        weight_range: float = PUBLISHED_WEIGHT_RANGE,
        physics: Physics | None = None,
        damages: Mapping[str, Damage] | None = None,
        arena: Arena | None = None,
        noise: PoseNoise | None = None,
        seed: int = 0,
    ) -> None:
        self.robot = robot
        self.task = task
        self.duration = duration or task.duration
        self.world = World(robot, physics, motor or motor_of(profile), damages)
        self.arena = arena
        self.noise = noise
        self._output = output_of(profile)
        self._weight_range = weight_range
        self._seed = seed

    def fitness_of(self, trajectory: Trajectory) -> float:
        """Return the fitness of a trajectory."""
        return self.task.evaluate(trajectory, self.duration).value

    def attempt(self, parameters: Array) -> Trajectory | None:
        """Return the trajectory of a candidate; None if it cannot be measured, as after a fall."""
        with suppress(Untrusted, SimulationError):
            return self.trajectory(parameters)
        return None

    def fitness_or_none(self, parameters: Array) -> float | None:
        """Return the fitness of a candidate; None if it cannot be measured, as after a fall."""
        trajectory = self.attempt(parameters)
        return None if trajectory is None else self.fitness_of(trajectory)

    def trajectory(self, parameters: Array) -> Trajectory:
        """Return the trajectory of a candidate in [0, 1]^n.

        Raises Untrusted if the robot fell over or left the arena too early, and SimulationError.
        """
        cpg = CpgNetwork(self.robot, parameters, self._weight_range, self._output)
        moved = samples(self.world, cpg, self.duration)
        if self.noise is not None:
            moved = self._seen(moved, self.noise, zlib.crc32(np.asarray(parameters).tobytes()))
        if self.arena is None:
            return _endless(moved)
        sightings = [Sighting(round(t * SECOND), *rest) for t, *rest in moved.tolist()]
        return window_of(sightings, 0, self.duration, self.arena, Trust()).trajectory

    def _seen(self, moved: Array, noise: PoseNoise, candidate: int) -> Array:
        """Return samples (n, 5) at the camera's rate with its errors, including start and end."""
        rng = np.random.default_rng([self._seed, candidate])
        last = len(moved) - 1
        ticks = np.unique(np.append(np.arange(0, last, round(CONTROL_RATE / IMAGE_RATE)), last))
        seen = moved[ticks]
        noise.add_to(seen, rng)
        return seen


def _endless(moved: Array) -> Trajectory:
    """Return the trajectory of samples (n, 5) on an endless floor; raises Untrusted."""
    fallen = np.flatnonzero(moved[:, 4] > Trust().tilt)
    if fallen.size:
        raise Untrusted(f"the robot fell over {moved[fallen[0], 0]:.1f} s after the start")
    return trajectory_of_samples(moved)
