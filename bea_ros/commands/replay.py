# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea replay: the best candidate of a run is run again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import replay_graph
from bea_ros.commands.graphs import (
    OF_RUN,
    add_arguments,
    damage_for,
    equipment,
    start,
    values_of,
)
from bea_ros.runs.learned import read_learned


def add(commands: Any) -> None:
    text = "run the best candidate of a run again"
    parser = commands.add_parser("replay", help=text, description=text)
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    add_arguments(parser, ROBOT_ARGUMENTS, OF_RUN)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    learned = read_learned(parsed.run_folder.absolute())
    arguments = values_of(parsed, ROBOT_ARGUMENTS)
    names = ("arena", "motor", "duration")
    before = {**learned.request, **{name: getattr(learned, name) for name in names}}
    before.pop("robot_backend", None)  # a real robot moves only if asked for
    before["damage"] = damage_for(learned, arguments["robot_backend"])
    arguments.update({name: v for name, v in before.items() if name not in parsed.given})
    arguments |= equipment(learned, arguments["robot_backend"], parsed.given)
    arguments["run"] = str(learned.folder)
    return start(replay_graph(arguments), arguments, parsed.given)
