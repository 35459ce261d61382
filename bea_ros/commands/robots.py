# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea robots: a list of the robots."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    text = "list the robots"
    commands.add_parser("robots", help=text, description=text).set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from rich.table import Table

    from bea_ros.robots import load_robot, robot_names
    from bea_ros.system.terminal import plain_console

    table = Table("robot", "joints", "couplings", "parameters", "mass (g)")
    for name in robot_names():
        robot = load_robot(name)
        counts = (len(robot.joints), len(robot.couplings), len(robot.parameter_names))
        table.add_row(name, *map(str, counts), f"{1000 * robot.mass:.0f}")
    plain_console().print(table)
    return 0
