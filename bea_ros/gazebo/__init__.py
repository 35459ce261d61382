# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arena and a robot as files that Gazebo (Harmonic or newer) loads."""

from bea_ros.gazebo.folder import write_gazebo
from bea_ros.gazebo.robot import robot_urdf
from bea_ros.gazebo.world import Camera, world_sdf

__all__ = ["Camera", "robot_urdf", "world_sdf", "write_gazebo"]
