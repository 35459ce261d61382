# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories for pictures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bea_ros.tasks import Trajectory

Array = NDArray[np.float64]


def from_start(trajectory: Trajectory) -> tuple[Array, Array, float]:
    """x, y (m), shape (n,) each, and final yaw (rad), relative to the robot's first pose."""
    heading = float(trajectory.yaw[0])
    dx, dy = trajectory.x - trajectory.x[0], trajectory.y - trajectory.y[0]
    c, s = math.cos(heading), math.sin(heading)
    return c * dx + s * dy, c * dy - s * dx, float(trajectory.yaw[-1]) - heading
