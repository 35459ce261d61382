# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the best candidates of runs of one robot again (`runs:=FOLDER,FOLDER`)."""

from dataclasses import replace

from launch import LaunchDescription

from bea_ros.bringup import ROBOT_ARGUMENTS, VALIDATE_ARGUMENTS, validate_graph
from bea_ros.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Validator, controller, localization and the robot."""
    unnamed = "robot, generation and masses; empty: those of the runs"
    of_robot = [
        replace(a, default="", description=unnamed) if a.name == "robot" else a
        for a in ROBOT_ARGUMENTS
    ]
    return describe([*VALIDATE_ARGUMENTS, *of_robot], validate_graph)
