# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study's page: tables and pictures, from the CSV files alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from bea_ros.report import style
from bea_ros.studies.robots import figures
from bea_ros.studies.robots.comparison import (
    Comparison,
    Standing,
    compare,
    standing_after,
    standings,
)
from bea_ros.studies.robots.plan import LABELS
from bea_ros.studies.robots.results import Results
from bea_ros.studies.statistics import SIGNIFICANT, p_text, resample
from bea_ros.studies.study_files import write_records
from bea_ros.system.files import replace_file
from bea_ros.tasks import find_task, title_of

TITLE = "Learning to move: three robots, three tasks"
OTHERS = ("bo", "ea", "cma")
# BEA after so many evaluations beside CMA-ES after so many.
AGAINST_CMA = ((50, 50), (300, 300), (300, 1000), (1500, 1500))


def write(folder: Path, results: Results, evaluation_times: Sequence[float]) -> Path:
    """Write report.html, the figures as SVG, comparison.csv (by case) and standings.csv (over the
    cases); returns the page's path. What an earlier report had besides is removed.
    """
    comparisons = {
        other: [compare(results, other, seconds) for seconds in evaluation_times]
        for other in OTHERS
        if any(results.of(*case, other) and results.of(*case, "bea") for case in results.cases)
    }
    stood = {other: standings(results, other, evaluation_times) for other in comparisons}
    if "cma" in stood:
        stood["cma"] += _against_cma(results)
    write_records(
        folder / "comparison.csv",
        Comparison,
        [c for rows in comparisons.values() for row in rows for c in row],
    )
    write_records(folder / "standings.csv", Standing, [s for rows in stood.values() for s in rows])
    pictures = _pictures(results, evaluation_times)
    for old in (folder / "figures").glob("*.svg"):
        old.unlink()
    for name, (_, _, figure) in pictures.items():
        replace_file(folder / "figures" / f"{name}.svg", style.svg(figure))
    tables = "".join(
        _comparison_table(other, rows, stood[other]) for other, rows in comparisons.items()
    )
    shown = "".join(style.picture(title, f, note) for title, note, f in pictures.values())
    body = "".join([style.facts(_facts(results)), tables, shown, _means(results)])
    path = folder / "report.html"
    replace_file(path, style.page(TITLE, _lead(results), body))
    return path


def _pictures(
    results: Results, evaluation_times: Sequence[float]
) -> dict[str, tuple[str, str, Figure]]:
    """By name of the file: heading, note and figure."""
    found = {
        "final": ("Best fitness of every run", "Bars are means.", figures.final_fitness(results))
    }
    band = (
        "Mean over the runs; shades are two standard deviations (95.45 %). Purple: BEA's first "
        "switch, after which it may begin again."
    )
    for seconds in evaluation_times:
        found[f"fitness-{seconds:g}s"] = (
            f"Best fitness over computation time, evaluations of {seconds:g} s",
            band,
            figures.fitness_over_time(results, seconds),
        )
    found["overhead"] = (
        "Overhead of each evaluation",
        "CPU time the optimizer takes for one evaluation, on one core. Purple: the first switch.",
        figures.overhead(results),
    )
    for seconds in evaluation_times:
        found[f"gain-{seconds:g}s"] = (
            f"Gain per second, evaluations of {seconds:g} s",
            "Gain in best fitness per second of computation time; gaps are times without gain.",
            figures.gain_per_second(results, seconds),
        )
    for task in results.settings["tasks"]:
        name = title_of(task)
        turning = find_task(task).unit == "rad"
        draw = figures.yaw_and_distance if turning else figures.paths
        what = "distance over angle" if turning else "trajectories"
        note = "Thick: the best controller of each algorithm; thin: those of its other runs."
        found[f"best-{task}"] = (f"Best controllers: {name}, {what}", note, draw(results, task))
    return found


def _lead(results: Results) -> str:
    s = results.settings
    return (
        f"{s['evaluations']} evaluations, BEA's first switch after {s['switch']}, "
        f"{s['profile']} profile, {s['repetitions']} repetitions"
        + (f", evaluations of {s['duration']:g} s" if s["duration"] else "")
        + (", poses with the camera's noise" if s["noise"] else "")
    )


def _facts(results: Results) -> dict[str, str]:
    s = results.settings
    planned = len(results.cases) * len(s["algorithms"]) * s["repetitions"]
    failed = sum(result.failed for result in results.results)
    return {
        "runs finished": f"{len(results.results)} of {planned}",
        "robot time": f"{_robot_hours(results):.0f} h simulated",
        "simulation": f"{sum(r.simulation for r in results.results) / 3600:.1f} CPU h",
        "overhead": f"{sum(r.overhead[-1] for r in results.results) / 3600:.2f} CPU h",
        "robot fell over": f"{failed} evaluations",
        **_starts(results),
        **{name: version for name, version in results.versions.items() if version},
    }


