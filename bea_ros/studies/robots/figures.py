# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the study: rows are tasks, columns robots, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bea_ros.report.figures import from_start
from bea_ros.report.style import ALGORITHM_COLOURS, SWITCH, add_legend, new_axes, new_grid
from bea_ros.studies.robots.plan import LABELS
from bea_ros.studies.robots.results import EVERY, Array, Result, Results
from bea_ros.studies.statistics import Band, band
from bea_ros.tasks import Trajectory, find_task, title_of

COLOURS = {**ALGORITHM_COLOURS, "cma": "#e08214"}
POINTS = 120  # of a curve
GAIN_WINDOW = 50  # evaluations: enough that the mean of a few runs is smooth

Draw = Callable[[Axes, str, str], None]


def fitness_over_time(results: Results, evaluation_time: float) -> Figure:
    """Best fitness over computation time: mean and 95.45 % band over the runs."""

    def draw(axes: Axes, robot: str, task: str) -> None:
        for algorithm in results.algorithms:
            runs = results.of(robot, task, algorithm)
            if not runs:
                continue
            times = [run.times(evaluation_time) for run in runs]
            pairs = list(zip(times, [run.best for run in runs], strict=True))
            end = float(np.mean([t[-1] for t in times]))
            begin = float(max(t[0] for t in times))
            _draw_band(axes, band(pairs, np.linspace(begin, end, POINTS)), algorithm)
            if algorithm == "bea":
                _draw_switch(axes, _switch(results, runs, times))
        _limit_above_initial(
            axes, [r for a in results.algorithms for r in results.of(robot, task, a)]
        )

    return _grid(results, draw, "computation time (s)", "best fitness ({unit})")


def overhead(results: Results) -> Figure:
    """What the optimizers took for one evaluation, averaged over ten of them and the runs."""

    def draw(axes: Axes, robot: str, task: str) -> None:
        for algorithm in results.algorithms:
            if runs := results.of(robot, task, algorithm):
                at, each = _per_evaluation(runs)
                axes.semilogy(at, 1000 * each, color=COLOURS[algorithm], label=LABELS[algorithm])
        _draw_switch(axes, results.settings["switch"])

    return _grid(results, draw, "evaluation", "overhead (ms)")


def gain_per_second(results: Results, evaluation_time: float) -> Figure:
    """Gain in best fitness per second of computation time, smoothed."""

    def draw(axes: Axes, robot: str, task: str) -> None:
        for algorithm in results.algorithms:
            if runs := results.of(robot, task, algorithm):
                at, gain = _gain(runs, evaluation_time)
                axes.semilogy(at, gain, color=COLOURS[algorithm], label=LABELS[algorithm])
        _draw_switch(axes, results.settings["switch"])

    return _grid(results, draw, "evaluation", "gain per second ({unit}/s)")


def paths(results: Results, task: str) -> Figure:
    """Where the best controllers take the robots: the best of each algorithm, the others thin."""
    robots = results.settings["robots"]
    figure, grid = new_grid(1, len(robots), (3.6 * len(robots), 3.5))
    for axes, robot in zip(grid[0], robots, strict=True):
        _each_controller(
            results, robot, task, lambda path, axes=axes, **look: axes.plot(*_xy(path), **look)
        )
        axes.plot(0, 0, "s", color="black", ms=5)
        axes.set_title(robot, fontsize=10)
        axes.set_xlabel("forward at the start (m)")
        axes.set_aspect("equal", adjustable="datalim")
    grid[0, 0].set_ylabel("left (m)")
    add_legend(figure, grid)
    return figure


def yaw_and_distance(results: Results, task: str) -> Figure:
    """Distance from where the robot started over the angle it has turned: low and far is good."""
    robots = results.settings["robots"]
    figure, grid = new_grid(1, len(robots), (3.6 * len(robots), 3.2))
    for axes, robot in zip(grid[0], robots, strict=True):
        _each_controller(
            results, robot, task, lambda path, axes=axes, **look: axes.plot(*_turn(path), **look)
        )
        axes.set_title(robot, fontsize=10)
        axes.set_xlabel("angle turned (rad)")
    grid[0, 0].set_ylabel("distance from the start (m)")
    add_legend(figure, grid)
    return figure


