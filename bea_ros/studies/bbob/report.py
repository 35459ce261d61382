# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tables, on the terminal and on a page, and the runtime distributions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from bea_ros.report import pages, style
from bea_ros.studies.bbob import results
from bea_ros.studies.engine import page
from bea_ros.studies.engine.page import Table
from bea_ros.studies.engine.statistics import p_text

TITLE = "BBOB"
NOTE = (
    "Of each method: its mean rank over functions and dimensions, 1 the best, and below it the "
    "mean of log10 (f - f_opt), which is at least -8. p: Wilcoxon's signed-rank test against the "
    "first method, over functions and dimensions; not corrected for being several tests."
)


def cells(means: pd.DataFrame) -> list[list[str]]:
    """A row for each method: rank and error by group, and p, as text."""
    groups = results.groups_of(means)
    ranks = {name: results.mean_ranks(results.of_group(means, name)) for name in groups}
    logs = {name: results.of_group(means, name).mean() for name in groups}
    p = results.significance(means, means.columns[0])
    return [
        [
            method,
            *(f"{ranks[name][method]:.2f} ({logs[name][method]:+.2f})" for name in groups),
            p_text(p.get(method, np.nan)),
        ]
        for method in means.columns
    ]


def function_cells(means: pd.DataFrame) -> list[list[str]]:
    """A row for each function and dimension: log10 (f - f_opt) of each method."""
    return [
        [f"f{function} d{dimension}", *(f"{value:+.2f}" for value in row)]
        for (function, dimension), row in means.iterrows()
    ]


def failures(table: pd.DataFrame) -> list[str]:
    """Lines on methods with unfinished runs, and the reasons; later tables omit them."""
    cut = table[table["error"] != ""]
    return sorted({f"{m}: {e}" for m, e in zip(cut["method"], cut["error"], strict=True)})


def distributions(table: pd.DataFrame, methods: Sequence[str]) -> Figure:
    """Runtime distributions: one plot for each group, and one for all."""
    present = {results.group_of(number) for number in table["function"]}
    groups = [*(name for name in results.GROUPS if name in present), results.ALL]
    columns = min(3, len(groups))
    lines = -(-len(groups) // columns)
    figure, grid = style.new_grid(lines, columns, (3.6 * columns, 3.0 * lines + 0.6))
    colours = colormaps["tab10"]
    for axes, group in zip(grid.flat, groups, strict=False):
        for number, method in enumerate(methods):
            time, share = results.runtime_distribution(table, method, group)
            colour = style.ALGORITHM_COLOURS.get(method, colours(number % 10))
            axes.step(time, share, where="post", label=method, color=colour, lw=1.4)
        axes.set_xscale("log")
        axes.set_title(group)
        axes.set_xlabel("evaluations / d")
        axes.set_ylim(0.0, 1.0)
    for axes in grid.flat[len(groups) :]:
        axes.set_visible(False)
    style.add_legend(figure, grid)
    return figure


def write(
    folder: Path, lead: str, table: pd.DataFrame, methods: Sequence[str], marks: Sequence[int],
    versions: dict[str, str],
) -> Path:  # fmt: skip
    """Print a table for each mark, and the errors on each function at the last; write report.html
    and return its path.
    """
    found = {mark: results.errors(table, methods, mark) for mark in marks}
    tables = [
        Table(
            f"After {mark} evaluations", ["method", *results.groups_of(means), "p"], cells(means)
        )
        for mark, means in found.items()
        if means.size
    ]
    last = found[marks[-1]]
    title, names = f"log10 error after {marks[-1]} evaluations", ["function", *last.columns]
    by_function = Table(title, names, function_cells(last) if last.size else [])
    for one in tables:
        one._replace(title=f"{one.title}: mean rank (log10 error)").show()
    by_function.show()
    print(NOTE, *failures(table), sep="\n")
    runs = table.groupby(["method", "function", "dimension"]).size() if len(table) else [0]
    targets = "Share of the 51 targets, 10^2 to 10^-8, that the runs have reached."
    return page.write(
        folder,
        TITLE,
        lead,
        pages.caution(max(runs)),
        style.facts(versions),
        page.note(NOTE),
        *(one.html for one in tables),
        style.picture("Runtime distributions", distributions(table, methods), targets),
        by_function.html,
        *map(page.note, failures(table)),
    )
