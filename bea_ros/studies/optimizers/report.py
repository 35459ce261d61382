# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tables, on the terminal and on a page."""

from __future__ import annotations

import html
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from bea_ros.report import pages, style
from bea_ros.studies.engine import page
from bea_ros.studies.engine.terminal import print_table, wide_console
from bea_ros.studies.optimizers.measure import OVERHEAD_AT
from bea_ros.studies.optimizers.methods import OURS, PEERS, parts_of
from bea_ros.studies.optimizers.results import Row

TITLE = "Optimizers side by side"
NOTE = (
    "Best f after so many evaluations: means over the runs that came so far, lower is better, 0 "
    "is the optimum. ms: CPU time per ask, the mean over the 50 evaluations up to n; of methods "
    "that ask for generations it falls on their borders. Holm: p of the difference to BEA at the "
    "end (two-sided Mann-Whitney), corrected over the methods. MiB: peak memory of the process. "
    "Cut: evaluations done when the time limit or an error ended runs, and the best f there."
)

PEER_COLOURS = colormaps["tab20"]


def headings(rows: Sequence[Row]) -> list[str]:
    """Titles of the columns of `cells`."""
    marks = [f"@{n}" for n in rows[0].best]
    ms = [f"ms, n={n}" for n in OVERHEAD_AT]
    return ["method", "runs", *marks, "Holm", *ms, "total s", "MiB", "cut"]


def cells(row: Row) -> list[str]:
    """A row as words."""
    cut = ""
    if row.cut:
        low, high = row.cut[0], row.cut[-1]
        span = f"n={low}" if low == high else f"n={low}-{high}"
        cut = span + (f", {row.cut_best:.4g}" if math.isfinite(row.cut_best) else "")
    return [
        row.method, str(row.runs), *(_number(v) for v in row.best.values()),
        _number(row.p_holm, 2),
        *(_time(1000 * v) for v in row.overhead.values()),
        _time(row.total), f"{row.peak_mib:.0f}", cut,
    ]  # fmt: skip


def _number(value: float, digits: int = 4) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:.{digits}g}" if value < 1e5 else f"{value:.1e}"


def _time(value: float) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def leaders(tables: dict[str, list[Row]]) -> list[list[str]]:
    """By function and mark: BEA's mean, the best peer, its mean, and BEA over it."""
    lines = []
    for function, rows in tables.items():
        bea = next((row for row in rows if row.method == "bea"), None)
        for mark in rows[0].best:
            there = [r for r in rows if r.method in PEERS and math.isfinite(r.best[mark])]
            if bea is None or not there or not math.isfinite(bea.best[mark]):
                continue
            peer = min(there, key=lambda row: row.best[mark])
            ours, theirs = bea.best[mark], peer.best[mark]
            ratio = f"{ours / theirs:.2g}" if theirs > 0 else "-"
            lines.append([function, str(mark), _number(ours), peer.method, _number(theirs), ratio])
    return lines


LEADER_HEADINGS = ["function", "evaluations", "BEA", "best peer", "its f", "BEA / it"]


def show(tables: dict[str, list[Row]]) -> None:
    """Print the tables."""
    console = wide_console()
    for function, rows in tables.items():
        print_table(console, function, headings(rows), [cells(row) for row in rows])
    print_table(console, "BEA and the best peer", LEADER_HEADINGS, leaders(tables))


def overhead_figure(tables: dict[str, list[Row]]) -> Figure:
    """Overhead per ask over evaluations, mean over the functions."""
    figure, axes = style.new_axes("evaluation", "overhead per ask (ms)", (9.0, 4.0))
    rows = [row for rows in tables.values() for row in rows]
    peers = [name for name in PEERS if any(row.method == name for row in rows)]
    for method in dict.fromkeys(row.method for row in rows):
        curves = np.array(
            [[row.overhead[n] for n in OVERHEAD_AT] for row in rows if row.method == method]
        )
        known = np.isfinite(curves).any(axis=0) & (np.nan_to_num(curves).max(axis=0) > 0)
        if not known.any():
            continue
        ms = 1000 * np.nanmean(curves[:, known], axis=0)
        at = np.array(OVERHEAD_AT)[known]
        if method in peers:
            colour: Any = PEER_COLOURS(peers.index(method))
            axes.plot(at, ms, ".--", lw=1, color=colour, label=method)
        else:
            colour = style.ALGORITHM_COLOURS[parts_of(method)[0]]
            line = "-" if method in style.ALGORITHM_COLOURS else ":"
            axes.plot(at, ms, "o", ls=line, lw=2, color=colour, label=method)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(OVERHEAD_AT, [str(n) for n in OVERHEAD_AT])
    axes.minorticks_off()
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def write(
    folder: Path, lead: str, tables: dict[str, list[Row]], versions: dict[str, str],
    missing: Sequence[str],
) -> Path:  # fmt: skip
    """Write report.html and return its path."""
    most = max((row.runs for rows in tables.values() for row in rows), default=0)
    parts = [pages.caution(most), style.facts(versions)]
    if missing:
        parts.append(f"<p>Without {html.escape(', '.join(missing))}: not installed.</p>")
    lines = leaders(tables)
    if lines:
        parts.append(f"<h2>BEA and the best peer</h2>{style.table(LEADER_HEADINGS, lines)}")
    for function, rows in tables.items():
        shown = style.table(headings(rows), [cells(row) for row in rows])
        parts.append(f"<h2>{html.escape(function)}</h2>{shown}")
    errors = {
        f"{row.method}: {error}": None
        for rows in tables.values()
        for row in rows
        for error in row.errors
    }
    parts += [f"<p class=note>{html.escape(error)}</p>" for error in errors]
    parts.append(f"<p class=note>{html.escape(NOTE)}</p>")
    note = "Solid: ours. CPU time, mean over the functions."
    parts.append(style.picture("Overhead", overhead_figure(tables), note))
    return page.write(folder, TITLE, lead, *parts)


def in_order(methods: Collection[str]) -> list[str]:
    """Ours first, then ours with options, then the peers."""
    varied = sorted(name for name in methods if ":" in name)
    return [name for name in (*OURS, *varied, *PEERS) if name in methods]
