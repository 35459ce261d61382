# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench bbob`: the options."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from bea_ros.studies.bbob import FOLDER, USUAL_PEERS
from bea_ros.studies.engine import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    options.add_output(parser, FOLDER, profiles=False)
    add(
        "--functions",
        nargs="+",
        metavar="NAME",
        help="only these: 1 to 24, odd, even, or a group like multimodal (default: all)",
    )
    add("--dimensions", nargs="+", type=int, metavar="D", help="dimensions (default: 10 20)")
    add("--instances", nargs="+", type=int, metavar="I", help="instances (default: 1 2 3)")
    add("--seeds", type=int, help="runs on each instance (default 1)")
    add("--evaluations", type=int, help="evaluations of a run (default 1500)")
    options.add_methods(parser, f", where installed: {' '.join(USUAL_PEERS)}")
    add("--limit", type=float, metavar="S", help="CPU s after which a run is cut (default 600)")
    options.add_jobs(parser, "a minute")


def run(parsed: argparse.Namespace) -> int:
    """Carry out the runs that are missing, print the tables and write the report.

    Raises ValueError for what is not allowed.
    """
    if find_spec("ioh") is None:
        raise ValueError("bea bench bbob needs the functions of BBOB: pip install ioh")
    from bea_ros.studies.bbob.study import BbobStudy

    return BbobStudy().run(parsed)
