# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from bea_ros.report import pages, style
from bea_ros.studies.compared.groups import QUARTILES, Array, Group
from bea_ros.studies.engine.page import number
from bea_ros.studies.engine.statistics import p_text, resample
from bea_ros.system.files import replace_file
from bea_ros.system.terminal import printable

POINTS = 200  # of a curve over time
NOTE = "Median of the runs; shades are their quartiles. Thin lines are single runs."
ALONE = "One run of each group."
BRIEF = 120.0  # s: shorter runs are told in seconds
STEPS: Any = {"drawstyle": "steps-post"}
FEW = 5  # up to this number, runs of a group are drawn one by one


def write_page(path: Path, groups: Sequence[Group], table: pd.DataFrame) -> Path:
    """Write the page, and the table as CSV beside it; returns the page's path."""
    cases = list(dict.fromkeys(group.case for group in groups))
    total = sum(len(group.curves) for group in groups)
    parts = []
    for case in cases:
        members = [group for group in groups if group.case == case]
        rows = table[table["case"] == case]
        parts.append(f"<h2>{html.escape(case)}</h2>" if len(cases) > 1 else "")
        parts.append(pages.table(*table_of_case(rows, members[0].unit)))
        if rows["p"].notna().any():
            parts.append(f"<p class=note>{_said_of_p(rows)}</p>")
        parts.append(f"<div class=pictures>{_pictures(members)}</div>{_key(members)}")
    parts.append("<h2>The runs</h2>")
    parts.append(pages.table(("run", "group", "evaluations", "best"), _runs(groups), words=2))
    title = cases[0] if len(cases) == 1 else f"{len(cases)} cases"
    lead = f"{total} runs in {len(groups)} groups"
    replace_file(path, pages.page(f"Comparison: {title}", lead, "".join(parts)))
    replace_file(path.with_suffix(".csv"), table.to_csv(index=False, lineterminator="\n"))
    return path


def table_of_case(
    rows: pd.DataFrame, unit: str, brief: bool = False
) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the table of one case; `brief` for a terminal of 80 columns."""
    at = int(rows["at"].iloc[0])
    clock, per = _clock(rows["time"].max())
    time = f"time ({clock})"
    columns: dict[str, list[str]] = {
        "group": [str(name) for name in rows["group"]],
        "runs": [str(count) for count in rows["runs"]],
        "evaluations": [str(count) for count in rows["evaluations"]],
        f"best ({unit})": [number(value) for value in rows["best"]],
        "quartiles": _ranges(rows, "best"),
        time: [number(value / per, ".1f") for value in rows["time"]],
        f"after {at}": [number(value) for value in rows["then"]],
        f"quartiles after {at}": _ranges(rows, "then"),
        "p": [p_text(p) for p in rows["p"]],
        "p (Holm)": [p_text(p) for p in rows["p_holm"]],
    }
    if brief or set(columns["evaluations"]) == {str(at)}:
        del columns[f"quartiles after {at}"]
    if set(columns["evaluations"]) == {str(at)}:
        del columns[f"after {at}"]
    if brief:
        del columns[time], columns["p"]
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def _clock(longest: float) -> tuple[str, float]:
    """The unit of time in which runs are told, and its seconds."""
    return ("s", 1.0) if longest < BRIEF else ("min", 60.0)


def _ranges(rows: pd.DataFrame, name: str) -> list[str]:
    """The quartiles of each group; a dash for one run, or where a run has no value."""
    columns = (rows["runs"], rows[f"{name}_q1"], rows[f"{name}_q3"])
    return [
        f"{low:.3g} to {high:.3g}" if runs > 1 and np.isfinite(low) else "-"
        for runs, low, high in zip(*columns, strict=True)
    ]


def _said_of_p(rows: pd.DataFrame) -> str:
    first = html.escape(str(rows["group"].iloc[0]))
    return (
        f"p: how likely chance alone makes such a difference from <i>{first}</i> after "
        f"{int(rows['at'].iloc[0])} evaluations, which all runs have (two-sided Mann-Whitney "
        "test; Holm: corrected for all tests here). A difference with p below 0.05 counts as real."
    )


def _pictures(groups: Sequence[Group]) -> str:
    fitness = f"best fitness ({groups[0].unit})"
    clock, per = _clock(max(curve.time[-1] for group in groups for curve in group.curves))
    evaluations, by_number = style.new_axes("evaluation", fitness)
    over_time, by_time = style.new_axes(f"computation time ({clock})", fitness)
    for colour, group in zip(_colours(len(groups)), groups, strict=True):
        numbers = [np.arange(1.0, len(curve.best) + 1) for curve in group.curves]
        _draw(by_number, group, numbers, max(numbers, key=len), colour)
        times = [curve.time / per for curve in group.curves]
        _draw(by_time, group, times, np.linspace(0.0, max(t[-1] for t in times), POINTS), colour)
    note = NOTE if any(len(group.curves) > 1 for group in groups) else ALONE
    return style.picture("Over evaluations", evaluations, note) + style.picture(
        "Over computation time", over_time, note
    )


def _key(groups: Sequence[Group]) -> str:
    """The legend of colours, in the page: a picture's own may be wider than the screen."""
    names = "".join(
        f"<li><i style='border-color:{to_hex(colour)}'></i>{html.escape(group.name)} "
        f"({len(group.curves)})</li>"
        for colour, group in zip(_colours(len(groups)), groups, strict=True)
    )
    return f"<ul class='key drawn'>{names}</ul>"


def _draw(axes: Axes, group: Group, times: Sequence[Array], grid: Array, colour: str) -> None:
    # A finished run keeps its best while other runs of the group continue.
    values = np.array(
        [resample(t, c.best, grid) for t, c in zip(times, group.curves, strict=True)]
    )
    # There is no median until every run has a value.
    low, median, high = np.percentile(values, QUARTILES, axis=0)
    axes.plot(grid, median, color=colour, **STEPS)
    axes.fill_between(grid, low, high, color=colour, alpha=0.15, lw=0, step="post")
    if 1 < len(values) <= FEW:
        for curve in values:
            axes.plot(grid, curve, color=colour, lw=0.5, alpha=0.6, **STEPS)


def _colours(count: int) -> list[str]:
    """`count` distinguishable colours."""
    if count <= 10:
        return [f"C{place}" for place in range(count)]
    shades: Any = matplotlib.colormaps["turbo"](np.linspace(0, 1, count))
    return [to_hex(shade) for shade in shades]


def _runs(groups: Sequence[Group]) -> list[list[str]]:
    return [
        [
            printable(str(curve.run.folder)), f"{group.case}: {group.name}", str(len(curve.best)),
            f"{number(float(curve.best[-1]))} {group.unit}",
        ]
        for group in groups
        for curve in group.curves
    ]  # fmt: skip
