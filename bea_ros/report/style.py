# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What all reports share: how pictures and pages look, and a page with everything inside."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "bea_ros",
}
SIZE = (7.2, 3.6)  # inches
ALGORITHM_COLOURS = {"bo": "#2166ac", "ea": "#1d2329", "bea": "#1b8a3e"}  # as in the paper
SWITCH = "#7b3294"  # as in the paper: purple where BO hands over to the EA

CSS = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1d2329; margin: 2rem auto; max-width: 62rem;
       padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.2rem; }
p.lead { color: #5a646e; margin-top: 0.2rem; }
p.note { color: #5a646e; font-size: 0.9rem; max-width: 46rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0.8rem; }
dt { color: #5a646e; font-size: 0.85rem; } dd { margin: 0; font-size: 1.15rem; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(27rem, 1fr));
            gap: 0 1.5rem; }
svg { width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
td, th { padding: 0.1rem 0.8rem 0.1rem 0; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
table.lined { margin: 0.6rem 0; } table.lined th { font-weight: 600; }
table.lined td, table.lined th { border-bottom: 1px solid #e3e6ea; padding: 0.25rem 0.5rem; }
table.lined td { white-space: nowrap; } table.lined th + th { text-align: right; }
"""


def new_axes(xlabel: str, ylabel: str, size: tuple[float, float] = SIZE) -> tuple[Figure, Axes]:
    """A figure with one empty pair of axes."""
    with plt.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    return figure, axes


def new_grid(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """A figure with `rows` x `columns` axes, an array of that shape."""
    with plt.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False)


def add_legend(figure: Figure, grid: Any) -> None:
    """One legend above a grid of axes for all that any of them show."""
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
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = re.sub(r"<[^>]+>", _in_hundredths, buffer.getvalue())
    return re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)


def _in_hundredths(tag: re.Match[str]) -> str:
    """A tag with its coordinates in hundredths of a point, which will do; text stays as it is."""
    return re.sub(r"(\d\.\d{2})\d+", r"\1", tag[0])


def page(title: str, lead: str, body: str) -> str:
    """A page; title and lead are plain text, the body is HTML."""
    title = html.escape(title)
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
        f"<style>{CSS}</style><h1>{title}</h1><p class=lead>{html.escape(lead)}</p>"
        f"{body}</html>\n"
    )


def facts(values: Mapping[str, str]) -> str:
    """Names and values side by side."""
    cells = (
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in values.items()
    )
    return f"<dl>{''.join(cells)}</dl>"


def picture(name: str, figure: Figure, note: str = "") -> str:
    """A section with a heading, a figure and what to know about it."""
    said = f"<p class=note>{html.escape(note)}</p>" if note else ""
    return f"<section><h2>{html.escape(name)}</h2>{said}{svg(figure)}</section>"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first column is words, the others are numbers."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    lines = (
        "<tr>"
        + "".join(
            f"<td{' class=number' if column else ''}>{html.escape(cell)}</td>"
            for column, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table class=lined><tr>{head}</tr>{''.join(lines)}</table>"
