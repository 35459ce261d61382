# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench adaptation`: the options."""

from __future__ import annotations

import argparse

from bea_ros.studies.adaptation import FOLDER
from bea_ros.studies.engine import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    add = parser.add_argument
    options.add_output(parser, FOLDER)
    add("--robots", nargs="+", metavar="NAME", help="only these (default: all three)")
    add("--tasks", nargs="+", metavar="TASK", help="only these (default: the paper's three)")
    add("--changes", nargs="+", metavar="CHANGE",
        help="physics, limp, stuck, or of one joint, as leg_00.limp (default: all)")  # fmt: skip
    add("--algorithms", nargs="+", metavar="NAME",
        help="only these (default: fresh prior ordered nature warm misled)")  # fmt: skip
    add("--prior", help="repertoire, or folder with one of each robot (default: the package's)")
    add("--repetitions", type=int, help="draws of physics (default 10)")
    add("--draws-seed", type=int, help="seed of the draws; bea explore uses another (default 1)")
    add("--evaluations", type=int, help="evaluations of a run without a prior (default 150)")
    add("--trials", type=int, help="evaluations of all others (default 20)")
    add("--duration", type=float, help="s of an evaluation (default: the task's own)")
    options.add_execution(parser)
    add("--report", action="store_true", help="only write the report again, from the data")
    parser.set_defaults(switch=None, options=None, profile=None, evaluation_time=None)


def run(parsed: argparse.Namespace) -> int:
    """Carry out the missing runs of the study and write its report.

    Raises ValueError if an option is not allowed.
    """
    from bea_ros.studies.adaptation.study import AdaptationStudy

    return AdaptationStudy().run(parsed)
