# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench: measure this machine and this package, or repeat a study."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from bea_ros.commands.parser import seed
from bea_ros.studies import adaptation, bbob, claims, functions, optimizers, robots

STUDY = ("folder", {"nargs": "?", "type": Path, "default": robots.FOLDER / "default",
                    "help": "folder of the study"})  # fmt: skip
LONG = (
    ("--evaluations", {"type": int, "default": 1500, "help": "number of evaluations"}),
    ("--duration", {"type": float, "default": 2.0, "help": "duration of an evaluation (s)"}),
)
# Modules of bea_ros.bench, which are imported when they are run: what they measure, and options.
BENCHMARKS: dict[str, tuple[str, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "loop": ("speed of the whole graph, and where the time goes", ()),
    "onboard": ("CPU and memory of the robot's own nodes while it learns in real time", ()),
    "localization": ("error of the camera's localization, and time per frame", ()),
    "images": ("localization on images that get harder step by step", ()),
    "simulation": ("speed of evaluations in the simulator alone", ()),
    "endurance": ("growth of memory and times in a long run", (
        *LONG,
        ("--output", {"type": Path,
                      "help": "folder of the run, kept; default: a temporary one"}),
    )),
    "page": ("cost of open pages in a run: log, speed, memory", (
        *LONG,
        ("--pages", {"type": int, "default": 10, "help": "pages that are open at a time"}),
    )),
    "gaits": ("whether the best controllers of `bea bench robots` are plausible", (STUDY,)),
    "carried": ("how often carrying the robot is noticed, and a gait refused by mistake", (
        STUDY,
        ("--random", {"type": int, "default": 40, "help": "random candidates of each case"}),
        ("--hands", {"type": int, "default": 4, "help": "hands that carry the robot, per gait"}),
        ("--seed", {"type": seed, "default": 2, "help": "seed of candidates, hands and errors"}),
        ("--world", {"choices": ("usual", "other", "broken"), "default": "usual",
                     "help": "other: other physics, as of real robots; broken: and a joint"}),
        ("--duration", {"type": float, "metavar": "S",
                        "help": "s of an evaluation (default: the task's own)"}),
    )),
}  # fmt: skip
STUDIES = {
    "robots": (robots, "the paper's nine cases by BO, EA and BEA"),
    "functions": (functions, "the paper's synthetic functions by BO, EA and BEA"),
    "claims": (claims, "each claim of the paper compared with these studies"),
    "optimizers": (optimizers, "BO, EA and BEA compared with others: fitness, overhead, memory"),
    "adaptation": (adaptation, "how fast a robot with a repertoire learns in other worlds, or "
                   "with damage"),
    "bbob": (bbob, "BO, EA and BEA compared with others on the 24 functions of COCO"),
}  # fmt: skip


def add(commands: Any) -> None:
    text = "measure this machine and this package, or repeat a study"
    parser = commands.add_parser("bench", help=text, description=text)
    benches = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    for name, (text, options) in BENCHMARKS.items():
        parser = benches.add_parser(name, help=text, description=text)
        for flag, about in options:
            parser.add_argument(flag, **about)
        parser.set_defaults(run=run)
    for name, (study, text) in STUDIES.items():
        parser = benches.add_parser(name, help=text, description=text)
        study.add_arguments(parser)
        parser.set_defaults(run=study.run)


def run(parsed: argparse.Namespace) -> int:
    _, options = BENCHMARKS[parsed.what]
    names = [flag.removeprefix("--") for flag, _ in options]
    module = importlib.import_module(f"bea_ros.bench.{parsed.what}")
    return int(module.run(**{name: getattr(parsed, name) for name in names}) or 0)
