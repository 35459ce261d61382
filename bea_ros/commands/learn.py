# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea learn: a robot learns, or a run resumes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import (
    LEARN_ARGUMENTS,
    PAGE,
    PROCESS_ARGUMENTS,
    RECORD_ARGUMENTS,
    ROBOT_ARGUMENTS,
)
from bea_ros.bringup.graphs import learn_graph, output_folder
from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.bringup.parameter_file import configured
from bea_ros.commands.graphs import add_arguments, possible, start, values_of
from bea_ros.runs.folder.head import RunFolderError, check_same, read_request, read_surroundings
from bea_ros.runs.folder.lock import RunLock

ARGUMENTS = (
    *LEARN_ARGUMENTS,
    *ROBOT_ARGUMENTS,
    *RECORD_ARGUMENTS,
    *PROCESS_ARGUMENTS,
    PAGE,
)
MOST_DRAWS = 64
# Parameters that the learner shares with other nodes.
_SHARED = {"robot", "generation", "masses", "robot_backend", "arena", "motor", "damage"}
# Parameters of a run that a parameter file can set only when it begins.
_DECISIVE = {
    "generation", "masses", "task", "algorithm", "profile", "seed", "duration", "weight_range",
    "confirm",
}  # fmt: skip


def add(commands: Any) -> None:
    text = "let a robot learn, or resume a run"
    resumed = "A run that is resumed or extended keeps the options that are not given again."
    parser = commands.add_parser("learn", help=text, description=text, epilog=resumed)
    add_arguments(parser, ARGUMENTS)
    parser.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="another option of the optimizer"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace, beside: Mapping[str, Any] | None = None) -> int:
    """Learn with these options; `beside` are arguments of a new run that are no options."""
    arguments = {**values_of(parsed, ARGUMENTS), **(beside or {})}
    output = output_folder(arguments)
    for path in (output, *output.parents):
        if path.exists() and not path.is_dir():
            raise BringupError(f"cannot write to {output}: {path} is a file, not a folder")
    request = read_request(output)
    chosen, learner = set(parsed.given), {}
    if request is not None:  # arguments that are not given keep their values
        # The learner would refuse these, too, but after other nodes have started, which disturb a
        # run that is in use.
        RunLock(output).close()
        stay = {"algorithm", "profile", "robot_backend", "images"} & set(request) & parsed.given
        check_same(output, request, {**request, **{name: arguments[name] for name in stay}})
        # The learner does not write these if they have their defaults.
        servos_alone = set() if "motor" in request else {"motor"}
        request = {"confirm": 0, "options": {}, "motor": "servo", **request}
        surroundings = possible(output, read_surroundings(output), ARGUMENTS)
        if "config" in parsed.given:
            overridden = parsed.given | set(surroundings.get("given", ()))
            _check_file(output, request, arguments["config"], _DECISIVE - overridden)
        before = {**surroundings, **possible(output, request, ARGUMENTS)}
        before["options"] = _words(output, before["options"])
        # A value that the learner had from a parameter file was no argument of other nodes.
        said = {*surroundings.pop("given", before), *surroundings, "options", "weight_range"}
        said |= servos_alone  # an old run, in which the profile did not choose the motor
        arguments.update({n: before[n] for n in said & set(before) if n not in parsed.given})
        chosen |= said
        own = _SHARED | {argument.name for argument in LEARN_ARGUMENTS}
        learner = {
            name: value
            for name, value in before.items()
            if name in own and name not in parsed.given
        }
    if parsed.option:
        arguments["options"] = parsed.option
        chosen.add("options")
    arguments |= {"output": str(output), "given": chosen, "changed": parsed.given}
    if not arguments["images"] or arguments["physics"] != 0:
        if "in_process" in parsed.given and not arguments["in_process"]:
            raise BringupError(
                "--no-in-process: without images, or with --physics, a robot learns in one "
                "process: leave it out"
            )
        arguments["in_process"] = True
    if arguments["told"] != "mean" and not arguments["physics"]:
        raise BringupError(f"told {arguments['told']} is for several draws: give --physics, too")
    if arguments["in_process"]:
        _check_in_process(arguments)
    return start(learn_graph(arguments), arguments, chosen, learner)


def _check_file(output: Path, request: dict[str, Any], config: str, names: set[str]) -> None:
    """Raise RunFolderError if a parameter file has other values of these than the run."""
    nodes = configured([NodeSpec("cpg_controller"), NodeSpec("learner")], config, ())
    file = {name: value for name, value in nodes[-1].parameters.items() if name in names}
    check_same(output, request, {**request, **file})


def _check_in_process(arguments: dict[str, Any]) -> None:
    """Raise BringupError for an argument that only the graph has."""
    if not 0 <= arguments["physics"] <= MOST_DRAWS:
        raise BringupError(f"physics {arguments['physics']}: allowed is 0 to {MOST_DRAWS} draws")
    usual = {a.name: a.default for a in ARGUMENTS}
    for name in ("robot_backend", "record", "record_images", "real_time_factor"):
        if arguments[name] != usual[name]:
            option = name.replace("_", "-")
            usually = f"--no-{option}" if usual[name] is False else f"--{option} {usual[name]}"
            typed = f"--{option}" if arguments[name] is True else f"--{option} {arguments[name]}"
            raise BringupError(f"{typed} is for the graph, not for --in-process: give {usually}")
    if (
        arguments["physics"]
        and arguments["learned_world"]
        and "learned_world" in arguments["changed"]
    ):
        raise BringupError(
            "--learned-world: with --physics there are several worlds, and none of them is "
            "learned: give --no-learned-world"
        )
    if "page" in arguments["changed"] and arguments["page"] != "off":
        raise BringupError(f"page {arguments['page']} is for the graph: in process there is none")
    if arguments["operator"] == "present":
        raise BringupError("operator present: --in-process has no operator")


def _words(output: Path, options: dict[str, Any]) -> list[str]:
    """Options as typed on the command line; raises RunFolderError."""
    try:
        return [f"{name}={json.dumps(value)}" for name, value in options.items()]
    except TypeError:
        raise RunFolderError(
            f"{output}: its run.yaml has no possible options: {options}"
        ) from None
