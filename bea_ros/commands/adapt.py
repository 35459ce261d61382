# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea adapt: measure a run's best gait again; if it lost much, learn again from a prior."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import SURROUNDINGS
from bea_ros.commands import learn
from bea_ros.commands.graphs import add_arguments, possible
from bea_ros.runs.folder.head import RunFolderError, read_request
from bea_ros.runs.learned import read_learned

EVALUATIONS = 20
# As in the run, unless given.
SAME = {"robot", "generation", "masses", "task", "duration", "seed", "robot_backend", "motor",
        "damage", "images", *SURROUNDINGS} - {"enough"}  # fmt: skip
CHOSEN = {"adapt", "algorithm", "profile", "warm_start"}
OWN: dict[str, Any] = {"evaluations": EVALUATIONS, "prior": "default"}
ARGUMENTS = tuple(
    replace(argument, default=OWN.get(argument.name, argument.default))
    for argument in learn.ARGUMENTS
    if argument.name not in CHOSEN
)


def add(commands: Any) -> None:
    text = "measure a run's best gait again; learn again from a prior if it lost over a fifth"
    parser = commands.add_parser("adapt", help=text, description=text)
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of the run")
    add_arguments(parser, ARGUMENTS, SAME)
    parser.set_defaults(run=run, option=None, **dict.fromkeys(CHOSEN))


def run(parsed: argparse.Namespace) -> int:
    learned = read_learned(Path(os.path.abspath(parsed.run_folder)))  # of ".", too, the name
    if not parsed.output:
        parsed.output = str(learned.folder.with_name(f"{learned.folder.name}-adapted"))
    output = Path(parsed.output).expanduser().absolute()
    if (begun := read_request(output)) is not None:
        if begun.get("before") is None or begun["before"] != learned.fitness:
            raise RunFolderError(
                f"{output} does not adapt the best gait of {learned.folder}: choose another "
                f"--output; bea learn --output {output} resumes what is there"
            )
        return learn.run(parsed)  # which resumes it
    known = {**learned.surroundings, **learned.request}
    known = possible(learned.folder, known, learn.ARGUMENTS)
    before: dict[str, Any] = {
        **{name: value for name, value in known.items() if name in SAME},
        "motor": learned.motor,
        **OWN,
    }
    for name, value in before.items():
        if getattr(parsed, name) is None:
            setattr(parsed, name, value)
    parsed.adapt = str(learned.folder)
    return learn.run(parsed, {"weight_range": known.get("weight_range", 1.5)})
