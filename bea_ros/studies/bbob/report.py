# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of the runs, on the terminal and on a page: errors, ranks and runtimes to targets.

The error of a method on a function in a dimension is the mean over its runs of log10(f - f_opt),
at least -8. Ranks and tests use one error for each function and dimension.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from bea_ros.report import pages, style
from bea_ros.studies.bbob.runs import ALL, MEMBERS, SOLVED, Run
from bea_ros.studies.engine import page
from bea_ros.studies.engine.page import Table
from bea_ros.studies.engine.statistics import p_text

TITLE = "BBOB"
Array = NDArray[np.float64]

NOTE = (
    "Of each method: its mean rank over functions and dimensions, 1 the best, and below it the "
    "mean of log10 (f - f_opt), which is at least -8. p: Wilcoxon's signed-rank test against the "
    "first method, over functions and dimensions; not corrected for being several tests."
)
TARGETS = 10.0 ** np.arange(2.0, -8.1, -0.2)  # of f - f_opt, 51 as in COCO


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """A study's table with text converted to numbers."""
    whole = dict.fromkeys(Run.KEY[1:], int)
    return table.astype(dict.fromkeys(table.columns.drop(["method", "error"]), float) | whole)


def errors(table: pd.DataFrame, methods: Sequence[str], evaluations: int) -> pd.DataFrame:
    """Mean over runs of log10(f - f_opt) after this number of evaluations.

    A row for each function and dimension, a column for each method. Methods with a shorter run are
    left out.
    """
    reached = table[str(evaluations)]
    logs = np.log10(np.maximum(reached, SOLVED))
    cut = set(table["method"][reached.isna()])
    means = logs.groupby([table["function"], table["dimension"], table["method"]]).mean()
    kept = [name for name in methods if name not in cut]
    return means.unstack("method")[kept].dropna()


def of_group(means: pd.DataFrame, group: str) -> pd.DataFrame:
    """The rows of `errors` of a group of functions."""
    return means[means.index.isin(MEMBERS[group], level="function")]


def mean_ranks(means: pd.DataFrame) -> pd.Series:
    """Mean rank of each method, 1 is best; equal errors share a rank."""
    return means.rank(axis=1).mean()


def significance(means: pd.DataFrame, ours: str) -> dict[str, float]:
    """p of Wilcoxon's signed-rank test of the errors of `ours` against each other method's."""
    found = {}
    for other in means.columns.drop(ours):
        difference = (means[ours] - means[other]).to_numpy()
        tested = len(difference) > 1 and np.any(difference)
        found[other] = float(wilcoxon(difference).pvalue) if tested else math.nan
    return found


def groups_of(means: pd.DataFrame) -> list[str]:
    """The groups that have functions, and "all" at the end."""
    return [name for name in MEMBERS if name == ALL or len(of_group(means, name))]


def runtime_distribution(table: pd.DataFrame, method: str, group: str) -> tuple[Array, Array]:
    """Runtimes in evaluations / d, and the share of (run, target) pairs reached by then.

    As in COCO, a runtime is the number of evaluations to a target, divided by the dimension.
    """
    rows = table[(table["method"] == method) & table["function"].isin(MEMBERS[group])]
    at = np.array([int(name) for name in rows.columns if name.isdigit()])
    curves = rows[[str(n) for n in at]].to_numpy(float)
    times = []
    for curve, dimension in zip(curves, rows["dimension"], strict=True):
        reached = np.nan_to_num(curve, nan=math.inf)[:, None] <= TARGETS
        first = np.where(reached.any(axis=0), at[reached.argmax(axis=0)], math.inf)
        times.append(first / dimension)
    sooner = np.sort(np.concatenate(times)) if times else np.empty(0)
    share = np.arange(1, len(sooner) + 1) / max(len(sooner), 1)
    found = np.isfinite(sooner)
    return sooner[found], share[found]


def cells(means: pd.DataFrame) -> list[list[str]]:
    """A row for each method: rank and error by group, and p, as text."""
    groups = groups_of(means)
    ranks = {name: mean_ranks(of_group(means, name)) for name in groups}
    logs = {name: of_group(means, name).mean() for name in groups}
    p = significance(means, means.columns[0])
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


def distributions(table: pd.DataFrame, methods: Sequence[str], unit: str) -> Figure:
    """Runtime distributions: one plot for each group, and one for all. `unit` is that of runs."""
    groups = [
        n for n, members in MEMBERS.items() if n == ALL or set(table["function"]) & {*members}
    ]
    columns = min(3, len(groups))
    lines = -(-len(groups) // columns)
    figure, grid = style.new_grid(lines, columns, (3.6 * columns, 3.0 * lines + 0.6))
    colours = colormaps["tab10"]
    for axes, group in zip(grid.flat, groups, strict=False):
        for number, method in enumerate(methods):
            time, share = runtime_distribution(table, method, group)
            colour = style.ALGORITHM_COLOURS.get(method, colours(number % 10))
            axes.step(time, share, where="post", label=method, color=colour, lw=1.4)
        axes.set_xscale("log")
        axes.set_title(group)
        axes.set_xlabel(f"{unit.partition(',')[0]} / d")
        axes.set_ylim(0.0, 1.0)
    for axes in grid.flat[len(groups) :]:
        axes.set_visible(False)
    style.add_legend(figure, grid)
    return figure


def write(
    folder: Path, lead: str, unit: str, table: pd.DataFrame, methods: Sequence[str],
    marks: Sequence[int], versions: dict[str, str],
) -> Path:  # fmt: skip
    """Print a table for each mark, and the errors on each function at the last; write report.html
    and return its path. `unit` is that of the marks.
    """
    found = {mark: errors(table, methods, mark) for mark in marks}
    tables = [
        Table(f"After {mark} {unit}", ["method", *groups_of(means), "p"], cells(means))
        for mark, means in found.items()
        if means.size
    ]
    last = found[marks[-1]]
    title, names = f"log10 error after {marks[-1]} {unit}", ["function", *last.columns]
    by_function = Table(title, names, function_cells(last) if last.size else [])
    for one in tables:
        one._replace(title=f"{one.title.lower()}: mean rank (log10 error)").show()
    by_function.show()
    page.wide_console().print("\n".join([NOTE, *failures(table)]))
    runs = table.groupby(["method", "function", "dimension"]).size()
    targets = "Share of the 51 targets, 10^2 to 10^-8, that the runs have reached."
    return page.write(
        folder,
        TITLE,
        lead,
        pages.caution(max(runs)),
        pages.facts(versions),
        page.note(NOTE),
        *(one.html for one in tables),
        style.picture("Runtime distributions", distributions(table, methods, unit), targets),
        by_function.html,
        *map(page.note, failures(table)),
    )
