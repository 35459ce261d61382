# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea repertoire: what a repertoire has for a task."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "list and draw the best gaits of a repertoire for a task"
    parser = commands.add_parser("repertoire", help=text, description=text)
    add = parser.add_argument
    add("repertoire", metavar="DIR", help="folder of bea explore, or the name of a robot")
    add("--task", default="gait", help="task; options follow the name: gait:form=path")
    add(
        "--duration",
        type=float,
        default=0.0,
        help="duration of an evaluation (s); 0: the task's own",
    )
    add("--best", type=int, default=10, metavar="N", help="number of gaits to list")
    add("--output", type=Path, metavar="FILE",
        help="page with their paths (default repertoire-ROBOT-TASK.html)")  # fmt: skip
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    import numpy as np
    from rich.table import Table

    from bea_ros.repertoire import load, page, path_of
    from bea_ros.repertoire.ranking import expected, fitness_of, ranked
    from bea_ros.robots import kind_and_marker, robot_names
    from bea_ros.system.terminal import plain_console
    from bea_ros.tasks import check_duration, find_task, title_of

    if parsed.best < 1:
        raise ValueError(f"--best {parsed.best}: at least 1")
    task = find_task(parsed.task)
    duration = check_duration(parsed.duration or task.duration)
    named, robots = parsed.repertoire, robot_names()
    where = Path(named).expanduser().absolute()
    if not where.exists():
        named = kind_and_marker(named)[0]
    if not where.exists() and named not in robots:
        raise ValueError(f"no folder {named}, and no robot of the package: {', '.join(robots)}")
    repertoire = load(path_of(str(where) if where.exists() else "default", named, "small"))
    fitness = fitness_of(repertoire, task, duration)
    best = ranked(fitness)[: parsed.best]
    table = Table(
        *("candidate", f"mean ({task.unit})", "worst", "best", "falls"),
        title=f"{repertoire.robot}, {title_of(task.name)}: the best of {len(repertoire)} "
        f"candidates under {len(repertoire.physics)} draws of physics, {duration:g} s",
    )
    for number in best:
        values = fitness[number][np.isfinite(fitness[number])]
        ends = (f"{values.min():.4f}", f"{values.max():.4f}") if len(values) else ("-", "-")
        falls = str(len(fitness[number]) - len(values))
        table.add_row(str(number), f"{expected(fitness)[number]:.4f}", *ends, falls)
    plain_console().print(table)
    name = f"repertoire-{repertoire.robot}-{task.name.replace(':', '-').replace('=', '-')}.html"
    output = parsed.output or Path(name)
    print(f"wrote {page.write_best(output, repertoire, task, duration, fitness, best)}")
    return 0
