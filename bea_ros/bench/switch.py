# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench switch`: the options; what is heavy is imported when it is run."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--seeds", type=int, default=5, help="runs of each switch")
    parser.add_argument("--profile", default="default", help="default, paper or released")
    parser.add_argument("--evaluations", type=int, default=1500, help="evaluations of a run")
    parser.add_argument("--jobs", type=int, default=-1, help="runs at a time (default: all cores)")


def run(parsed: argparse.Namespace) -> int:
    """Print, for each evaluation time, what each switch came to.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.bench.switch_comparison import FIXED, compare
    from bea_ros.system.execution import check_jobs

    check_jobs(parsed.jobs)
    if parsed.seeds < 1 or parsed.evaluations <= FIXED[0]:
        raise ValueError(f"at least 1 of --seeds and {FIXED[0] + 1} of --evaluations are needed")
    compare(parsed.seeds, parsed.evaluations, parsed.profile, parsed.jobs)
    return 0
