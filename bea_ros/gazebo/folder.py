# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a folder that Gazebo can open: the world, its markers' pictures, and a robot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from bea_ros.gazebo.robot import robot_urdf
from bea_ros.gazebo.world import Camera, marker_file, world_sdf
from bea_ros.images.pictures import write_picture
from bea_ros.localization.arena import Arena, Marker
from bea_ros.robots.description import Robot
from bea_ros.simulation.camera.floor import PAPER, PLATE, marker_texture
from bea_ros.system.files import replace_file

TEXELS = 480  # along the side of a marker's black square
SIDE = 512  # pixels of a picture; mipmaps keep proportions only for powers of two


def write_gazebo(
    folder: str | Path,
    arena: Arena,
    robot: Robot | None = None,
    camera: Camera | None = None,
    real_time_factor: float = 1.0,
    motor: str = "servo",
) -> Path:
    """Write arena.sdf and all its files into `folder`; returns the world's path.

    Raises ArenaError if the robot's marker is also one of the arena's.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for marker in arena.floor_markers:
        _write_picture(folder, arena, marker, PAPER)
    if robot:
        own = Marker(robot.marker.id, robot.marker.size)
        _write_picture(folder, replace(arena, robot_marker=own), own, PLATE)
        replace_file(folder / f"{robot.name}.urdf", robot_urdf(robot, motor))
    world = folder / "arena.sdf"
    replace_file(world, world_sdf(arena, camera, robot, real_time_factor))
    return world


def _write_picture(folder: Path, arena: Arena, marker: Marker, white: float) -> None:
    """Write a marker on paper of `white` times its side, turned 90 degrees anticlockwise.

    Gazebo turns pictures on a box's upper side by 90 degrees clockwise, seen with x right, y up.
    """
    drawn, _ = marker_texture(arena.cells(marker), white, TEXELS)
    picture = np.rot90(cv2.resize(drawn, (SIDE, SIDE), interpolation=cv2.INTER_AREA))
    write_picture(folder / marker_file(marker.id), picture)
