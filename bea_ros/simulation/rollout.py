# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of one candidate without ROS, with the controller of the graph."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bea_ros.robots.cpg import CommandLimiter
from bea_ros.robots.reach import Commanding
from bea_ros.simulation.world import Array, World
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks.trajectory import Trajectory

CONTROL_RATE = 20.0  # control ticks per second, as the graph's


def drive(
    world: World,
    cpg: Commanding,
    duration: float,
    control_rate: float = CONTROL_RATE,
    start: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Iterator[int]:
    """Drive the robot by the network for `duration` s; yields each control tick, from 0 on.

    The world is at the time of the tick while the generator waits.
    The robot starts at rest at `start` (x, y in m, yaw in rad). The command computed at t holds
    from t to t + 1/rate.
    """
    period = round(SECOND / control_rate)  # ns, the unit of time of the graph
    limiter = CommandLimiter(world.robot.joints, world.motor)
    world.reset(*start)
    yield 0
    times = np.arange(ticks_in(duration, control_rate)) * period / SECOND
    for tick, targets in enumerate(cpg.output(times), start=1):
        world.step(limiter.limit(targets, period / SECOND), period / SECOND)
        yield tick


def ticks_in(duration: float, control_rate: float = CONTROL_RATE) -> int:
    """The number of control ticks until the end of a duration (s), the last at or after it."""
    return math.ceil(duration * control_rate - 1e-9)


def rollout(world: World, cpg: Commanding, duration: float) -> Trajectory:
    """Return the trajectory of base_link in map, at the start and each control tick."""
    return trajectory_of_samples(samples(world, cpg, duration))


def samples(world: World, cpg: Commanding, duration: float) -> Array:
    """Return time (s), x, y (m), yaw and tilt (rad) at each control tick, shape (n, 5)."""
    return np.array([sample(world) for _ in drive(world, cpg, duration)])


def sample(world: World) -> tuple[float, float, float, float, float]:
    """Return time (s), x, y (m), yaw and tilt (rad) of base_link now."""
    pose = world.base_pose()
    tilt = math.acos(min(1.0, max(-1.0, pose[2, 2])))
    return world.time, pose[0, 3], pose[1, 3], math.atan2(pose[1, 0], pose[0, 0]), tilt


def trajectory_of_samples(samples: Array) -> Trajectory:
    """Return the trajectory of samples (n, 5)."""
    t, x, y, yaw, _ = samples.T
    return Trajectory(t, x, y, np.unwrap(yaw))
