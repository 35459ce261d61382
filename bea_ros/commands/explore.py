# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea explore: many ways to move, from simulation, for a robot to begin learning with."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import ROBOT_ARGUMENTS
from bea_ros.commands.graphs import add_arguments, values_of

EVALUATIONS = 4_000
ARGUMENTS = tuple(a for a in ROBOT_ARGUMENTS if a.name in ("robot", "generation", "masses"))


def add(commands: Any) -> None:
    text = "find many ways to move in simulation, as a prior for learning"
    parser = commands.add_parser("explore", help=text, description=text)
    add = parser.add_argument
    add_arguments(parser, ARGUMENTS)
    add("--weight-range", type=float, default=1.5, help="largest CPG weight, 1/s")
    add("--evaluations", type=int, default=EVALUATIONS,
        help="candidates to try")  # fmt: skip
    add("--seed", type=int, default=1, help="seed of the search")
    add("--output", type=Path, metavar="FOLDER",
        help="folder, resumed if it exists (default repertoires/ROBOT)")  # fmt: skip
    add("--jobs", type=int, default=-1, help="candidates at a time (default: one per core)")
    add("--scheduler", default="", metavar="ADDRESS",
        help="Dask scheduler whose workers try the candidates")  # fmt: skip
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    if importlib.util.find_spec("ribs") is None:
        raise ValueError("needs pyribs: pip install ribs")
    from bea_ros.repertoire import page
    from bea_ros.repertoire.exploring import explore
    from bea_ros.repertoire.plan import Plan
    from bea_ros.repertoire.store import FILE
    from bea_ros.robots import absolute_robot, robot_name

    if parsed.evaluations < 1:
        raise ValueError(f"--evaluations {parsed.evaluations}: at least 1 is needed")
    values = values_of(parsed, ARGUMENTS)
    values["robot"] = absolute_robot(values["robot"])
    plan = Plan(**values, weight_range=parsed.weight_range, seed=parsed.seed)
    folder = parsed.output or Path("repertoires") / robot_name(plan.robot)
    try:
        repertoire = explore(plan, folder, parsed.evaluations, parsed.jobs, parsed.scheduler)
    except KeyboardInterrupt:
        print(f"\nstopped: {folder} keeps what was tried; the same command resumes")
        raise
    print(f"wrote {folder / FILE}: {len(repertoire)} ways to move")
    print(f"wrote {page.write(folder, repertoire)}")
    return 0
