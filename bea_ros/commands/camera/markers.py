# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea markers: a PDF to print, with the markers of the robot and of the arena's corners."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "make a PDF to print: markers of robot and arena, or the calibration board"
    parser = commands.add_parser("markers", help=text, description=text)
    parser.add_argument("--robot", default="spider9", help="name or NAME.urdf.xacro")
    parser.add_argument("--generation", default="small", help="generation of its modules")
    parser.add_argument("--arena", default="", help="YAML file (default: config/arena.yaml)")
    parser.add_argument(
        "--paper", choices=("a4", "letter"), default="a4", help="sheet to print on"
    )
    parser.add_argument("--charuco", action="store_true", help="the calibration board instead")
    parser.add_argument("--output", type=Path, help="file (default markers.pdf or charuco.pdf)")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.camera_setup.board import Board
    from bea_ros.camera_setup.print_pdf import write_board, write_markers
    from bea_ros.camera_setup.sheets import floor_posters, robot_poster, sheets_of
    from bea_ros.localization.robot_arena import load_arena
    from bea_ros.robots import load_robot

    path = parsed.output or Path("charuco.pdf" if parsed.charuco else "markers.pdf")
    if parsed.charuco:
        write_board(path, Board(), parsed.paper)
        print(f"wrote {path}: print at 100 %, glue it on something flat; bea calibrate-camera")
        return 0
    robot = load_robot(parsed.robot, parsed.generation)
    arena = load_arena(robot, parsed.arena)
    posters = [robot_poster(robot, arena), *floor_posters(arena)]
    divided = [sheets_of(poster, parsed.paper) for poster in posters]
    write_markers(path, [sheet for sheets in divided for sheet in sheets])
    for poster, sheets in zip(posters, divided, strict=True):
        pages = "1 page" if len(sheets) == 1 else f"{len(sheets)} pages to glue together"
        print(f"{poster.title}: {poster.side:g} mm, {pages}")
    print(f"wrote {path}: print at 100 %, on {parsed.paper.capitalize()} paper; bea check-arena")
    return 0
