# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot learns: `ros2 launch bea_ros learn_gait.launch.py` (`--show-args`: the arguments)."""

from launch import LaunchDescription

from bea_ros.bringup import LEARN_ARGUMENTS, ROBOT_ARGUMENTS, learn_graph
from bea_ros.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Learner, controller, localization and the robot."""
    return describe([*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS], learn_graph)
