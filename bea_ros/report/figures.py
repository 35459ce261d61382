# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bea_ros.optimizers.time_efficiency import WINDOW, efficiency
from bea_ros.report.style import SWITCH, new_axes
from bea_ros.runs.measurements import goodness, measurements
from bea_ros.tasks import Trajectory

STAGES = {"initial": "#8a929c", "bayesian": "#2166ac", "evolutionary": "#1b8a3e"}
REPEATED = "#555b63"

Records = Sequence[Mapping[str, Any]]
Array = NDArray[Any]


def fitness_over_evaluations(records: Records, unit: str) -> Figure:
    """Every fitness, and the best so far."""
    figure, axes = new_axes("evaluation", f"fitness ({unit})")
    _fitness(axes, records, np.arange(1, len(records) + 1))
    _measurements(axes, records)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def fitness_over_time(records: Records, unit: str) -> Figure:
    """The same over computation time: evaluations and overhead added up (paper, section III)."""
    figure, axes = new_axes("computation time (s)", f"fitness ({unit})")
    _fitness(axes, records, computation_time(records))
    return figure


def overhead(records: Records) -> Figure:
    """What the optimizer took for each evaluation."""
    figure, axes = new_axes("evaluation", "overhead (ms)")
    milliseconds = 1000 * np.array([r["time"]["overhead"] for r in records])
    numbers = np.arange(1, len(records) + 1)
    for stage, colour, chosen in _stages(records):
        axes.semilogy(numbers[chosen], milliseconds[chosen], ".", color=colour, label=stage)
    _mark_switch(axes, records, numbers)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend()
    return figure


def gain_per_second(records: Records, unit: str) -> Figure:
    """Gain in best fitness per second of computation time, over windows of ten evaluations."""
    figure, axes = new_axes("evaluation", f"gain per second ({unit} / s)")
    best = best_so_far(records)
    time = computation_time(records)
    window = min(WINDOW, max(len(records) - 1, 1))
    gain = efficiency(best, time, window)
    numbers = np.arange(window + 1, len(records) + 1)
    axes.fill_between(numbers, gain, step="post", color=STAGES["bayesian"], alpha=0.25)
    axes.step(numbers, gain, where="post", color=STAGES["bayesian"])
    _mark_switch(axes, records, np.arange(1, len(records) + 1))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    return figure


def trajectories(records: Records, paths: Mapping[int, Trajectory], unit: str) -> Figure:
    """The first, the median and the best candidate from above, each from where it started."""
    order = sorted(records, key=goodness)
    chosen = {
        "first": (records[0], "#8a929c"),
        "median": (order[len(order) // 2], "#e08214"),
        "best": (order[-1], STAGES["evolutionary"]),
    }
    figure, axes = new_axes("forward at the start (m)", "left (m)", size=(7.2, 5.2))
    for name, (record, colour) in chosen.items():
        if record["evaluation"] not in paths:
            continue
        x, y, yaw = from_start(paths[record["evaluation"]])
        label = f"{name}: evaluation {record['evaluation']}, {record['fitness']:.4f} {unit}"
        axes.plot(x, y, color=colour, label=label, linewidth=2)
        axes.plot(x[-1], y[-1], "o", color=colour)
        size = 0.06 * max(np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim()))
        axes.annotate(
            "",
            (x[-1] + size * math.cos(yaw), y[-1] + size * math.sin(yaw)),
            (x[-1], y[-1]),
            arrowprops={"arrowstyle": "-|>", "color": colour},
        )
    axes.plot(0, 0, "s", color="black", markersize=7, label="start")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="best")
    return figure


def best_so_far(records: Records) -> Array:
    """The best fitness up to each evaluation, NaN before the first that was measured."""
    measured = [math.nan if r.get("given_up", False) else r["fitness"] for r in records]
    best: Array = np.fmax.accumulate(measured)
    return best


def computation_time(records: Records) -> Array:
    """Seconds from the start of the run to the end of each evaluation, pauses left out."""
    times = [r["time"]["overhead"] + r["time"]["evaluation"] for r in records]
    return np.cumsum(times)


def _fitness(axes: Axes, records: Records, at: Array) -> None:
    fitness = np.array([r["fitness"] for r in records])
    for stage, colour, chosen in _stages(records):
        axes.plot(at[chosen], fitness[chosen], ".", color=colour, alpha=0.65, label=stage)
    axes.step(
        at,
        best_so_far(records),
        where="post",
        color="black",
        lw=1.6,
        label="best so far",
    )
    _mark_switch(axes, records, at)
    axes.legend()


def _measurements(axes: Axes, records: Records) -> None:
    """From the lowest to the highest measurement of an evaluation, and those that were doubted."""
    label: str | None = "repeated"
    for record in records:
        values = measurements(record)
        if len(values) > 1:
            at = record["evaluation"]
            axes.plot(
                [at, at], [min(values), max(values)], "_-", color=REPEATED, label=label, lw=1
            )
            label = None
    doubted = [(r["evaluation"], value) for r in records for value in r.get("doubted", [])]
    if doubted:
        axes.plot(*zip(*doubted, strict=True), "x", color=SWITCH, label="doubted")
    if doubted or label is None:
        axes.legend()


def _stages(records: Records) -> list[tuple[str, str, NDArray[np.bool_]]]:
    stages = np.array([r["stage"] for r in records])
    return [(s, colour, stages == s) for s, colour in STAGES.items() if (stages == s).any()]


def _mark_switch(axes: Axes, records: Records, at: Array) -> None:
    """Mark where the EA takes over, and where BO begins again."""
    stages = [r["stage"] for r in records]
    changed = [i for i in range(1, len(stages)) if stages[i] != stages[i - 1]]
    for stage, style, label in (
        ("evolutionary", "--", "switch to the EA"),
        ("initial", ":", "BO begins again"),
    ):
        marked = [i for i in changed if stages[i] == stage]
        for i in marked:
            axes.axvline(
                float(at[i]), color=SWITCH, ls=style, label=label if i == marked[0] else None
            )


def from_start(trajectory: Trajectory) -> tuple[Array, Array, float]:
    """x and y in the frame the robot had at the start, and its last heading there."""
    heading = float(trajectory.yaw[0])
    dx, dy = trajectory.x - trajectory.x[0], trajectory.y - trajectory.y[0]
    c, s = math.cos(heading), math.sin(heading)
    return c * dx + s * dy, c * dy - s * dx, float(trajectory.yaw[-1]) - heading
