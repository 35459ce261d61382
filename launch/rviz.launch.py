# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a robot that learns, also one whose graph was started elsewhere."""

from launch import LaunchDescription

from bea_ros.bringup.arguments import RVIZ_ARGUMENTS
from bea_ros.bringup.launching import describe
from bea_ros.bringup.rviz import rviz_graph


def generate_launch_description() -> LaunchDescription:
    """rviz, the robot's model and the markers that tell how far the learner is."""
    return describe(RVIZ_ARGUMENTS, rviz_graph)
