# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics: poses of a robot's links at given joint angles."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.description import Robot
from bea_ros.robots.rotation import turned
from bea_ros.robots.urdf import Box, Transform

Array = NDArray[np.float64]


def link_poses(robot: Robot, angles: Array) -> dict[str, Transform]:
    """Return the poses (n, 4, 4) of each link in base_link at joint angles (n, joints) in rad."""
    number = {joint.name: i for i, joint in enumerate(robot.joints)}
    poses: dict[str, Transform] = {
        robot.tree.root: np.broadcast_to(np.eye(4), (len(angles), 4, 4))
    }
    for joint in robot.tree.joints:
        pose = poses[joint.parent] @ joint.origin
        if joint.name in number:
            pose = pose @ turned(joint.axis, angles[:, number[joint.name]])
        poses[joint.child] = pose
    return poses


def corners(box: Box, link: Transform) -> Array:
    """Return the corners (..., 8, 3) of a box whose link has these poses (..., 4, 4)."""
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    pose = link @ box.pose
    return (signs * box.size) @ pose[..., :3, :3].swapaxes(-1, -2) + pose[..., None, :3, 3]


def collision_corners(robot: Robot, angles: Array) -> Array:
    """Return the corners (n, p, 3) in base_link of all collision boxes."""
    poses = link_poses(robot, angles)
    boxes = robot.tree.collisions.items()
    return np.concatenate([corners(box, poses[link]) for link, on in boxes for box in on], axis=1)
