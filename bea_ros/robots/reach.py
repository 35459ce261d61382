# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An upper bound of the distance that a robot can walk. If it moved further, it was carried.

While a robot is on the floor, some part of it stands still or slips backwards. So the robot moves
at most as fast as its fastest part moves in the opposite direction. This holds for any friction,
and for any parts on the floor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bea_ros.robots.cpg import CommandLimiter, CpgNetwork, settings_of
from bea_ros.robots.description import Robot
from bea_ros.robots.kinematics import collision_corners

Array = NDArray[np.float64]

STEP = 0.1  # s
LAG = 0.3  # s, largest delay of the joints behind their commands
WINDOWS = (0.5, 1.0)  # s
SLACK = 0.015  # m, for joints that overshoot, a rocking body and errors of the camera
SWITCHED_SLACK = 0.06  # m, for commands that jump between a joint's limits, as in the paper
DIRECTIONS = 16


class Commanding(Protocol):
    """Gives the joint targets (rad), shape (..., n), at times (s), shape (...): CpgNetwork."""

    def output(self, time: ArrayLike) -> Array: ...


class Reach:
    """Bounds the distance that a robot with given motors can walk.

    `output` and `gain` are those of the controller (robots.cpg.CpgNetwork).
    """

    def __init__(
        self, robot: Robot, motor: str = "servo", output: str = "tanh", gain: float = 1.0
    ) -> None:
        self.robot, self.motor, self.output, self.gain = robot, motor, output, gain
        self.slack = SLACK if output == "tanh" else SWITCHED_SLACK
        self.settings = settings_of(robot, motor, output, gain)

    def network_of(self, weights: Mapping[str, float]) -> CpgNetwork:
        """The network of a candidate's weights (1/s)."""
        return CpgNetwork.from_weights(self.robot, weights, self.output, self.gain)

    def objection(self, network: Commanding, t: Array, x: Array, y: Array, yaw: Array) -> str:
        """Say where a trajectory moved further than the network can move the robot; else "".

        Args:
            network: commands of the joints since t = 0.
            t, x, y, yaw: poses of base_link in s (increasing), m, m and rad (continuous).
        """
        angles = np.linspace(0.0, 2 * np.pi, DIRECTIONS, endpoint=False)
        way = np.array([np.cos(angles), np.sin(angles)])
        possible = self._possible(network, way, t, yaw)
        excess, said = 0.0, ""
        for window in WINDOWS:
            first = np.searchsorted(t, t - window + 1e-6, side="right") - 1
            last = np.flatnonzero(first >= 0)
            first = first[last]
            since = np.maximum(np.floor((t[first] - LAG) / STEP), 0).astype(int)
            until = np.minimum(np.ceil(t[last] / STEP), len(possible) - 1).astype(int)
            most = possible[until] - possible[since]
            moved = np.column_stack([x[last] - x[first], y[last] - y[first]]) @ way
            beyond = moved - most - self.slack
            if not beyond.size or beyond.max() <= excess:
                continue
            i, j = np.unravel_index(int(beyond.argmax()), beyond.shape)
            excess, since = beyond[i, j], t[first[i]]
            said = (
                f"the robot moved {moved[i, j]:.2f} m in {t[last[i]] - since:.2f} s, {since:.1f} "
                f"s after the start, and its joints can move it {most[i, j] + self.slack:.2f} m: "
                "it was carried"
            )
        return said

    def _possible(self, network: Commanding, way: Array, t: Array, yaw: Array) -> Array:
        """Largest distance (m) in each direction `way` (2, d) at every STEP, shape (n, d)."""
        commands = self._commands(network, float(t[-1]))
        parts = collision_corners(self.robot, commands)[..., :2]
        now = np.interp(STEP * np.arange(len(parts)), t, yaw)
        middle, between = (parts[1:] + parts[:-1]) / 2, (now[1:] + now[:-1]) / 2
        turn = np.diff(now)[:, None]
        step = np.diff(parts, axis=0)  # (n - 1, p, 2), in a base_link that does not turn
        ahead, left = step[..., 0] - turn * middle[..., 1], step[..., 1] + turn * middle[..., 0]
        c, s = np.cos(between)[:, None], np.sin(between)[:, None]
        x, y = c * ahead - s * left, s * ahead + c * left
        fastest = np.column_stack([(-x * u - y * v).max(axis=1) for u, v in way.T])
        return np.vstack([np.zeros(way.shape[1]), np.cumsum(np.maximum(fastest, 0.0), axis=0)])

    def _commands(self, network: Commanding, duration: float) -> Array:
        """Joint angles (rad) at every STEP, from rest, shape (n, joints)."""
        limiter = CommandLimiter(self.robot.joints, self.motor, shaped=True)
        times = STEP * np.arange(int(np.ceil(duration / STEP)) + 1)
        return np.array(
            [limiter.neutral, *(limiter.limit(targets, STEP) for targets in network.output(times))]
        )
