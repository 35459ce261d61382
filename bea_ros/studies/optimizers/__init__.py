# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench optimizers: our optimizers and widely used ones side by side."""

from __future__ import annotations

import argparse
from pathlib import Path

from bea_ros.studies.engine import options

FOLDER = Path("bench/optimizers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    add = parser.add_argument
    options.add_output(parser, FOLDER, below="")
    usual = f"{options.SELECTION} (default: textbook textbook-shifted rotated)"
    options.add_names(parser, "functions", usual)
    options.add_methods(parser, ": all installed")
    add("--seeds", type=int, help="runs of each method on each function (default 20)")
    slow = "at most so many runs of peers that take a second or more per ask (default 2)"
    add("--slow-seeds", type=int, help=slow)
    add("--dimension", type=int, help="dimension of the functions (default 20)")
    options.add_limit(parser, 120)
    options.add_jobs(parser, "a few minutes")


def run(parsed: argparse.Namespace) -> int:
    """Carry out missing runs, print the tables and write the report; raises ValueError."""
    from bea_ros.studies.optimizers.study import OptimizerStudy

    return OptimizerStudy().run(parsed)
