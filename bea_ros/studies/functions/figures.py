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

from bea_ros.report.style import ALGORITHM_COLOURS, SWITCH, add_legend, new_grid
from bea_ros.studies.functions.comparison import (
    gain_per_second,
    smooth,
    switch_point,
)
from bea_ros.studies.functions.plan import ALGORITHMS, LABELS, TRANSFERS
from bea_ros.studies.functions.results import Array, Result, Results
from bea_ros.studies.statistics import band

# As in the paper, where BO and the EA are not beside S2 and S3.
COLOURS = {
    **ALGORITHM_COLOURS,
    "bea-s1": "#c51b7d",
    "bea-s2": ALGORITHM_COLOURS["bo"],
    "bea-s3": ALGORITHM_COLOURS["ea"],
}
CROSSING = "#d7191c"
POINTS = 120  # of a curve
LEAST = 1e-6  # f below which a logarithmic axis does not go
TRANSFER_TIME = 1.0  # s of an evaluation in the paper's comparison of S1 to S4


def objective_and_overhead(results: Results, functions: Sequence[str]) -> Figure:
    """Best f, and below it the overhead of an evaluation, over evaluations."""
    figure, grid = new_grid(2, len(functions), (3.6 * len(functions), 5.0))
    for (top, bottom), function in zip(grid.T, functions, strict=True):
        for algorithm in _present(results, function, ALGORITHMS):
            runs = results.of(function, algorithm)
            pairs = [(run.evaluation, run.best) for run in runs]
            _draw_band(top, pairs, runs[0].evaluation, algorithm)
            each = np.diff(np.mean([run.overhead for run in runs], axis=0))
            each = np.maximum(each / np.diff(runs[0].evaluation), 1e-7)
            bottom.semilogy(runs[0].evaluation[1:], 1000 * each, color=COLOURS[algorithm])
        _finish(top, function)
        bottom.set_xlabel("evaluation")
        bottom.xaxis.set_major_locator(_locator())
    grid[0, 0].set_ylabel("best f")
    grid[1, 0].set_ylabel("overhead of one (ms)")
    add_legend(figure, grid)
    return figure


def gains(results: Results, functions: Sequence[str], times: Sequence[float]) -> Figure:
    """Gain per second of BO and EA over evaluations, and where the EA overtakes BO."""
    figure, grid = _rows_and_times(functions, times)
    for row, function in zip(grid, functions, strict=True):
        for axes, seconds in zip(row, times, strict=True):
            curves = {}
            for algorithm in _present(results, function, ("bo", "ea")):
                at, gain = gain_per_second(results.of(function, algorithm), seconds)
                curves[algorithm] = gain
                shown = smooth(gain)
                axes.semilogy(
                    at, np.where(shown > 0, shown, np.nan),
                    color=COLOURS[algorithm], label=LABELS[algorithm],
                )  # fmt: skip
            _title(axes, function, seconds)
            if len(curves) == 2:
                _mark_crossing(axes, at, curves["bo"], curves["ea"])
        row[0].set_ylabel("gain in f per second")
    _name_x(grid, "evaluation")
    add_legend(figure, grid)
    return figure


def transfers(results: Results, functions: Sequence[str]) -> Figure:
    """Best f over computation time after the transfers S1 to S4."""
    figure, grid = new_grid(1, len(functions), (3.6 * len(functions), 3.2))
    for axes, function in zip(grid[0], functions, strict=True):
        for algorithm in _present(results, function, tuple(TRANSFERS)):
            runs = results.of(function, algorithm)
            times = [run.times(TRANSFER_TIME) for run in runs]
            begin = float(np.mean([_at_switch(run, TRANSFER_TIME) for run in runs]))
            end = float(np.mean([t[-1] for t in times]))
            pairs = list(zip(times, [run.best for run in runs], strict=True))
            name = TRANSFERS[algorithm]
            _draw_band(axes, pairs, np.linspace(begin, end, POINTS), algorithm, name)
        _finish(axes, function)
    grid[0, 0].set_ylabel("best f")
    _name_x(grid, "computation time (s)")
    add_legend(figure, grid)
    return figure


