# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures, redrawn for a group of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bea_ros.report.style import new_grid
from bea_ros.studies.engine import figures as engine
from bea_ros.studies.engine.figures import COLOURS, COLUMN, LABELS, TIME
from bea_ros.studies.engine.results import Result, Results, overhead_per_evaluation
from bea_ros.studies.engine.statistics import band
from bea_ros.studies.functions.gain import gain_per_second, smooth, switch_point
from bea_ros.studies.functions.plan import TRANSFERS

COMPARED = ("bo", "ea", "bea")
CROSSING = "#d7191c"
LEAST = 1e-6  # lower limit of f on a logarithmic axis
TRANSFER_TIME = 1.0  # s of an evaluation in the paper's comparison of S1 to S4

Functions = Sequence[tuple[str, ...]]


def objective_and_overhead(results: Results, functions: Functions) -> Figure:
    """Best f, and below it the overhead (ms) per evaluation, over evaluations."""
    figure, grid = new_grid(2, len(functions), (COLUMN * len(functions), 5.0))
    for (top, bottom), function in zip(grid.T, functions, strict=True):
        for algorithm, runs in results.present(function, COMPARED):
            at = runs[0].evaluation
            _draw(top, band([(run.evaluation, run.best) for run in runs], at), algorithm)
            later, each = overhead_per_evaluation(runs)
            bottom.semilogy(later, 1000 * np.maximum(each, 1e-7), color=COLOURS[algorithm])
        _finish(top, function)
        bottom.xaxis.set_major_locator(_locator())
    return engine.finish(figure, grid, "evaluation", ("best f", "overhead of one (ms)"))


def gains(results: Results, functions: Functions, times: Sequence[float]) -> Figure:
    """Gain per second of BO and EA over evaluations, and the point where the EA overtakes BO."""
    figure, grid = _rows_and_times(functions, times)
    for row, function in zip(grid, functions, strict=True):
        for axes, seconds in zip(row, times, strict=True):
            curves = {}
            for algorithm, runs in results.present(function, ("bo", "ea")):
                at, curves[algorithm] = gain_per_second(runs, seconds)
                shown = smooth(curves[algorithm])
                axes.semilogy(
                    at, np.where(shown > 0, shown, np.nan),
                    color=COLOURS[algorithm], label=LABELS[algorithm],
                )  # fmt: skip
            _title(axes, function, seconds)
            if len(curves) == 2:
                _mark_crossing(axes, at, curves["bo"], curves["ea"])
    return engine.finish(figure, grid, "evaluation", ["gain in f per second"] * len(grid))


def transfers(results: Results, functions: Functions) -> Figure:
    """Best f over computation time after the transfers S1 to S4."""
    figure, grid = new_grid(1, len(functions), (COLUMN * len(functions), 3.2))
    for axes, function in zip(grid[0], functions, strict=True):
        for algorithm, runs in results.present(function, tuple(TRANSFERS)):
            begin = _at_switch(runs, TRANSFER_TIME)
            curve = engine.over_time(runs, TRANSFER_TIME, begin)
            _draw(axes, curve, algorithm, TRANSFERS[algorithm])
        _finish(axes, function)
    return engine.finish(figure, grid, TIME, ["best f"])


def objective_over_time(results: Results, functions: Functions, times: Sequence[float]) -> Figure:
    """Best f of BO, EA and BEA over computation time, with 95.45 % bands."""
    figure, grid = _rows_and_times(functions, times)
    for row, function in zip(grid, functions, strict=True):
        for axes, seconds in zip(row, times, strict=True):
            for algorithm, runs in results.present(function, COMPARED):
                _draw(axes, engine.over_time(runs, seconds), algorithm)
                if algorithm == "bea":
                    engine.draw_switch(axes, _at_switch(runs, seconds), "BEA's switch")
            _finish(axes, function)
            _title(axes, function, seconds)
    return engine.finish(figure, grid, TIME, ["best f"] * len(grid))


def _at_switch(runs: Sequence[Result], seconds: float) -> float:
    return engine.time_at(runs, [int(run.about["switch"]) for run in runs], seconds)


def _draw(axes: Axes, curve: Any, algorithm: str, label: str = "") -> None:
    engine.draw(axes, curve, algorithm, label, floor=LEAST / 10)


def _locator() -> MaxNLocator:
    return MaxNLocator(5, integer=True, steps=[1, 2, 5, 10])


def _finish(axes: Axes, function: tuple[str, ...]) -> None:
    """Set a logarithmic axis around the means; bands that reach 0 are cut off."""
    _title(axes, function)
    means = [np.asarray(line.get_ydata(), dtype=float) for line in axes.get_lines()]
    values = np.concatenate([m for m in means if len(m) > 2] or [np.ones(1)])
    values = values[np.isfinite(values)]
    axes.set_yscale("log")
    axes.set_ylim(max(0.6 * values.min(), LEAST), 1.4 * values.max())


def _title(axes: Axes, function: tuple[str, ...], seconds: float = 0.0) -> None:
    axes.set_title(f"{function[0]}, {seconds:g} s" if seconds else function[0], fontsize=10)
    axes.xaxis.set_major_locator(_locator())


def _mark_crossing(axes: Axes, at: Any, bo: Any, ea: Any) -> None:
    point = switch_point(at, bo, ea)
    if np.isfinite(point):
        axes.axvline(point, color=CROSSING, ls="--", lw=1, label="EA overtakes BO")
        axes.annotate(
            f"{point:.0f}", (point, 0.97), xycoords=("data", "axes fraction"), va="top",
            xytext=(3, 0), textcoords="offset points", color=CROSSING, fontsize=9,
        )  # fmt: skip


def _rows_and_times(functions: Functions, times: Sequence[float]) -> tuple[Figure, Any]:
    size = (COLUMN * len(times), 2.4 * len(functions) + 0.5)
    return new_grid(len(functions), len(times), size)
