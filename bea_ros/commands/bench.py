# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench: measure this machine and this package, or repeat a study."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from bea_ros.bench import carried, endurance, gaits, page, switch
from bea_ros.studies.adaptation import command as adaptation_study
from bea_ros.studies.bbob import command as bbob_study
from bea_ros.studies.claims import command as claims
from bea_ros.studies.functions import command as function_study
from bea_ros.studies.optimizers import command as optimizer_study
from bea_ros.studies.robots import command as robot_study

BENCHMARKS = {
    "loop": "how fast the whole graph runs",
    "onboard": "CPU and memory of the robot's own nodes while it learns in real time",
    "localization": "how exactly the camera localizes the robot",
    "images": "how the localization works on images that get harder step by step",
    "simulation": "how fast a robot is evaluated in the simulator alone",
    "motion": "how well models predict fitness from weights, and from commanded motion",
    "transfer": "what a warm start gains under other physics",
}
STUDIES = {
    "endurance": (endurance, "whether memory or times grow in a long run"),
    "page": (page, "what open pages cost a run: log, pace, memory"),
    "switch": (switch, "BEA's switch by gain per second against fixed switches"),
    "robots": (robot_study, "the paper's nine cases by BO, EA and BEA"),
    "gaits": (gaits, "whether the best controllers of `bea bench robots` are plausible"),
    "carried": (carried, "how often a carrying hand is noticed, and a gait refused"),
    "functions": (function_study, "the paper's synthetic functions by BO, EA and BEA"),
    "claims": (claims, "the paper's claims, line by line, beside these studies"),
    "optimizers": (
        optimizer_study,
        "BO, EA and BEA beside other optimizers: value, overhead, memory",
    ),
    "adaptation": (
        adaptation_study,
        "how soon a robot with a repertoire moves in other worlds, or broken",
    ),
    "bbob": (bbob_study, "BO, EA and BEA beside others on the 24 functions of COCO"),
}


def add(commands: Any) -> None:
    text = "measure this machine and this package, or repeat a study"
    parser = commands.add_parser("bench", help=text, description=text)
    benches = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    for name, text in BENCHMARKS.items():
        benches.add_parser(name, help=text, description=text).set_defaults(run=run)
    for name, (study, text) in STUDIES.items():
        parser = benches.add_parser(name, help=text, description=text)
        study.add_arguments(parser)
        parser.set_defaults(run=study.run)


def run(parsed: argparse.Namespace) -> int:
    module = importlib.import_module(f"bea_ros.bench.{parsed.what}")
    return int(module.run() or 0)
