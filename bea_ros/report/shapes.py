# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot from above, for pictures."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from bea_ros.robots import Robot
from bea_ros.robots.rotation import from_rpy
from bea_ros.robots.urdf import Box

Matrix = NDArray[np.float64]


def outline(robot: Robot) -> list[list[list[float]]]:
    """The robot from above, all joints at 0: its modules' shadows in base_link (m)."""
    return [shadow(box, robot.tree.rest[box.link]) for box in robot.modules]


def shadow(box: Box, link: Matrix) -> list[list[float]]:
    """The corners (m) of a box's shadow on the floor, its link at this pose."""
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * box.size
    pose = link @ box.pose
    flat = (corners @ pose[:3, :3].T + pose[:3, 3])[:, :2].astype(np.float32)
    hull = cv2.convexHull(flat).reshape(-1, 2)
    return [[round(float(x), 3), round(float(y), 3)] for x, y in hull]


def shapes(robot: Robot, angles: Matrix) -> list[list[list[float]]]:
    """The modules' shadows in base_link (m), the joints at these angles (rad)."""
    turned = dict(zip((joint.name for joint in robot.joints), angles, strict=True))
    poses = {robot.tree.root: np.eye(4)}
    for joint in robot.tree.joints:
        turn = np.eye(4)
        turn[:3, :3] = from_rpy(0.0, turned.get(joint.name, 0.0), 0.0)
        poses[joint.child] = poses[joint.parent] @ joint.origin @ turn
    return [shadow(box, poses[box.link]) for box in robot.modules]
