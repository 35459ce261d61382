# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of the study: rows are tasks, columns are robots, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from bea_ros.report.paths import finish_gait_axes, gait_axes, gait_curve
from bea_ros.report.style import new_axes, new_grid
from bea_ros.studies.engine import figures as engine
from bea_ros.studies.engine.figures import COLOURS, COLUMN, LABELS
from bea_ros.studies.engine.results import Array, Result, Results
from bea_ros.tasks import find_task, title_of

EARLY = 50  # evaluations; the best fitness by then is within the axes
EVERY = 10  # evaluations that the overhead is averaged over
SWITCH = "BEA's first switch"  # label
GAIN_WINDOW = 50  # evaluations, enough for a smooth mean of a few runs

Case = tuple[str, ...]


def tasks_of(results: Results) -> list[str]:
    """The tasks with runs: a picture of others would be empty."""
    return list(dict.fromkeys(task for _, task in results.cases))


def fitness_over_time(results: Results, evaluation_time: float) -> Figure:
    """Best fitness over computation time: mean and 95.45 % band over the runs."""

    def draw(axes: Axes, case: Case) -> None:
        for algorithm, runs in results.present(case):
            engine.draw(axes, engine.over_time(runs, evaluation_time), algorithm)
            if algorithm == "bea" and results.settings["switch"]:
                switches = [results.settings["switch"]] * len(runs)
                engine.draw_switch(axes, engine.time_at(runs, switches, evaluation_time), SWITCH)
        _limit_above_initial(axes, [r for _, runs in results.present(case) for r in runs])

    return _grid(results, draw, engine.TIME, "best fitness ({unit})")


def overhead(results: Results) -> Figure:
    """Overhead (ms) per evaluation, averaged over EVERY evaluations and the runs."""

    def draw(axes: Axes, case: Case) -> None:
        for algorithm, runs in results.present(case):
            at, each = _per_evaluation(runs)
            axes.semilogy(at, 1000 * each, color=COLOURS[algorithm], label=LABELS[algorithm])
        engine.draw_switch(axes, results.settings["switch"], SWITCH)

    return _grid(results, draw, "evaluation", "overhead (ms)")


def gain_per_second(results: Results, evaluation_time: float) -> Figure:
    """Gain in best fitness per second of computation time, smoothed."""

    def draw(axes: Axes, case: Case) -> None:
        for algorithm, runs in results.present(case):
            at, gain = _gain(runs, evaluation_time)
            axes.semilogy(at, gain, color=COLOURS[algorithm], label=LABELS[algorithm])
        engine.draw_switch(axes, results.settings["switch"], SWITCH)

    return _grid(results, draw, "evaluation", "gain per second ({unit}/s)")


def best_controllers(results: Results, task: str) -> Figure:
    """Paths of the best controllers, or the distance over the angle of a task with turns.

    Thick lines are of the best of each algorithm, thin ones of the others.
    """
    turning, robots = find_task(task).unit == "rad", results.settings["robots"]
    size = (COLUMN * len(robots), 3.2 if turning else 3.5)
    figure, grid = new_grid(1, len(robots), size)
    for axes, robot in zip(grid[0], robots, strict=True):
        for name, runs in results.present((robot, task)):
            shown = sorted((r for r in runs if r.trajectory), key=lambda run: run.final)
            for run in shown:
                best = run is shown[-1]
                look = {"lw": 2.0, "label": LABELS[name]} if best else {"lw": 0.7, "alpha": 0.4}
                axes.plot(*gait_curve(run.trajectory, turning), color=COLOURS[name], **look)
        finish_gait_axes(axes, turning)
        axes.set_title(robot, fontsize=10)
    along, across = gait_axes(turning)
    return engine.finish(figure, grid, along, [across])


def final_fitness(results: Results) -> Figure:
    """Best fitness of every run over that of the case's best run."""
    figure, axes = new_axes("", "best fitness / best of the case", (10.8, 3.4))
    names = results.algorithms
    for i, case in enumerate(results.cases):
        runs = {name: [r.final for r in results.of(case, name)] for name in names}
        top = max((value for values in runs.values() for value in values), default=0.0)
        if top <= 0:
            continue
        for j, name in enumerate(names):
            at = i + 0.8 * (j - (len(names) - 1) / 2) / len(names)
            values = np.array(runs[name]) / top
            axes.plot(np.full(len(values), at), values, ".", color=COLOURS[name], alpha=0.5)
            if len(values):
                axes.plot(at, values.mean(), "_", ms=14, mew=2.5, color=COLOURS[name])
    labels = [f"{robot}\n" + task.replace("_", "\n") for robot, task in results.cases]
    axes.set_xticks(range(len(labels)), labels, fontsize=8)
    axes.grid(axis="x", visible=False)
    keys = [Line2D([], [], ls="", marker="_", ms=14, mew=2.5, color=COLOURS[n]) for n in names]
    axes.legend(
        keys,
        [LABELS[name] for name in names],
        ncols=4,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        frameon=False,
    )
    return figure


def _grid(
    results: Results, draw: Callable[[Axes, Case], None], xlabel: str, ylabel: str
) -> Figure:
    """Axes for every case; `ylabel` may name the {unit} of the task's fitness."""
    robots, tasks = results.settings["robots"], tasks_of(results)
    size = (COLUMN * len(robots), 2.5 * len(tasks) + 0.5)
    figure, grid = new_grid(len(tasks), len(robots), size)
    for axes, (task, robot) in zip(grid.flat, product(tasks, robots), strict=True):
        draw(axes, (robot, task))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_title(f"{robot}, {title_of(task)}", fontsize=10)
    ylabels = [ylabel.format(unit=find_task(task).unit) for task in tasks]
    return engine.finish(figure, grid, xlabel, ylabels)


def _limit_above_initial(axes: Axes, runs: Sequence[Result]) -> None:
    """Set the lower limit of an axis without the first samples, which may be far below 0."""
    start = [float(np.interp(EARLY, run.evaluation, run.best)) for run in runs]
    low, high = axes.get_ylim()
    if start:
        axes.set_ylim(max(low, min(0.0, min(start))), high)


def _per_evaluation(runs: Sequence[Result]) -> tuple[Array, Array]:
    """Evaluations, and the mean overhead (s) per evaluation since the previous point."""
    at = np.arange(EVERY, runs[0].evaluation[-1] + 1, EVERY)
    so_far = np.mean([np.interp(at, run.evaluation, run.overhead) for run in runs], axis=0)
    each = np.diff(so_far, prepend=0.0) / np.diff(at, prepend=0.0)
    return at, np.maximum(each, 1e-7)


def _gain(runs: Sequence[Result], evaluation_time: float) -> tuple[Array, Array]:
    """Evaluations, and the mean gain per second over the last GAIN_WINDOW; NaN without one."""
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
