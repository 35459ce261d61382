# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench bbob: our optimizers and peers on the 24 functions of COCO's BBOB suite."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from bea_ros.studies.engine import options

FOLDER = Path("bench/bbob")
USUAL_PEERS = (
    "cmaes", "pycma", "lq_cmaes", "nevergrad_ngopt", "scipy_slsqp", "scipy_de_small",
    "random_search",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    add = parser.add_argument
    options.add_output(parser, FOLDER, below="")
    numbers = ": 1 to 24, odd, even, or a group like multimodal (default: all)"
    options.add_names(parser, "functions", numbers)
    add("--dimensions", nargs="+", type=int, metavar="D", help="dimensions (default: 10 20)")
    add("--instances", nargs="+", type=int, metavar="I", help="instances (default: 1 2 3)")
    add("--seeds", type=int, help="runs on each instance (default 1)")
    options.add_methods(parser, f", where installed: {' '.join(USUAL_PEERS)}")
    options.add_limit(parser, 600)
    time = "s of an evaluation: each run has the time that its evaluations take without overhead"
    add("--evaluation-time", type=float, metavar="S", help=f"{time} (default: no limit)")
    options.add_jobs(parser, "a minute")


def run(parsed: argparse.Namespace) -> int:
    """Carry out missing runs, print the tables and write the report; raises ValueError."""
    if find_spec("ioh") is None:
        raise ValueError("bea bench bbob needs the functions of BBOB: pip install ioh")
    from bea_ros.studies.bbob.study import BbobStudy

    return BbobStudy().run(parsed)
