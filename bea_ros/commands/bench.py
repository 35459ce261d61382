# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench: measure this machine and this package, or repeat a study."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from bea_ros.bench import carried, endurance, gaits, page
from bea_ros.studies import bbob, claims, functions, optimizers, robots
from bea_ros.studies.adaptation import command as adaptation

BENCHMARKS = {
    "loop": "how fast the whole graph runs",
    "onboard": "CPU and memory of the robot's own nodes while it learns in real time",
    "localization": "how exactly the camera localizes the robot",
    "images": "how the localization works on images that get harder step by step",
    "simulation": "how fast a robot is evaluated in the simulator alone",
}
STUDIES = {
    "endurance": (endurance, "whether memory or times grow in a long run"),
    "page": (page, "what open pages cost a run: log, pace, memory"),
    "robots": (robots, "the paper's nine cases by BO, EA and BEA"),
    "gaits": (gaits, "whether the best controllers of `bea bench robots` are plausible"),
    "carried": (carried, "how often a carrying hand is noticed, and a gait refused"),
    "functions": (functions, "the paper's synthetic functions by BO, EA and BEA"),
    "claims": (claims, "the paper's claims, line by line, beside these studies"),
    "optimizers": (optimizers, "BO, EA and BEA beside others: value, overhead, memory"),
    "adaptation": (adaptation, "how soon a robot with a repertoire moves elsewhere, or broken"),
    "bbob": (bbob, "BO, EA and BEA beside others on the 24 functions of COCO"),
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
