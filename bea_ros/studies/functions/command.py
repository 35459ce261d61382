# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench functions`: the options."""

from __future__ import annotations

import argparse

from bea_ros.studies.engine import options
from bea_ros.studies.functions import FOLDER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    options.add_output(parser, FOLDER)
    add(
        "--functions",
        nargs="+",
        metavar="NAME",
        help=f"only these {options.SELECTION} (default: all)",
    )
    add(
        "--algorithms",
        nargs="+",
        metavar="NAME",
        help="only these (default: bo ea bea bea-s1 bea-s2 bea-s3; bea transfers by S4)",
    )
    options.add_runs(parser, repetitions=20, switch=250)
    add("--dimension", type=int, help="dimension of the functions (default 20)")
    options.add_execution(parser)
    options.add_evaluation_time(
        parser, "what an evaluation is assumed to take, in the report (default 0.1 1 10)"
    )
    add("--report", action="store_true", help="only write the report again, from the data")


def run(parsed: argparse.Namespace) -> int:
    """Carry out what is missing of the study and write its report.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.studies.functions.study import FunctionStudy

    return FunctionStudy().run(parsed, only_report=parsed.report)
