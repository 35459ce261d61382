# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea validate: the best candidates of runs are run again, in this world or in others."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import ROBOT_ARGUMENTS, VALIDATE_ARGUMENTS
from bea_ros.bringup.graphs import validate_graph
from bea_ros.commands.graphs import (
    OF_RUN,
    add_arguments,
    damage_for,
    equipment,
    remind_of_config,
    start,
    values_of,
)
from bea_ros.commands.parser import seed
from bea_ros.runs.learned import Learned, by_platform, read_learned
from bea_ros.system.files import check_writable
from bea_ros.system.terminal import INTERRUPTED

_ARGUMENTS = (*(a for a in VALIDATE_ARGUMENTS if a.name != "runs"), *ROBOT_ARGUMENTS)

UNTRUSTED = 1  # exit code of a validator without a valid trial


def add(commands: Any) -> None:
    text = "measure the best candidates of runs again"
    parser = commands.add_parser("validate", help=text, description=text)
    parser.add_argument("run_folders", type=Path, nargs="+", metavar="RUN", help="folder of a run")
    add_arguments(parser, _ARGUMENTS, OF_RUN)
    parser.add_argument(
        "--physics",
        type=int,
        default=0,
        metavar="N",
        help="try each once in N worlds with other physics, in this process; 0: no",
    )
    parser.add_argument("--seed", type=seed, default=1, help="with --physics: seed of the worlds")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    runs = [read_learned(folder.absolute()) for folder in parsed.run_folders]
    arguments = values_of(parsed, _ARGUMENTS)
    if parsed.physics and (ignored := sorted(parsed.given - {"duration", "output", "motor"})):
        raise ValueError(
            f"--{ignored[0].replace('_', '-')}: with --physics each run is tried once a "
            "world, in this process, as the robot and in the arena it was learned with"
        )
    output = Path(arguments["output"])
    check_writable(output)
    if parsed.physics:
        return _in_other_physics(runs, parsed, arguments, output)
    from bea_ros.report import trials

    codes = _in_graphs(runs, parsed, arguments, output)
    code = codes[-1] or max(codes)
    if code == 2:  # a user's mistake
        return code
    from bea_ros.report import validation  # slow to load

    if 0 in codes and code in (0, UNTRUSTED):
        validation.print_table(output)
    elif (output / trials.TRIALS).exists():
        validation.write_report(output)  # on a busy machine the validator was killed before it had
    if code == INTERRUPTED and (output / trials.TRIALS).exists():
        print(f"stopped; the trials are in {output}, and --append adds others")
    return code


def _in_other_physics(
    runs: list[Learned], parsed: argparse.Namespace, arguments: dict[str, Any], output: Path
) -> int:
    """Try the best of each run in other worlds, in this process; returns an exit code."""
    from bea_ros.report import trials
    from bea_ros.studies import other_physics

    trials.check_new(output, other_physics.TABLE)
    for learned in runs:
        remind_of_config(learned, "which --physics does not use")
    motor = "" if arguments["motor"] == "auto" else arguments["motor"]
    return other_physics.run(
        runs, parsed.physics, parsed.seed, arguments["duration"], output, motor
    )


def _in_graphs(
    runs: list[Learned], parsed: argparse.Namespace, arguments: dict[str, Any], output: Path
) -> list[int]:
    """Start a graph for each group of runs until one fails; returns their exit codes."""
    from bea_ros.report import trials

    places = trials.unused_seed(output) if arguments["append"] else 1
    codes = []
    groups = [alike for group in by_platform(runs) for alike in _by_equipment(group, parsed)]
    for number, (group, equipped) in enumerate(groups):
        platform = {n: v for n, v in group[0].platform.items() if n not in parsed.given}
        wanted = {
            **arguments,
            **platform,
            **equipped,
            "runs": [str(run.folder) for run in group],
            "output": str(output.absolute()),
        }
        if "damage" not in parsed.given:
            wanted["damage"] = damage_for(group[0], arguments["robot_backend"])
        wanted |= {"append": wanted["append"] or number > 0, "seed": places}
        codes.append(start(validate_graph(wanted), wanted, parsed.given))
        if codes[-1] not in (0, UNTRUSTED):
            break
    return codes


def _by_equipment(
    runs: list[Learned], parsed: argparse.Namespace
) -> list[tuple[list[Learned], dict[str, Any]]]:
    """Group the runs by their equipment; returns each group with its equipment."""
    groups: dict[tuple[Any, ...], tuple[list[Learned], dict[str, Any]]] = {}
    for run in runs:
        equipped = equipment(run, parsed.robot_backend, parsed.given)
        alike, _ = groups.setdefault(tuple(sorted(equipped.items())), ([], equipped))
        alike.append(run)
    return list(groups.values())
