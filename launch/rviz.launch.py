# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a robot that learns, also one whose graph was started elsewhere."""

from launch import LaunchDescription

from bea_ros.bringup import RVIZ_ARGUMENTS, rviz_graph
from bea_ros.bringup.launching import describe


def generate_launch_description() -> LaunchDescription:
    """rviz, the robot's model and the markers that tell how far the learner is."""
    return describe(RVIZ_ARGUMENTS, rviz_graph)
