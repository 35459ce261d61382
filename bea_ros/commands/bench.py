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
    "localization": "how well the camera tells where the robot is",
    "images": "how the localization does on images that are made harder, step by step",
    "simulation": "how fast a robot is evaluated in the simulator alone",
    "motion": "how well models predict a controller from its weights and from its motion",
    "transfer": "what a warm start gains under other physics than those learned under",
}
STUDIES = {
    "endurance": (endurance, "whether a long run through the whole graph grows or slows"),
    "page": (page, "what pages that are open cost a run: log, pace, memory"),
    "switch": (switch, "BEA's switch by gain per second against fixed switches"),
    "robots": (robot_study, "the paper's nine cases, learned by BO, EA and BEA and compared"),
    "gaits": (gaits, "whether the best controllers of `bea bench robots` are plausible"),
    "carried": (carried, "how often a hand that carries the robot is noticed, and a gait refused"),
    "functions": (
        function_study,
        "the paper's synthetic functions, minimised by BO, EA and BEA and compared",
    ),
    "claims": (claims, "what the paper claims, line by line, and whether these studies agree"),
    "optimizers": (
        optimizer_study,
        "BO, EA and BEA side by side with other optimizers: value, overhead, memory",
    ),
    "adaptation": (
        adaptation_study,
        "how soon a repertoire's robots move in worlds that it does not know, or broken",
    ),
    "bbob": (bbob_study, "the same on the 24 functions of COCO: ranks, errors, how soon"),
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
