# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Converts published poses to sightings of the robot.

The localization measures with the same conversion, so a recording of `pose` gives equal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bea_ros.localization.window import Sighting
from bea_ros.system.nanoseconds import SECOND


def sighting_of(message: Any) -> Sighting:
    """The sighting in a PoseWithCovarianceStamped, from ROS or from a bag."""
    stamp, pose = message.header.stamp, message.pose.pose
    p, q = pose.position, pose.orientation
    return sighting_at(stamp.sec * SECOND + stamp.nanosec, (p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def sighting_at(stamp: int, position: Sequence[float], quaternion: Sequence[float]) -> Sighting:
    """The sighting at `stamp` (ns) of x, y, z (m) and a quaternion x, y, z, w, in map."""
    x, y, _, _ = quaternion
    return Sighting(
        stamp,
        position[0],
        position[1],
        yaw_of(quaternion),
        math.acos(max(-1.0, min(1.0, 1 - 2 * (x * x + y * y)))),
        position[2],
    )


def yaw_of(quaternion: Sequence[float]) -> float:
    """The yaw (rad) of a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
