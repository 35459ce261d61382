# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Repeated trials of best controllers: table, trajectories and page, as in the paper.

validation.csv    a line per controller
validation.html   both tables and the pictures
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.table import Column, Table

from bea_ros.report import pages, style
from bea_ros.report.paper import REAL_FITNESS, ROBOTS, Case
from bea_ros.report.paths import finish_gait_axes, gait_axes, gait_curve
from bea_ros.report.trials import Validated, validated
from bea_ros.system.files import replace_file
from bea_ros.system.terminal import plain_console
from bea_ros.tasks import find_task, title_of

TABLE, PAGE = "validation.csv", "validation.html"

Kind = tuple[str, ...]  # robot, task, module generation, and duration (s) of the trials

HEADINGS = (
    "run", "robot", "task", "algorithm", "duration, s", "unit", "learned", "mean", "deviation",
    "trials", "failed",
)  # fmt: skip
NOTE = "From where it started, facing right."
NOTE_TURNING = "Distance from the start over the angle turned: low and far to the right is good."


def write_report(folder: Path) -> Path:
    """Write table and page of the trials in a folder; returns the page's path."""
    controllers = validated(folder)
    table = pd.DataFrame(rows(controllers), columns=list(HEADINGS))
    replace_file(folder / TABLE, table.to_csv(index=False, lineterminator="\n"))
    cases = in_papers_order({c.case for c in controllers if any(t.trajectory for t in c.trials)})
    shown = "".join(_picture(case, [c for c in controllers if c.case == case]) for case in cases)
    many = "s" * (len(controllers) != 1)
    trials = sum(len(c.trials) for c in controllers)
    lead = f"{len(controllers)} controller{many}, {trials} trial{'s' * (trials != 1)}"
    every = f"<h2>Controllers</h2>{pages.table(HEADINGS, rows(controllers), words=4)}"
    body = (
        f"{_paper_table(controllers)}{every}{_apart(controllers)}<div class=pictures>{shown}</div>"
    )
    replace_file(folder / PAGE, pages.page("Best controllers measured again", lead, body))
    return folder / PAGE


def rows(controllers: Sequence[Validated]) -> list[list[str]]:
    """A line per controller, in the order of HEADINGS."""
    return [
        [
            c.name,
            *c.case,
            c.learned.request["algorithm"],
            c.duration,
            c.learned.task.unit,
            "" if c.learned.fitness is None else f"{c.learned.fitness:.4f}",
            f"{c.mean:.4f}",
            _spread(c.values),
            str(len(c.trials)),
            str(len(c.trials) - c.values.size),
        ]
        for c in controllers
    ]


def _apart(controllers: Sequence[Validated]) -> str:
    """A note that names controllers whose trials were not as long as their evaluations."""
    words = [
        f"{c.name} learned with {c.learned.duration:g} s" for c in controllers if not c.compares
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
        measured = f"{c.mean:.4f}{_spread(c.values, ' ± ')} {unit}"
        trials = f"{c.values.size} of {len(c.trials)}"
        if not c.compares:
            learned += f", {c.learned.duration:g} s"
            measured += f", {c.duration} s"
        table.add_row(c.name, ", ".join(c.case), learned, measured, trials)
    plain_console().print(table)
    print(f"wrote {folder / PAGE}")


def _paper_table(controllers: Sequence[Validated]) -> str:
    """Algorithms over cases, with BEA over BO where there are both (paper, real robots)."""
    fitness: dict[str, dict[Kind, list[float]]] = {}
    for c in controllers:
        if c.values.size:
            of_algorithm = fitness.setdefault(c.learned.request["algorithm"], {})
            of_algorithm.setdefault(c.kind, []).extend(c.values)
    kinds = in_papers_order({kind for values in fitness.values() for kind in values})
    lines = []
    for name, values in fitness.items():
        lines.append([name.upper(), *(_mean_and_spread(values.get(kind, ())) for kind in kinds)])
        real = REAL_FITNESS.get(name, {})
        known = [real.get(kind[:2]) if _as_on_paper(kind) else None for kind in kinds]
        if any(known):
            words = f"{name.upper()}, paper's real robots"
            lines.append([words, *(f"{one:.3g}" if one else "-" for one in known)])
    if {"bo", "bea"} <= set(fitness):
        bea, bo = (
            {kind: float(np.mean(values)) for kind, values in fitness[name].items()}
            for name in ("bea", "bo")
        )
        ratios = [bea[c] / bo[c] if c in bea and bo.get(c, 0.0) > 0 else None for c in kinds]
        lines.append(["BEA / BO", *("-" if r is None else f"{100 * r:.0f} %" for r in ratios)])
    headings = ["fitness", *(_heading(kind, kinds) for kind in kinds)]
    title = "Mean fitness ± standard deviation of the trials"
    return f"<h2>{title}</h2>{pages.table(headings, lines)}"


def in_papers_order(cases: Iterable[Case]) -> list[Case]:
    """The cases by task, and within each by robot as in the paper; other robots come last."""
    places = {robot: place for place, robot in enumerate(ROBOTS)}
    return sorted(cases, key=lambda c: (c[1], places.get(c[0], len(places)), c))


def _as_on_paper(kind: Kind) -> bool:
    """Whether trials took as long as the paper's, or are of a speed."""
    task = find_task(kind[1])
    return not task.additive or kind[3] in ("", f"{task.duration:g}")


def _heading(kind: Kind, kinds: Sequence[Kind]) -> str:
    """Case and unit, with generation and duration if they differ among kinds of the case."""
    alike = [other for other in kinds if other[:2] == kind[:2]]
    words = (f"{kind[2]} modules", f"{kind[3]} s")
    more = [word for i, word in enumerate(words, 2) if len({other[i] for other in alike}) > 1]
    return f"{', '.join([_name(kind[:2]), *more])} ({find_task(kind[1]).unit})"


def _name(case: Case) -> str:
    return f"{case[0]}, {title_of(case[1])}"


def _picture(case: Case, controllers: Sequence[Validated]) -> str:
    """A picture of every trial of one robot and task."""
    turning = find_task(case[1]).unit == "rad"
    figure, axes = style.new_axes(*gait_axes(turning))
    named: set[str] = set()
    for c in controllers:
        name = c.learned.request["algorithm"]
        colour = style.ALGORITHM_COLOURS.get(name, "#e08214")
        for path in (t.trajectory for t in c.trials if t.trajectory is not None):
            label = None if name in named else name.upper()
            axes.plot(*gait_curve(path, turning), label=label, color=colour, lw=1.4)
            named.add(name)
    finish_gait_axes(axes, turning)
    axes.legend(loc="best", frameon=False)
    return style.picture(_name(case), figure, NOTE_TURNING if turning else NOTE)


def _mean_and_spread(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3g}{_spread(values, ' ± ')}" if values else "-"


def _spread(values: Sequence[float] | NDArray[np.float64], before: str = "") -> str:
    """The standard deviation with two digits, without an exponent; empty for a single value."""
    if len(values) < 2:
        return ""
    deviation = np.std(values, ddof=1)
    return before + np.format_float_positional(deviation, 2, fractional=False, trim="-")
