# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea operator: requests of a person beside the robot to the learner and the servos."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

REQUESTS = {
    "pause": "stop the robot; its candidate is measured again later",
    "resume": "continue after a pause",
    "skip": "skip a candidate that falls each time; it counts as the worst so far, or 0",
    "repeat": "measure the last candidate again; the new fitness replaces the old one",
    "abort": "stop the robot and end the run; `bea learn` resumes it",
    "status": "print what the learner does",
    "arm": "move a real robot's servos slowly to neutral; then they follow commands",
    "disarm": "relax the servos; with ros2_control the joints hold still",
    "stop": "emergency stop: as disarm, at once; arm again after `disarm`",
}


def add(commands: Any) -> None:
    text = "control a run or the servos: pause, resume, skip, stop, ..."
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
