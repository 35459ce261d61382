# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Repeated trials of best controllers: table, trajectories and page, as in the paper.

validation.csv    a line per controller
validation.html   both tables and the picture
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Column, Table

from bea_ros.report import style
from bea_ros.report.paths import from_start
from bea_ros.report.trials import Case, Validated, validated
from bea_ros.system.files import replace_file
from bea_ros.system.terminal import plain_console
from bea_ros.tasks import Trajectory, find_task, title_of

TABLE, PAGE = "validation.csv", "validation.html"

PAPER_ROBOTS = ("spider9", "gecko7", "babyA")  # in the order of the paper's tables

# Paper, table "Real world performance": the real robots' fitness, mean of three repetitions.
REAL_FITNESS: dict[str, dict[Case, float]] = {
    "bo": {
        ("spider9", "directed_locomotion"): 0.82,
        ("gecko7", "directed_locomotion"): 0.66,
        ("babyA", "directed_locomotion"): 0.83,
        ("spider9", "gait"): 0.032,
        ("gecko7", "gait"): 0.031,
        ("babyA", "gait"): 0.035,
        ("spider9", "rotating"): 1.99,
        ("gecko7", "rotating"): 0.90,
        ("babyA", "rotating"): 0.52,
    },
    "bea": {
        ("spider9", "directed_locomotion"): 0.70,
        ("gecko7", "directed_locomotion"): 1.77,
        ("babyA", "directed_locomotion"): 1.48,
        ("spider9", "gait"): 0.035,
        ("gecko7", "gait"): 0.036,
        ("babyA", "gait"): 0.036,
        ("spider9", "rotating"): 2.91,
        ("gecko7", "rotating"): 1.49,
        ("babyA", "rotating"): 0.87,
    },
}


def write_report(folder: Path) -> Path:
    """Write table and page of the trials in a folder; returns the page's path."""
    controllers = validated(folder)
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows([HEADINGS, *rows(controllers)])
    replace_file(folder / TABLE, table.getvalue())
    cases = in_papers_order({c.case for c in controllers if any(t.trajectory for t in c.trials)})
    shown = "".join(_picture(case, [c for c in controllers if c.case == case]) for case in cases)
    many = "s" * (len(controllers) != 1)
    trials = sum(len(c.trials) for c in controllers)
    lead = f"{len(controllers)} controller{many}, {trials} trial{'s' * (trials != 1)}"
    every = f"<h2>Controllers</h2>{style.table(HEADINGS, rows(controllers))}"
    body = (
        f"{_paper_table(controllers)}{every}{_apart(controllers)}<div class=pictures>{shown}</div>"
    )
    replace_file(folder / PAGE, style.page("Best controllers measured again", lead, body))
    return folder / PAGE


HEADINGS = (
    "run",
    "robot",
    "task",
    "algorithm",
    "duration, s",
    "unit",
    "learned",
    "mean",
    "deviation",
    "trials",
    "failed",
)
NOTE = "From where it started, facing right."
NOTE_TURNING = "Distance from the start over the angle turned: low and far to the right is good."


def rows(controllers: Sequence[Validated]) -> list[list[str]]:
    """A line per controller, in the order of HEADINGS."""
    return [
        [
            c.learned.folder.name,
            *c.case,
            c.learned.request["algorithm"],
            c.duration,
            c.learned.task.unit,
            "" if c.learned.fitness is None else f"{c.learned.fitness:.4f}",
            f"{c.mean:.4f}",
            f"{c.deviation:.2g}",
            str(len(c.trials)),
            str(len(c.trials) - c.values.size),
        ]
        for c in controllers
    ]


def _apart(controllers: Sequence[Validated]) -> str:
    """A note that names controllers whose trials were not as long as their evaluations."""
    words = [
        f"{c.learned.folder.name} learned with {c.learned.duration:g} s"
        for c in controllers
        if not c.compares
    ]
    if not words:
        return ""
    said = f"{'; '.join(words)}. The fitness in its log cannot be compared with the mean."
    return f"<p>{html.escape(said)}</p>"


