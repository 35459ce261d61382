# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea markers: a PDF to print, with the markers of the robot and of the arena's corners."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bea_ros.commands.parser import add_arena

if TYPE_CHECKING:
    from bea_ros.robots import Robot


def add(commands: Any) -> None:
    text = "make a PDF to print: markers of robot and arena, or the calibration board"
    parser = commands.add_parser("markers", help=text, description=text)
    parser.add_argument(
        "--robot", nargs="+", action="extend",
        help="name or NAME.urdf.xacro of each robot of the arena; NAME:ID has marker ID (default "
        "spider9)",
    )  # fmt: skip
    add_arena(parser)
    parser.add_argument(
        "--paper", choices=("a4", "letter"), default="a4", help="sheet to print on"
    )
    parser.add_argument(
        "--charuco", action="store_true", help="make the calibration board instead"
    )
    parser.add_argument(
        "--output", type=Path, help="file to write (default markers.pdf or charuco.pdf)"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.camera_setup.board import Board
    from bea_ros.camera_setup.print_pdf import write_board, write_markers
    from bea_ros.camera_setup.sheets import floor_posters, robot_poster, sheets_of
    from bea_ros.localization.arena import load_arena

    path = parsed.output or Path("charuco.pdf" if parsed.charuco else "markers.pdf")
    if parsed.charuco:
        write_board(path, Board(), parsed.paper)
        print(f"wrote {path}: print at 100 %, glue it on something flat; bea calibrate-camera")
        return 0
    names = parsed.robot or ["spider9"]
    robots = _apart(names, parsed.generation, parsed.arena)
    arenas = [load_arena(robot, parsed.arena) for robot in robots.values()]
    posters = [*map(robot_poster, robots.values(), arenas), *floor_posters(arenas[0])]
    divided = [sheets_of(poster, parsed.paper) for poster in posters]
    write_markers(path, [sheet for sheets in divided for sheet in sheets])
    for poster, sheets in zip(posters, divided, strict=True):
        pages = "1 page" if len(sheets) == 1 else f"{len(sheets)} pages to glue together"
        print(f"{poster.title}: {poster.side:g} mm, {pages}")
    print(f"wrote {path}: print at 100 %, on {parsed.paper.capitalize()} paper; bea check-arena")
    for name in (name for name in robots if name not in names):
        print(f"a second one has marker {name.rpartition(':')[2]}: bea learn --robot {name}")
    return 0


def _apart(names: Sequence[str], generation: str, arena: str) -> dict[str, Robot]:
    """The robots by name; one with the marker of an earlier one gets the first free id."""
    from bea_ros.localization.arena import load_arena
    from bea_ros.localization.markers.aruco import is_mirrored, marker_count
    from bea_ros.robots import kind_and_marker, load_robot, robot_names

    asked = [load_robot(name, generation) for name in names]
    described = load_arena(asked[0], arena)
    taken = {marker.id for marker in described.floor_markers}
    taken |= {robot.marker.id for robot in [*asked, *map(load_robot, robot_names())]}
    words = described.dictionary
    free = (i for i in range(marker_count(words)) if i not in taken and not is_mirrored(words, i))
    robots: dict[str, Robot] = {}
    for name, robot in zip(names, asked, strict=True):
        if robot.marker.id in [other.marker.id for other in robots.values()]:
            own = f"{kind_and_marker(name)[0]}:{next(free)}"
            robots[own] = load_robot(own, generation)
        else:
            robots[name] = robot
    return robots
