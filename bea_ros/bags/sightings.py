# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Published poses as sightings of the robot.

The localization measures by these as well, so that a recording of `pose` gives its very numbers.
"""

from __future__ import annotations

import math
from typing import Any

from bea_ros.localization.window import SECOND, Sighting


def sighting_of(message: Any) -> Sighting:
    """A PoseWithCovarianceStamped, ROS's own or one read from a bag, as a sighting."""
    stamp, pose = message.header.stamp, message.pose.pose
    q = pose.orientation
    return Sighting(
        stamp.sec * SECOND + stamp.nanosec,
        pose.position.x,
        pose.position.y,
        math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)),
        math.acos(max(-1.0, min(1.0, 1 - 2 * (q.x * q.x + q.y * q.y)))),
        pose.position.z,
    )
