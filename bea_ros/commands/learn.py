# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea learn: a robot learns, or goes on where its run was stopped."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bea_ros.bringup import (
    LEARN_ARGUMENTS,
    RECORD_ARGUMENTS,
    ROBOT_ARGUMENTS,
    SURROUNDINGS,
    learn_graph,
    output_folder,
)
from bea_ros.commands.graphs import add_arguments, start, values_of
from bea_ros.runs.folder import RunFolderError, check_same, read_request, read_surroundings

_ARGUMENTS = (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS, *RECORD_ARGUMENTS)


def add(commands: Any) -> None:
    text = "let a robot learn, or go on where a run was stopped"
    parser = commands.add_parser("learn", help=text, description=text)
    add_arguments(parser, _ARGUMENTS)
    parser.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="further option of the optimizer"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    arguments = values_of(parsed, _ARGUMENTS)
    output = output_folder(arguments)
    request = read_request(output)
    if request is not None:  # what is not said anew is as it was
        if "robot_backend" in request and "robot_backend" in parsed.given:
            # The learner would refuse it, too, but beside another robot's nodes.
            check_same(output, request, {**request, "robot_backend": arguments["robot_backend"]})
        request.setdefault("confirm", 0)  # which the learner leaves out
        options = [f"{name}={json.dumps(v)}" for name, v in request.pop("options").items()]
        before = {**_surroundings(output), **request}
        arguments.update({name: v for name, v in before.items() if name not in parsed.given})
        parsed.given |= set(before)  # a parameter file does not change it either
        arguments["options"] = options
    arguments["options"] = parsed.option or arguments.get("options")
    arguments["output"] = str(output)
    return start(learn_graph(arguments), arguments, parsed.given)


def _surroundings(output: Path) -> dict[str, Any]:
    """Arena, camera, servos and the like of a run that is gone on with."""
    usual = {a.name: a for a in _ARGUMENTS if a.name in SURROUNDINGS}
    found = read_surroundings(output)
    for name, value in found.items():
        argument = usual.get(name)
        fits = argument and type(value) is type(argument.default)
        if not (argument and fits and value in (argument.choices or (value,))):
            raise RunFolderError(f"{output}: its run.yaml has no possible {name}: {value!r}")
    return found
