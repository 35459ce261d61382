# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench robots`: the options."""

from __future__ import annotations

import argparse

from bea_ros.robots.motors import MOTORS
from bea_ros.studies.engine import options
from bea_ros.studies.robots import FOLDER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    options.add_output(parser, FOLDER)
    add("--robots", nargs="+", metavar="NAME", help="only these (default: spider9 gecko7 babyA)")
    add("--tasks", nargs="+", metavar="NAME", help="only these (default: the paper's three)")
    add(
        "--algorithms",
        nargs="+",
        metavar="NAME",
        help="only these (default: bo ea bea; in profile default cma too, if pycma is there)",
    )
    options.add_runs(parser, repetitions=10, switch=300)
    add("--duration", type=float, help="s of an evaluation (default: the task's own)")
    add(
        "--noise",
        action="store_true",
        default=None,
        help="poses with errors like the overhead camera's",
    )
    add("--motor", choices=MOTORS, help="motor model (default: the profile's)")
    options.add_execution(parser)
    options.add_evaluation_time(
        parser, "write the report for evaluations that take so long, without simulating"
    )


def run(parsed: argparse.Namespace) -> int:
    """Carry out what is missing of the study and write its report.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.studies.robots.study import RobotStudy

    return RobotStudy().run(parsed, only_report=parsed.evaluation_time is not None)
