# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench optimizers`: the options."""

from __future__ import annotations

import argparse

from bea_ros.studies.engine import options
from bea_ros.studies.optimizers import FOLDER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    options.add_output(parser, FOLDER, profiles=False)
    add(
        "--functions",
        nargs="+",
        metavar="NAME",
        help=f"only these {options.SELECTION} (default: textbook textbook-shifted rotated)",
    )
    options.add_methods(parser, ": all installed")
    add("--seeds", type=int, help="runs of each method on each function (default 20)")
    add(
        "--slow-seeds",
        type=int,
        help="at most so many runs of peers that take a second or more per ask (default 2)",
    )
    add("--evaluations", type=int, help="evaluations of a run (default 1500)")
    add("--dimension", type=int, help="dimension of the functions (default 20)")
    add("--limit", type=float, metavar="S", help="CPU s after which a run is cut (default 120)")
    options.add_jobs(parser, "a few minutes")


def run(parsed: argparse.Namespace) -> int:
    """Carry out the runs that are missing, print the tables and write the report.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.studies.optimizers.study import OptimizerStudy

    return OptimizerStudy().run(parsed)
