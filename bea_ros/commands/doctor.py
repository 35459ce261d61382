# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea doctor: what is wrong with this machine, with a run's folder, or with a robot's files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "check this machine, the folder of a run, or a robot's files"
    parser = commands.add_parser("doctor", help=text, description=text)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "run_folder",
        type=Path,
        nargs="?",
        metavar="RUN",
        help="folder of a run to check; an incomplete last record is removed",
    )
    what.add_argument(
        "--robot",
        metavar="FILE",
        help="NAME.urdf.xacro, or a robot of bea robots, to check",
    )
    parser.add_argument(
        "--salvage",
        action="store_true",
        help="copy the sound records of a damaged RUN into a new folder, from which it resumes",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="folder for --salvage (default RUN-salvaged)"
    )
    parser.add_argument("--arena", default="", help="YAML file of the robot's arena")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    if (parsed.salvage or parsed.output) and not (parsed.salvage and parsed.run_folder):
        raise ValueError("--salvage is of a run: bea doctor RUN --salvage")
    if parsed.robot is not None:
        try:
            from bea_ros.doctor.robot import check_robot
        except ModuleNotFoundError as error:
            raise ValueError(f"--robot needs {error.name}: pip install {error.name}") from error

        return check_robot(parsed.robot, parsed.arena)
    if parsed.arena:
        raise ValueError("--arena is checked with a robot that is to be in it: --robot FILE")
    if parsed.salvage:
        from bea_ros.doctor.salvage import salvage

        return salvage(parsed.run_folder, parsed.output)
    if parsed.run_folder is not None:
        from bea_ros.runs.folder.check import check_run

        return check_run(parsed.run_folder)
    from bea_ros.doctor.machine import check_machine

    return check_machine()
