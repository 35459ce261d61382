# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories for pictures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bea_ros.tasks import Trajectory

if TYPE_CHECKING:  # it takes its time to load
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


def from_start(trajectory: Trajectory) -> tuple[Array, Array, float]:
    """x, y (m), shape (n,) each, and final yaw (rad), relative to the robot's first pose."""
    heading = float(trajectory.yaw[0])
    dx, dy = trajectory.x - trajectory.x[0], trajectory.y - trajectory.y[0]
    c, s = math.cos(heading), math.sin(heading)
    return c * dx + s * dy, c * dy - s * dx, float(trajectory.yaw[-1]) - heading


def gait_axes(turning: bool) -> tuple[str, str]:
    """Labels of the axes of `gait_curve`."""
    if turning:
        return "angle turned (rad)", "distance from the start (m)"
    return "forward at the start (m)", "left (m)"


def gait_curve(path: Trajectory, turning: bool) -> tuple[Array, Array]:
    """The path from above, or with `turning` the distance from the start over the angle turned."""
    if turning:
        return path.yaw - path.yaw[0], np.hypot(path.x - path.x[0], path.y - path.y[0])
    return from_start(path)[:2]


def finish_gait_axes(axes: Axes, turning: bool) -> None:
    """Mark the start of paths, and give both axes one scale."""
    if not turning:
        axes.plot(0, 0, "s", color="black", ms=5)
        axes.set_aspect("equal", adjustable="datalim")
