# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The style of all pictures in reports; `pages` has that of the pages."""

from __future__ import annotations

import html
import io
import re
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": "#e3e6ea",
    "svg.fonttype": "none",
    "svg.hashsalt": "bea_ros",
}
SIZE = (7.2, 3.6)  # inches
PAD, SCALE_PAD = 9, 14  # numbers to label: room for the larger letters of small screens
ALGORITHM_COLOURS = {"bo": "#2166ac", "ea": "#1d2329", "bea": "#1b8a3e"}  # as in the paper
SWITCH = "#7b3294"  # as in the paper: purple where BO hands over to the EA


def new_axes(xlabel: str, ylabel: str, size: tuple[float, float] = SIZE) -> tuple[Figure, Axes]:
    """A figure with one empty pair of axes."""
    figure, ((axes,),) = new_grid(1, 1, size)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel, labelpad=PAD)
    return figure, axes


def new_grid(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """A figure with `rows` x `columns` axes, an array of that shape."""
    with rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False)


def add_legend(figure: Figure, grid: Any) -> None:
    """Add one legend above a grid of axes, with the labels of all of them."""
    found: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        handles, labels = list(found.values()), list(found)
        figure.legend(
            handles, labels, loc="outside upper center", ncols=len(labels), frameon=False
        )


def svg(figure: Figure) -> str:
    """The figure as an <svg> element; the same figure gives the same text."""
    buffer = io.StringIO()
    with rc_context(STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    # Coordinates, which are in tags, in hundredths of a point.
    text = re.sub(r"<[^>]+>", lambda t: re.sub(r"(\d\.\d{2})\d+", r"\1", t[0]), buffer.getvalue())
    return re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)


def picture(name: str, figure: Figure, note: str = "") -> str:
    """A section with a heading, a figure and a note."""
    said = f"<p class=note>{html.escape(note)}</p>" if note else ""
    return (
        f"<section class=picture><h2>{html.escape(name)}</h2>{said}"
        f"<div class=figure>{svg(figure)}</div></section>"
    )
