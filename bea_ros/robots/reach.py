# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a robot could be at best, by its joints' speeds and its legs' lengths."""

from __future__ import annotations

import itertools

import numpy as np

from bea_ros.robots.description import Robot


def top_speed(robot: Robot) -> float:
    """Speed (m/s) that base_link cannot exceed while a foot stands still on the floor.

    A foot stretched out moves, as seen from base_link, with all joints between the two at their
    velocity limits; the farthest-reaching one counts. A gait gets to a small part of it.
    """
    above = {joint.child: joint for joint in robot.tree.joints}
    fastest = 0.0
    for link, boxes in robot.tree.collisions.items():
        corners = [
            (robot.tree.rest[link] @ box.pose @ [*(np.array(corner) * box.size / 2), 1.0])[:3]
            for box in boxes
            for corner in itertools.product((-1, 1), repeat=3)
        ]
        speeds = np.zeros(len(corners))
        while link in above and corners:
            joint = above[link]
            axis = robot.tree.rest[link][:3, 3]
            speeds += joint.limits.get("velocity", 0.0) * np.linalg.norm(corners - axis, axis=1)
            link = joint.parent
        fastest = max(fastest, *speeds, 0.0)
    return float(fastest)