def print_table(folder: Path) -> None:
    """Print the table of a folder's trials, and the path of the page."""
    run = Column("run", overflow="fold")  # its end distinguishes seeds
    table = Table(run, "robot, task", "learned", "measured", "trials")
    for c in validated(folder):
        unit = c.learned.task.unit
        learned = "" if c.learned.fitness is None else f"{c.learned.fitness:.4f} {unit}"
        spread = f" ± {c.deviation:.2g}" if c.values.size > 1 else ""
        measured = f"{c.mean:.4f}{spread} {unit}"
        trials = f"{c.values.size} of {len(c.trials)}"
        if not c.compares:
            learned += f", {c.learned.duration:g} s"
            measured += f", {c.duration} s"
        table.add_row(c.learned.folder.name, ", ".join(c.case), learned, measured, trials)
    plain_console().print(table)
    print(f"wrote {folder / PAGE}")


def _paper_table(controllers: Sequence[Validated]) -> str:
    """Algorithms over cases, with BEA over BO where there are both (paper, real robots)."""
    fitness = by_algorithm(controllers)
    cases = in_papers_order({case for values in fitness.values() for case in values})
    lines = []
    for name, values in fitness.items():
        lines.append([name.upper(), *(_mean_and_spread(values.get(case)) for case in cases)])
        real = REAL_FITNESS.get(name, {})
        if set(real) & set(cases):
            words = f"{name.upper()}, paper's real robots"
            lines.append([words, *(f"{real[c]:.3g}" if c in real else "-" for c in cases)])
    if {"bo", "bea"} <= set(fitness):
        bea, bo = (
            {case: float(values.mean()) for case, values in fitness[name].items()}
            for name in ("bea", "bo")
        )
        ratios = [bea[c] / bo[c] if c in bea and bo.get(c, 0.0) > 0 else None for c in cases]
        lines.append(["BEA / BO", *("-" if r is None else f"{100 * r:.0f} %" for r in ratios)])
    headings = ["fitness", *(_name(case, find_task(case[1]).unit) for case in cases)]
    title = "Mean fitness ± standard deviation of the trials"
    return f"<h2>{title}</h2>{style.table(headings, lines)}"


def by_algorithm(
    controllers: Sequence[Validated],
) -> Mapping[str, Mapping[Case, NDArray[np.float64]]]:
    """Fitness of the trials of each algorithm's controllers in each case."""
    found: dict[str, dict[Case, list[float]]] = {}
    for c in controllers:
        if c.values.size:
            of_algorithm = found.setdefault(c.learned.request["algorithm"], {})
            of_algorithm.setdefault(c.case, []).extend(c.values)
    return {
        name: {case: np.array(values) for case, values in cases.items()}
        for name, cases in found.items()
    }


def in_papers_order(cases: Iterable[Case]) -> list[Case]:
    """The cases by task, and within each by robot as in the paper; other robots come last."""
    places = {robot: place for place, robot in enumerate(PAPER_ROBOTS)}
    return sorted(cases, key=lambda c: (c[1], places.get(c[0], len(places)), c[0]))


def _name(case: Case, unit: str = "") -> str:
    return f"{case[0]}, {title_of(case[1])}" + (f" ({unit})" if unit else "")


def _picture(case: Case, controllers: Sequence[Validated]) -> str:
    """A picture of every trial of one robot and task."""
    turning = find_task(case[1]).unit == "rad"
    across = "distance from the start (m)" if turning else "left (m)"
    along = "angle turned (rad)" if turning else "forward at the start (m)"
    figure, axes = style.new_axes(along, across)
    named: set[str] = set()
    for c in controllers:
        name = c.learned.request["algorithm"]
        colour = style.ALGORITHM_COLOURS.get(name, "#e08214")
        for path in (t.trajectory for t in c.trials if t.trajectory is not None):
            label = None if name in named else name.upper()
            axes.plot(*_shown(path, turning), label=label, color=colour, lw=1.4)
            named.add(name)
    if not turning:
        axes.plot(0, 0, "s", color="black", ms=5)
        axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="best", frameon=False)
    return style.picture(_name(case), figure, NOTE_TURNING if turning else NOTE)


def _shown(path: Trajectory, turning: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y, _ = from_start(path)
    return (path.yaw - path.yaw[0], np.hypot(x, y)) if turning else (x, y)


def _mean_and_spread(values: NDArray[np.float64] | None) -> str:
    if values is None:
        return "-"
    spread = f" ± {values.std(ddof=1):.2g}" if values.size > 1 else ""
    return f"{values.mean():.3g}{spread}"
