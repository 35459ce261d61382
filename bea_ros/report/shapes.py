# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot from above, for pictures."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from bea_ros.robots import Robot
from bea_ros.robots.kinematics import corners, link_poses


def outline(robot: Robot) -> list[list[list[float]]]:
    """The robot from above, all joints at 0: its modules' shadows in base_link (m)."""
    return shapes(robot, np.zeros(len(robot.joints)))


def shapes(robot: Robot, angles: NDArray[np.float64]) -> list[list[list[float]]]:
    """The modules' shadows in base_link (m), the joints at these angles (rad)."""
    poses = link_poses(robot, np.atleast_2d(angles))
    return [_shadow(corners(box, poses[box.link])[0]) for box in robot.modules]


def _shadow(corners: NDArray[np.float64]) -> list[list[float]]:
    """The outline of what these points (n, 3) span, on the floor."""
    hull = cv2.convexHull(corners[:, :2].astype(np.float32)).reshape(-1, 2)
    return [[round(float(x), 3), round(float(y), 3)] for x, y in hull]
