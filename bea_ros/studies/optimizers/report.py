# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of the runs by method, on the terminal and on a page."""

from __future__ import annotations

import html
import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from bea_ros.report import pages, style
from bea_ros.studies.engine import page
from bea_ros.studies.engine.page import Table
from bea_ros.studies.engine.statistics import holm, mann_whitney
from bea_ros.studies.optimizers.measure import OVERHEAD_AT
from bea_ros.studies.optimizers.methods import OURS, PEERS, parts_of

TITLE = "Optimizers side by side"
NOTE = (
    "Best f after so many evaluations: means over the runs that came so far, lower is better, 0 "
    "is the optimum. ms: CPU time per ask, the mean over the 50 evaluations up to n; of methods "
    "that ask for generations it falls on their borders. Holm: p of the difference to BEA at the "
    "end (two-sided Mann-Whitney), corrected over the methods. MiB: peak memory of the process. "
    "Cut: evaluations done when the time limit or an error ended runs."
)
PEER_COLOURS = colormaps["tab20"]
OVERHEADS = [f"overhead_ms_{n}" for n in OVERHEAD_AT]

Tables = dict[str, pd.DataFrame]  # by function, as `summary` makes them


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """A study's table with text converted to numbers; NaN after the end of a run that was cut."""
    words = ["function", "method", "error"]
    return table[words].join(table.drop(columns=words).apply(pd.to_numeric))


def summary(runs: pd.DataFrame, methods: Iterable[str], function: str) -> pd.DataFrame:
    """A row per method with runs on the function; a mean is over runs that got that far.

    `cut` has the evaluations at which runs were cut. `p_holm` compares the values at the end with
    BEA's, corrected over the methods.
    """
    runs = runs[runs["function"] == function]
    marks = _marks(runs)
    groups = runs.groupby("method")
    found = groups[[*marks, *OVERHEADS, "overhead_s"]].mean()
    found.insert(0, "runs", groups.size())
    found["peak_mib"] = groups["peak_mib"].max()
    ends = {name: group[marks[-1]].dropna() for name, group in groups}
    p = [math.nan if n == "bea" else mann_whitney(ends.get("bea", ()), e) for n, e in ends.items()]
    found["p_holm"] = holm(p)
    cut = runs[runs[marks[-1]].isna()].groupby("method")["evaluations"].agg(["min", "max"])
    spans = {row[0]: f"n={row[1]}" + (f"-{row[2]}" if row[2] > row[1] else "")
             for row in cut.itertuples()}  # fmt: skip
    found["cut"] = [spans.get(name, "") for name in found.index]
    return found.loc[[name for name in methods if name in found.index]]


def _marks(table: pd.DataFrame) -> list[str]:
    return [name for name in table if name.startswith("f_")]


def _table(function: str, table: pd.DataFrame) -> Table:
    """The results on one function."""
    marks = [f"f, n={name[2:]}" for name in _marks(table)]
    ms = [f"ms, n={n}" for n in OVERHEAD_AT]
    headings = ["method", "runs", *marks, "Holm", *ms, "total s", "MiB", "cut"]
    return Table(function, headings, cells(table))


def cells(table: pd.DataFrame) -> list[list[str]]:
    """The rows as text."""
    return [
        [
            str(method), str(row["runs"]), *(_number(row[name]) for name in _marks(table)),
            _number(row["p_holm"], 2), *(_time(row[name]) for name in OVERHEADS),
            _time(row["overhead_s"]), f"{row['peak_mib']:.0f}", row["cut"],
        ]
        for method, row in table.iterrows()
    ]  # fmt: skip


def _number(value: float, digits: int = 4) -> str:
    return page.number(value, f".{digits}g" if value < 1e5 else ".1e")


def _time(value: float) -> str:
    return page.number(value, ".2f" if value < 100 else ".0f")


def leaders(tables: Tables) -> list[list[str]]:
    """By function and mark: BEA's mean, the best peer, its mean, and the ratio BEA / peer."""
    lines = []
    for function, table in tables.items():
        for mark in _marks(table):
            ours = table[mark].get("bea", math.nan)
            peers = table[mark][table.index.isin(list(PEERS))].dropna()
            if peers.empty or not math.isfinite(ours):
                continue
            peer, theirs = str(peers.idxmin()), peers.min()
            ratio = f"{ours / theirs:.2g}" if theirs > 0 else "-"
            lines.append([function, mark[2:], _number(ours), peer, _number(theirs), ratio])
    return lines


def overhead_figure(tables: Tables) -> Figure:
    """Overhead per evaluation (ms) over evaluations, as a mean over the functions."""
    figure, axes = style.new_axes("evaluation", "overhead per ask (ms)", (9.0, 4.0))
    curves = pd.concat(tables.values())[OVERHEADS].groupby(level=0, sort=False).mean()
    curves.columns = pd.Index(OVERHEAD_AT)
    peers = [name for name in PEERS if name in curves.index]
    for method, curve in curves.iterrows():
        ms = curve[curve > 0]
        if ms.empty:
            continue
        if method in peers:
            look: Any = {"ls": "--", "marker": ".", "lw": 1}
            look["color"] = PEER_COLOURS(peers.index(str(method)))
        else:
            line = "-" if method in style.ALGORITHM_COLOURS else ":"
            look = {"ls": line, "marker": "o", "lw": 2}
            look["color"] = style.ALGORITHM_COLOURS[parts_of(str(method))[0]]
        axes.plot(ms.index, ms, label=method, **look)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(OVERHEAD_AT, [str(n) for n in OVERHEAD_AT])
    axes.minorticks_off()
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def write(
    folder: Path, lead: str, found: Tables, versions: dict[str, str], missing: Sequence[str],
    errors: Iterable[str],
) -> Path:  # fmt: skip
    """Print the tables, write report.html and return its path."""
    tables = [_table(function, table) for function, table in found.items()]
    headings = ["function", "evaluations", "BEA", "best peer", "its f", "BEA / it"]
    best = Table("BEA and the best peer", headings, leaders(found))
    for table in (*tables, best):
        table.show()
    most = int(max(table["runs"].max() for table in found.values()))
    without = f"<p>Without {html.escape(', '.join(missing))}: not installed.</p>"
    note = "Solid: ours. CPU time, mean over the functions."
    return page.write(
        folder,
        TITLE,
        lead,
        pages.caution(most),
        pages.facts(versions),
        without if missing else "",
        best.html,
        *(table.html for table in tables),
        *map(page.note, (*errors, NOTE)),
        style.picture("Overhead", overhead_figure(found), note),
    )


def in_order(methods: Collection[str]) -> list[str]:
    """Our optimizers, then ours with options, then the peers."""
    varied = sorted(name for name in methods if ":" in name)
    return [name for name in (*OURS, *varied, *PEERS) if name in methods]
