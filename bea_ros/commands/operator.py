# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea operator: what somebody beside the robot asks of a learner and of the servos."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

REQUESTS = {
    "pause": "the robot stops; its candidate is measured again later",
    "resume": "a learner that waits resumes",
    "skip": "the robot falls each time: the candidate counts as the worst so far, or 0",
    "repeat": "the last fitness is wrong: it is measured again, and the new value counts",
    "abort": "the robot stops, and the run ends; `bea learn` resumes it",
    "status": "what the learner does",
    "arm": "a real robot's servos go to neutral, slowly, and then follow",
    "disarm": "the servos relax",
    "stop": "emergency stop: the servos relax at once, and can only be armed after `disarm`",
}


def add(commands: Any) -> None:
    text = "ask something of a run or of the servos: pause, resume, skip, stop, ..."
    parser = commands.add_parser("operator", help=text, description=text)
    requests = parser.add_subparsers(dest="request", required=True, metavar="REQUEST")
    for name, text in REQUESTS.items():
        request = requests.add_parser(name, help=text, description=text)
        request.add_argument(
            "run_folder", type=Path, nargs="?", metavar="RUN",
            help="folder of the run on this machine (default: the one in ROS_DOMAIN_ID)",
        )  # fmt: skip
        request.add_argument("--namespace", help="namespace of the robot (default: the run's)")
        request.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.nodes.clients.operator import ask

    return ask(parsed.request, parsed.run_folder, parsed.namespace)