def final_fitness(results: Results) -> Figure:
    """Best fitness of every run over that of the case's best run."""
    figure, axes = new_axes("", "best fitness / best of the case", (10.8, 3.4))
    names = results.algorithms
    for i, case in enumerate(results.cases):
        runs = {name: [float(r.best[-1]) for r in results.of(*case, name)] for name in names}
        top = max((value for values in runs.values() for value in values), default=0.0)
        if top <= 0:
            continue
        for j, name in enumerate(names):
            at = i + 0.8 * (j - (len(names) - 1) / 2) / len(names)
            values = np.array(runs[name]) / top
            axes.plot(np.full(len(values), at), values, ".", color=COLOURS[name], alpha=0.5)
            if len(values):
                axes.plot(at, values.mean(), "_", ms=14, mew=2.5, color=COLOURS[name],
                          label=LABELS[name] if i == 0 else None)  # fmt: skip
    labels = [f"{robot}\n" + task.replace("_", "\n") for robot, task in results.cases]
    axes.set_xticks(range(len(labels)), labels, fontsize=8)
    axes.grid(axis="x", visible=False)
    axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    return figure


def _grid(results: Results, draw: Draw, xlabel: str, ylabel: str) -> Figure:
    """Axes for every case; `ylabel` may name the {unit} of the task's fitness."""
    robots, tasks = results.settings["robots"], results.settings["tasks"]
    size = (3.6 * len(robots), 2.5 * len(tasks) + 0.5)
    figure, grid = new_grid(len(tasks), len(robots), size)
    for row, task in zip(grid, tasks, strict=True):
        for axes, robot in zip(row, robots, strict=True):
            draw(axes, robot, task)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            axes.set_title(f"{robot}, {title_of(task)}", fontsize=10)
        row[0].set_ylabel(ylabel.format(unit=find_task(task).unit))
    for axes in grid[-1]:
        axes.set_xlabel(xlabel)
    add_legend(figure, grid)
    return figure


def _draw_band(axes: Axes, curve: Band, algorithm: str) -> None:
    colour = COLOURS[algorithm]
    axes.plot(curve.grid, curve.mean, color=colour, label=LABELS[algorithm])
    axes.fill_between(curve.grid, curve.low, curve.high, color=colour, alpha=0.15, lw=0)


def _draw_switch(axes: Axes, at: float) -> None:
    axes.axvline(at, color=SWITCH, ls="--", lw=1, label="BEA's first switch")


def _limit_above_initial(axes: Axes, runs: Sequence[Result]) -> None:
    """Leave the first samples, which may be far below 0, out of the picture."""
    start = [float(np.interp(5 * EVERY, run.evaluation, run.best)) for run in runs]
    low, high = axes.get_ylim()
    if start:
        axes.set_ylim(max(low, min(0.0, min(start))), high)


def _switch(results: Results, runs: Sequence[Result], times: Sequence[Array]) -> float:
    """Mean computation time of the runs when BO handed over to the EA."""
    switch = results.settings["switch"]
    reached = [np.interp(switch, run.evaluation, t) for run, t in zip(runs, times, strict=True)]
    return float(np.mean(reached))


def _per_evaluation(runs: Sequence[Result]) -> tuple[Array, Array]:
    """Evaluations, and the mean overhead (s) of each since the evaluation before."""
    at = np.arange(EVERY, runs[0].evaluation[-1] + 1, EVERY)
    so_far = np.mean([np.interp(at, run.evaluation, run.overhead) for run in runs], axis=0)
    each = np.diff(so_far, prepend=0.0) / np.diff(at, prepend=0.0)
    return at, np.maximum(each, 1e-7)


def _gain(runs: Sequence[Result], evaluation_time: float) -> tuple[Array, Array]:
    """Evaluations, and the mean gain per second over the GAIN_WINDOW before; NaN for none."""
    last = runs[0].evaluation[-1]
    window = min(GAIN_WINDOW, max(last // 4, 1))
    at = np.arange(window, last + 1, max(window // 5, 1))
    gains = []
    for run in runs:
        best, times = run.best, run.times(evaluation_time)
        now, before = (np.interp(n, run.evaluation, best) for n in (at, at - window))
        cost = np.interp(at, run.evaluation, times) - np.interp(at - window, run.evaluation, times)
        gains.append((now - before) / cost)
    mean = np.mean(gains, axis=0)
    return at, np.where(mean > 0, mean, np.nan)


def _each_controller(results: Results, robot: str, task: str, plot: Callable[..., object]) -> None:
    for name in results.algorithms:
        runs = [run for run in results.of(robot, task, name) if run.trajectory]
        runs.sort(key=lambda run: float(run.best[-1]))
        for run in runs:
            best = run is runs[-1]
            look = {"lw": 2.0, "label": LABELS[name]} if best else {"lw": 0.7, "alpha": 0.4}
            plot(run.trajectory, color=COLOURS[name], **look)


def _xy(path: Trajectory) -> tuple[Array, Array]:
    return from_start(path)[:2]


def _turn(path: Trajectory) -> tuple[Array, Array]:
    return path.yaw - path.yaw[0], np.hypot(path.x - path.x[0], path.y - path.y[0])
