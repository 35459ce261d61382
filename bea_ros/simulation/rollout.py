# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluation of one candidate in the simulator alone: the same controller as the ROS graph's,
without ROS.
"""

from __future__ import annotations

import math

import numpy as np

from bea_ros.robots.cpg import CommandLimiter, CpgNetwork
from bea_ros.simulation.world import World
from bea_ros.tasks.trajectory import Trajectory


def rollout(
    world: World, cpg: CpgNetwork, duration: float, control_rate: float = 20.0
) -> Trajectory:
    """Trajectory of base_link in map over `duration` s, with the start and every control tick.

    The world is reset first. The command computed at t, from the candidate's time 0 on, holds from
    t to t + 1/rate.
    """
    period = 1.0 / control_rate
    ticks = round(duration * control_rate)
    limiter = CommandLimiter(world.robot.joints)
    world.reset()
    samples = np.zeros((ticks + 1, 4))
    samples[0] = _sample(world)
    for tick in range(ticks):
        world.step(limiter.limit(cpg.output(tick / control_rate), period), period)
        samples[tick + 1] = _sample(world)
    return Trajectory(*samples.T)


def _sample(world: World) -> tuple[float, float, float, float]:
    pose = world.base_pose()
    return world.time, pose[0, 3], pose[1, 3], math.atan2(pose[1, 0], pose[0, 0])
