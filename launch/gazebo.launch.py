# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in Gazebo, with its controller and the localization that watches it."""

from launch import LaunchDescription

from bea_ros.bringup.arguments import GAZEBO_ARGUMENTS, RVIZ
from bea_ros.bringup.graphs import gazebo_graph
from bea_ros.bringup.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Gazebo with arena and robot, its bridge, controller and localization."""
    return describe([*GAZEBO_ARGUMENTS, RVIZ], gazebo_graph)
