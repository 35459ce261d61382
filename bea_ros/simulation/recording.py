# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Records the poses of all parts of a moving robot, to draw them later at any frame rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bea_ros.robots import Robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.rollout import drive
from bea_ros.simulation.world import Array, World


@dataclass(frozen=True, eq=False)
class Recording:
    """Poses in map at times `t` (n,) in s: `modules` (n, m, 4, 4), `marker` and `base`
    (n, 4, 4). Angles of the `joints` (n, j) are in rad.
    """

    robot: Robot
    t: Array
    modules: Array
    marker: Array
    base: Array
    joints: Array

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Interpolated poses of modules (m, 4, 4), marker and base (4, 4) at a time (s)."""
        after = int(np.clip(np.searchsorted(self.t, time), 1, len(self.t) - 1))
        begin, end = self.t[after - 1], self.t[after]
        share = float(np.clip((time - begin) / (end - begin), 0.0, 1.0))
        modules, marker, base = (
            _between(poses[after - 1], poses[after], share)
            for poses in (self.modules, self.marker, self.base)
        )
        return modules, marker, base


def record(world: World, cpg: CpgNetwork, duration: float) -> Recording:
    """Drive the robot with a network for `duration` (s) and record it at every control tick."""
    moments = [
        (
            world.time,
            world.module_poses(),
            world.marker_pose(),
            world.base_pose(),
            world.joint_positions.copy(),
        )
        for _ in drive(world, cpg, duration)
    ]
    return Recording(world.robot, *(np.array(values) for values in zip(*moments, strict=True)))


def _between(one: Array, other: Array, share: float) -> Array:
    """Interpolate poses (..., 4, 4) that are close together; `share` 0 is `one`."""
    poses = (1.0 - share) * one + share * other
    u, _, v = np.linalg.svd(poses[..., :3, :3])  # the rotation nearest to the mean
    poses[..., :3, :3] = u @ v
    return poses
