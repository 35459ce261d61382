# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of poses and trajectories to messages and back; the message of tf, if it is there."""

from __future__ import annotations

import math

import numpy as np
from geometry_msgs.msg import Pose, PoseStamped, Quaternion, Transform
from nav_msgs.msg import Path
from numpy.typing import NDArray

from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.robots.rotation import to_quaternion
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Trajectory

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not on PyPI; part of every ROS 2 installation
    TFMessage = None


def pose_of(matrix: NDArray[np.float64]) -> Pose:
    """Return a homogeneous transform, shape (4, 4), as a pose."""
    x, y, z, w = to_quaternion(matrix[:3, :3]).tolist()
    pose = Pose(orientation=Quaternion(x=x, y=y, z=z, w=w))
    pose.position.x, pose.position.y, pose.position.z = matrix[:3, 3].tolist()
    return pose


def transform_below(pose: Pose, height: float) -> Transform:
    """Return the transform to a point `height` (m) below a pose, along its z axis."""
    q, p = pose.orientation, pose.position
    axis = (q.x * q.z + q.w * q.y, q.y * q.z - q.w * q.x, 0.5 - q.x**2 - q.y**2)
    up = 2.0 * height * np.array(axis)
    transform = Transform(rotation=q)
    transform.translation.x, transform.translation.y, transform.translation.z = (
        np.array([p.x, p.y, p.z]) - up
    ).tolist()
    return transform


def path_of(trajectory: Trajectory, start: int) -> Path:
    """Return a trajectory that began at `start` (ns) as a path on the floor, in map."""
    path = Path()
    path.header.frame_id = "map"
    path.header.stamp = to_stamp(start)
    for t, x, y, yaw in zip(
        trajectory.t.tolist(),
        trajectory.x.tolist(),
        trajectory.y.tolist(),
        trajectory.yaw.tolist(),
        strict=True,
    ):
        stamped = PoseStamped()
        stamped.header.frame_id = "map"
        stamped.header.stamp = to_stamp(start + round(t * SECOND))
        stamped.pose.position.x, stamped.pose.position.y = x, y
        stamped.pose.orientation.z = math.sin(yaw / 2)
        stamped.pose.orientation.w = math.cos(yaw / 2)
        path.poses.append(stamped)
    return path


def trajectory_of_message(path: Path) -> Trajectory:
    """Return the trajectory of a path on the floor; times begin at the path's stamp."""
    start = to_nanoseconds(path.header.stamp)
    poses = [stamped.pose for stamped in path.poses]
    return Trajectory(
        [(to_nanoseconds(s.header.stamp) - start) / SECOND for s in path.poses],
        [pose.position.x for pose in poses],
        [pose.position.y for pose in poses],
        np.unwrap([2 * math.atan2(p.orientation.z, p.orientation.w) for p in poses]),
    )
