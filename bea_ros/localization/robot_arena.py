# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arena as a robot has it: with the robot's own marker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bea_ros.localization.arena import Arena, Marker
from bea_ros.robots import Robot
from bea_ros.system.resources import resource_path


def load_arena(robot: Robot, path: str | Path = "") -> Arena:
    """The arena of this file, or the one that comes with the package; raises ArenaError."""
    arena = Arena.load(path or resource_path("config/arena.yaml"))
    return replace(arena, robot_marker=Marker(robot.marker.id, robot.marker.size))
