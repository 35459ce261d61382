# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the best candidates of runs of one robot again (`runs:=FOLDER,FOLDER`)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from launch import LaunchDescription

from bea_ros.bringup.arguments import ROBOT_ARGUMENTS, VALIDATE_ARGUMENTS
from bea_ros.bringup.graphs import validate_graph
from bea_ros.bringup.launching import describe
from bea_ros.bringup.node_spec import NodeSpec
from bea_ros.report.trials import unused_seed


def generate_launch_description() -> LaunchDescription:
    """Validator, controller, localization and the robot."""
    unnamed = "robot; empty: robot, generation, masses, motor, damage and arena are the runs'"
    of_robot = [
        replace(a, default="", description=unnamed) if a.name == "robot" else a
        for a in ROBOT_ARGUMENTS
    ]
    return describe([*VALIDATE_ARGUMENTS, *of_robot], _graph)


def _graph(arguments: dict[str, Any]) -> list[NodeSpec]:
    named = filter(None, map(str.strip, arguments["runs"].split(",")))
    runs = [str(Path(run).expanduser().absolute()) for run in named] or [""]
    seed = unused_seed(Path(arguments["output"])) if arguments["append"] else 1
    return validate_graph({**arguments, "runs": runs, "seed": seed})