def _robot_hours(results: Results) -> float:
    return sum(
        r.evaluation[-1] * (results.settings["duration"] or find_task(r.task).duration) / 3600
        for r in results.results
    )


def _starts(results: Results) -> dict[str, str]:
    """How often BEA began again, if it did."""
    runs = [run for run in results.results if run.algorithm == "bea"]
    again = [sum(stage == "initial" for stage, _ in run.stages) - 1 for run in runs]
    return {"BEA began again": f"{np.mean(again):.1f} times a run"} if any(again) else {}


def _comparison_table(
    other: str, by_time: Sequence[Sequence[Comparison]], stood: Sequence[Standing]
) -> str:
    """A line per case; `by_time` has the comparisons of one evaluation time each."""
    name = LABELS[other]
    headings = [
        "robot, task",
        "runs",
        "BEA",
        name,
        "BEA / it",
        "paper",
        "p",
        "Holm",
        "paper's time",
    ]
    for rows in by_time:
        seconds = f"{rows[0].evaluation_time:g} s"
        headings += [f"time, {seconds}", "p", f"equal time, {seconds}", "p"]
    lines = []
    for case in zip(*by_time, strict=True):
        c = case[0]
        line = [
            f"{c.robot}, {title_of(c.task)}", f"{c.bea_runs}, {c.runs}",
            f"{c.bea:.3g}", f"{c.mean:.3g}",
            _percent(c.fitness), _percent(c.paper_fitness), p_text(c.p), p_text(c.p_holm),
            _percent(c.paper_time),
        ]  # fmt: skip
        for timed in case:
            line += [_percent(timed.time), p_text(timed.p_time)]
            line += [_percent(timed.equal_time), p_text(timed.p_equal_time)]
        lines.append(line)
    note = (
        "<p class=note>Best fitness: means over the runs, and their ratio. p: two-sided "
        f"Mann-Whitney test. Time: computation time of BEA over that of {name}, if evaluations "
        "take so long. Equal time: BEA's fitness over the other's when the first of the two is "
        "done.</p>"
    )
    return f"<h2>BEA over {name}</h2>{_standings(stood)}{style.table(headings, lines)}{note}"


def _standings(stood: Sequence[Standing]) -> str:
    """A line for each: how far BEA is ahead over all, and in how many cases."""
    sure = f"with p < {SIGNIFICANT:g}"
    headings = ["over all cases", "cases", "geometric mean of the ratios", "95 % interval", "p",
                "ahead in", sure, "behind in", sure]  # fmt: skip
    lines = [
        [s.when, str(s.cases), _percent(s.ratio), f"{_percent(s.low)} to {_percent(s.high)}"]
        + [p_text(s.p)]
        + [str(n) for n in (s.ahead, s.surely_ahead, s.behind, s.surely_behind)]
        for s in stood
    ]
    note = (
        "<p class=note>Interval and p (Wilcoxon's signed-rank test) are over the pairs of runs "
        "with one case and repetition; ratios in which a fitness is not above 0 are left out, of "
        "them and of the geometric mean. p in a case is that case's alone, not corrected for "
        "there being several (Holm, below, is).</p>"
    )
    return style.table(headings, lines) + note


def _against_cma(results: Results) -> list[Standing]:
    budget = results.settings["evaluations"]
    return [
        standing_after(results, "cma", *after) for after in AGAINST_CMA if max(after) <= budget
    ]


def _means(results: Results) -> str:
    """Mean and deviation of the best fitness after some numbers of evaluations."""
    last = results.settings["evaluations"]
    at = [n for n in (10, 50, 100, 300, 1000) if n < last] + [last]
    lines = []
    for robot, task in results.cases:
        for name in results.algorithms:
            runs = results.of(robot, task, name)
            if runs:
                best = np.array([resample(run.evaluation, run.best, at) for run in runs])
                deviation = best.std(axis=0, ddof=1) if len(runs) > 1 else 0 * best[0]
                cells = zip(best.mean(axis=0), deviation, strict=True)
                words = f"{robot}, {title_of(task)}, {LABELS[name]}"
                lines.append([words, str(len(runs)), *(f"{m:.4g} ± {d:.2g}" for m, d in cells)])
    headings = ["", "runs", *(f"after {n}" for n in at)]
    return f"<h2>Best fitness, mean ± standard deviation</h2>{style.table(headings, lines)}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %" if math.isfinite(value) else "-"
