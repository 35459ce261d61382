# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Curves of algorithms with their bands, over evaluations and over computation time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bea_ros.report.style import ALGORITHM_COLOURS, SWITCH, add_legend
from bea_ros.studies.engine.results import Result
from bea_ros.studies.engine.statistics import Band, band

COLOURS = {
    **ALGORITHM_COLOURS,
    "cma": "#e08214",
    # As in the paper, where BO and the EA are not in one figure with S2 and S3.
    "bea-s1": "#c51b7d",
    "bea-s2": ALGORITHM_COLOURS["bo"],
    "bea-s3": ALGORITHM_COLOURS["ea"],
}
LABELS = {
    "bo": "BO", "ea": "EA", "bea": "BEA", "cma": "CMA-ES",
    "bea-s1": "BEA, S1", "bea-s2": "BEA, S2", "bea-s3": "BEA, S3",
}  # fmt: skip
POINTS = 120  # of a curve over time
COLUMN = 3.6  # inches
TIME = "computation time (s)"


def draw(axes: Axes, curve: Band, algorithm: str, label: str = "", floor: float = -np.inf) -> None:
    """Draw a mean and its band, cut off below `floor`."""
    colour = COLOURS[algorithm]
    axes.plot(curve.grid, curve.mean, color=colour, label=label or LABELS[algorithm])
    low = np.maximum(curve.low, floor)
    axes.fill_between(curve.grid, low, curve.high, color=colour, alpha=0.15, lw=0)


def over_time(runs: Sequence[Result], evaluation_time: float, begin: float | None = None) -> Band:
    """Best value over computation time (s), from `begin` or all first values to the mean end."""
    times = [run.times(evaluation_time) for run in runs]
    first = float(max(t[0] for t in times)) if begin is None else begin
    end = float(np.mean([t[-1] for t in times]))
    pairs = list(zip(times, [run.best for run in runs], strict=True))
    return band(pairs, np.linspace(first, end, POINTS))


def time_at(runs: Sequence[Result], evaluations: Sequence[float], evaluation_time: float) -> float:
    """Mean computation time (s) of runs, each after its number of `evaluations`."""
    reached = [
        np.interp(n, run.evaluation, run.times(evaluation_time))
        for run, n in zip(runs, evaluations, strict=True)
    ]
    return float(np.mean(reached))


def draw_switch(axes: Axes, at: float, label: str) -> None:
    """Draw a line where BO hands over to the EA; none at 0, where BEA has its own way."""
    if at:
        axes.axvline(at, color=SWITCH, ls="--", lw=1, label=label)


def finish(figure: Figure, grid: Any, xlabel: str, ylabels: Sequence[str]) -> Figure:
    """Label the axes at the left of and below a grid, and draw the legend."""
    for row, ylabel in zip(grid, ylabels, strict=True):
        row[0].set_ylabel(ylabel)
    for axes in grid[-1]:
        axes.set_xlabel(xlabel)
    add_legend(figure, grid)
    return figure
