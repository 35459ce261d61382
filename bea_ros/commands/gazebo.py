# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea gazebo: the arena and a robot as files for Gazebo."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from bea_ros.robots.motors import MOTORS
from bea_ros.system.resources import resource_path


def add(commands: Any) -> None:
    text = "write the arena, and a robot, as files that Gazebo opens"
    parser = commands.add_parser("gazebo", help=text, description=text)
    parser.add_argument("output", type=Path, help="folder for arena.sdf and the other files")
    parser.add_argument(
        "--robot", help="name, or path of a NAME.urdf.xacro; without it the arena is empty"
    )
    parser.add_argument("--arena", help="YAML file of the arena (default config/arena.yaml)")
    parser.add_argument("--motor", choices=MOTORS, default="servo", help="the robot's motors")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.gazebo import write_gazebo
    from bea_ros.localization.arena import Arena
    from bea_ros.robots import load_robot

    robot = load_robot(parsed.robot) if parsed.robot else None
    arena = Arena.load(parsed.arena or resource_path("config/arena.yaml"))
    world = write_gazebo(parsed.output, arena, robot, motor=parsed.motor)
    folder = shlex.quote(str(world.parent))
    print(f"cd {folder} && gz sim -r {world.name}")  # Gazebo looks there for the robot
    return 0
