# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench functions: the paper's study of synthetic functions (section VI)."""

from __future__ import annotations

import argparse
from pathlib import Path

from bea_ros.studies.engine import options

EVALUATION_TIMES = (0.1, 1.0, 10.0)  # s (paper)
FOLDER = Path("bench/functions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    options.add_output(parser, FOLDER)
    options.add_names(parser, "functions", f"{options.SELECTION} (default: all)")
    usual = "(default: bo ea bea bea-s1 bea-s2 bea-s3; bea transfers by S4)"
    options.add_names(parser, "algorithms", usual)
    options.add_runs(parser, repetitions=20, switch=250)
    parser.add_argument("--dimension", type=int, help="dimension of the functions (default 20)")
    options.add_execution(parser)
    meaning = "what an evaluation is assumed to take, in the report (default 0.1 1 10)"
    options.add_evaluation_time(parser, meaning)
    options.add_report(parser)


def run(parsed: argparse.Namespace) -> int:
    """Carry out the missing runs of the study and write its report; raises ValueError."""
    from bea_ros.studies.functions.study import FunctionStudy

    return FunctionStudy().run(parsed)