def objective_over_time(
    results: Results, functions: Sequence[str], times: Sequence[float]
) -> Figure:
    """Best f of BO, EA and BEA over computation time, with 95.45 % bands."""
    figure, grid = _rows_and_times(functions, times)
    for row, function in zip(grid, functions, strict=True):
        for axes, seconds in zip(row, times, strict=True):
            for algorithm in _present(results, function, ALGORITHMS):
                runs = results.of(function, algorithm)
                stamps = [run.times(seconds) for run in runs]
                begin = float(max(t[0] for t in stamps))
                end = float(np.mean([t[-1] for t in stamps]))
                pairs = list(zip(stamps, [run.best for run in runs], strict=True))
                _draw_band(axes, pairs, np.linspace(begin, end, POINTS), algorithm)
                if algorithm == "bea":
                    at = float(np.mean([_at_switch(run, seconds) for run in runs]))
                    axes.axvline(at, color=SWITCH, ls="--", lw=1, label="BEA's switch")
            _finish(axes, function)
            _title(axes, function, seconds)
        row[0].set_ylabel("best f")
    _name_x(grid, "computation time (s)")
    add_legend(figure, grid)
    return figure


def _locator() -> MaxNLocator:
    return MaxNLocator(5, integer=True, steps=[1, 2, 5, 10])


def _present(results: Results, function: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if results.of(function, name)]


def _at_switch(run: Result, evaluation_time: float) -> float:
    return float(np.interp(run.switch, run.evaluation, run.times(evaluation_time)))


def _draw_band(
    axes: Axes,
    pairs: Sequence[tuple[Array, Array]],
    grid: Array,
    algorithm: str,
    label: str = "",
) -> None:
    curve, colour = band(pairs, grid), COLOURS[algorithm]
    axes.plot(curve.grid, curve.mean, color=colour, label=label or LABELS[algorithm])
    low = np.maximum(curve.low, LEAST / 10)
    axes.fill_between(curve.grid, low, curve.high, color=colour, alpha=0.15, lw=0)


def _finish(axes: Axes, function: str) -> None:
    """A logarithmic axis about the means: bands that reach 0 go out of the picture."""
    axes.set_title(function, fontsize=10)
    axes.xaxis.set_major_locator(_locator())
    means = [np.asarray(line.get_ydata(), dtype=float) for line in axes.get_lines()]
    values = np.concatenate([m for m in means if len(m) > 2] or [np.ones(1)])
    values = values[np.isfinite(values)]
    axes.set_yscale("log")
    axes.set_ylim(max(0.6 * values.min(), LEAST), 1.4 * values.max())


def _mark_crossing(axes: Axes, at: Array, bo: Array, ea: Array) -> None:
    point = switch_point(at, bo, ea)
    if np.isfinite(point):
        axes.axvline(point, color=CROSSING, ls="--", lw=1, label="EA overtakes BO")
        axes.annotate(
            f"{point:.0f}", (point, 0.97), xycoords=("data", "axes fraction"), va="top",
            xytext=(3, 0), textcoords="offset points", color=CROSSING, fontsize=9,
        )  # fmt: skip


def _rows_and_times(functions: Sequence[str], times: Sequence[float]) -> tuple[Figure, Any]:
    size = (3.6 * len(times), 2.4 * len(functions) + 0.5)
    return new_grid(len(functions), len(times), size)


def _title(axes: Axes, function: str, seconds: float) -> None:
    axes.set_title(f"{function}, {seconds:g} s", fontsize=10)
    axes.xaxis.set_major_locator(_locator())


def _name_x(grid: Any, name: str) -> None:
    for axes in grid[-1]:
        axes.set_xlabel(name)
