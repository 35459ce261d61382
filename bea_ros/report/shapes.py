# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Outlines of a robot from above, for pictures."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from bea_ros.robots import Robot
from bea_ros.robots.kinematics import corners, link_poses


def outline(robot: Robot) -> list[list[list[float]]]:
    """Outlines of the modules, projected on base_link's x-y plane (m), all joints at 0."""
    return shapes(robot, np.zeros(len(robot.joints)))


def shapes(robot: Robot, angles: NDArray[np.float64]) -> list[list[list[float]]]:
    """Outlines as in `outline`, with the joints at `angles` (rad), shape (joints,)."""
    poses = link_poses(robot, np.atleast_2d(angles))
    return [_shadow(corners(box, poses[box.link])[0]) for box in robot.modules]


def _shadow(corners: NDArray[np.float64]) -> list[list[float]]:
    """Convex hull of points (n, 3), projected on the x-y plane."""
    hull = cv2.convexHull(corners[:, :2].astype(np.float32)).reshape(-1, 2)
    return [[round(float(x), 3), round(float(y), 3)] for x, y in hull]
