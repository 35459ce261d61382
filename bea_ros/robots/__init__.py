# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions (xacro to joints and module grid) and their CPG networks."""

from bea_ros.robots.description import (
    GENERATIONS,
    MASSES,
    Box,
    Joint,
    Robot,
    RobotError,
    absolute_robot,
    kind_and_marker,
    load_robot,
    robot_name,
    robot_names,
)

__all__ = [
    "GENERATIONS",
    "MASSES",
    "Box",
    "Joint",
    "Robot",
    "RobotError",
    "absolute_robot",
    "kind_and_marker",
    "load_robot",
    "robot_name",
    "robot_names",
]
