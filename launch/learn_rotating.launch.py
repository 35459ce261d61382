# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot learns to turn on the spot (`ros2 launch ... --show-args` has the arguments)."""

from launch import LaunchDescription

from bea_ros.bringup.launching import describe_learning


def generate_launch_description() -> LaunchDescription:
    """Learner, controller, localization and the robot."""
    return describe_learning("rotating")
