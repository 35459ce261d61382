# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea replay: the best candidate of a run is run again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bea_ros.bringup import ROBOT_ARGUMENTS, replay_graph
from bea_ros.commands.graphs import add_arguments, start, values_of
from bea_ros.runs.folder import RunFolderError, read_request


def add(commands: Any) -> None:
    text = "run the best candidate of a run again"
    parser = commands.add_parser("replay", help=text, description=text)
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    add_arguments(parser, ROBOT_ARGUMENTS)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    request = read_request(parsed.run_folder)
    if request is None:
        raise RunFolderError(f"{parsed.run_folder} is not the folder of a run")
    request.pop("robot_backend", None)  # no real robot moves for want of a word
    arguments = values_of(parsed, ROBOT_ARGUMENTS)
    arguments.update({name: v for name, v in request.items() if name not in parsed.given})
    arguments["run"] = str(parsed.run_folder.absolute())
    return start(replay_graph(arguments), arguments, parsed.given)
