# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench adaptation: how fast a robot adapts to physics that its repertoire does not cover, or
to a broken joint.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bea_ros.studies.engine import options

FOLDER = Path("bench/adaptation")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    add = parser.add_argument
    options.add_output(parser, FOLDER, below="/default")
    options.add_names(parser, "robots", "(default: all three)")
    options.add_names(parser, "tasks", "(default: the paper's three)")
    changes = ": physics, limp, stuck (default: all), or of one joint: leg_00.limp, .missing, "
    changes += ".stuck:ANGLE"
    options.add_names(parser, "changes", changes)
    usual = "(default: fresh prior unsimulated ordered nature warm misled)"
    options.add_names(parser, "algorithms", usual)
    add("--prior", help="repertoire, or folder with one of each robot (default: the package's)")
    add("--repetitions", type=int, help="draws of physics (default 10)")
    add("--draws-seed", type=int, help="seed of the draws; bea explore uses another (default 1)")
    add("--evaluations", type=int, help="evaluations of a run without a prior (default 150)")
    add("--trials", type=int, help="evaluations of all others (default 20)")
    add("--duration", type=float, help="s of an evaluation (default: the task's own)")
    options.add_execution(parser)
    options.add_report(parser)
    parser.set_defaults(options=None, profile=None, evaluation_time=None)


def run(parsed: argparse.Namespace) -> int:
    """Carry out the missing runs of the study and write its report; raises ValueError."""
    from bea_ros.studies.adaptation.study import AdaptationStudy

    return AdaptationStudy().run(parsed)
