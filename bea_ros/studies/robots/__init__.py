# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench robots: the paper's nine cases, three robots and three tasks (section VII)."""

from __future__ import annotations

import argparse
from pathlib import Path

from bea_ros.robots.motors import MOTORS
from bea_ros.studies.engine import options

EVALUATION_TIMES = (0.1, 1.0)  # s; the paper's simulated gait took about 1 s
FOLDER = Path("bench/robots")
GAITS = "gaits.csv"  # written by `bea bench gaits`


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    add = parser.add_argument
    options.add_output(parser, FOLDER)
    options.add_names(parser, "robots", "(default: spider9 gecko7 babyA)")
    options.add_names(parser, "tasks", "(default: the paper's three)")
    usual = "(default: bo ea bea; in profile default cma too, if pycma is there)"
    options.add_names(parser, "algorithms", usual)
    own = "; without it the profile default goes its own way"
    options.add_runs(parser, repetitions=10, switch=300, otherwise=own)
    add("--duration", type=float, help="s of an evaluation (default: the task's own)")
    noise = "poses with errors like the overhead camera's"
    add("--noise", action="store_true", default=None, help=noise)
    add("--motor", choices=MOTORS, help="motor model (default: the profile's)")
    options.add_execution(parser)
    meaning = "write the report for evaluations that take so long, without simulating"
    options.add_evaluation_time(parser, meaning)


def run(parsed: argparse.Namespace) -> int:
    """Carry out the missing runs of the study and write its report; raises ValueError."""
    from bea_ros.studies.robots.study import RobotStudy

    parsed.report = parsed.evaluation_time is not None
    return RobotStudy().run(parsed)
