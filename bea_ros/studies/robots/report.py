# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study's page: tables and pictures, from the CSV files alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bea_ros.report import pages
from bea_ros.report.paper import FITNESS_RATIOS, TIME_RATIOS
from bea_ros.studies.engine import comparison as engine
from bea_ros.studies.engine import page
from bea_ros.studies.engine.comparison import STANDING, standing_after, standings
from bea_ros.studies.engine.data import write_tables
from bea_ros.studies.engine.figures import LABELS
from bea_ros.studies.engine.page import SHADES, percent
from bea_ros.studies.engine.plan import marks_within
from bea_ros.studies.engine.results import Results
from bea_ros.studies.engine.statistics import SIGNIFICANT, p_text
from bea_ros.studies.robots import figures
from bea_ros.studies.robots.plan import Plan
from bea_ros.tasks import find_task, title_of

TITLE = "Learning to move: three robots, three tasks"
OTHERS = ("bo", "ea", "cma")
# Evaluations of BEA, and those of CMA-ES to compare with.
AGAINST_CMA = ((50, 50), (300, 300), (300, 1000), (1500, 1500))

COLUMNS = [
    "robot", "task", "other", "evaluation_time", "bea_runs", "runs", "bea", "mean", "fitness", "p",
    "p_holm", "time", "p_time", "bea_then", "mean_then", "equal_time", "p_equal_time",
    "paper_cost_time", "paper_cost_bea_then", "paper_cost_mean_then", "p_paper_cost",
    "paper_fitness", "paper_time",
]  # fmt: skip
STANDINGS_NOTE = (
    "Over all cases: geometric mean of the cases' ratios of means, its interval by a bootstrap "
    "clustered by case, and p by permutation within each case; where BEA and the other share "
    "their seeds (BO) runs are drawn and exchanged in pairs. Cases in which a mean is not "
    "above 0 are left out. p in a case is corrected over the cases (Holm)."
)


def write(folder: Path, results: Results, evaluation_times: Sequence[float]) -> Path:
    """Write report.html, the figures as SVG, comparison.csv (by case) and standings.csv (over the
    cases); returns the page's path. Figures of an earlier report are removed.
    """
    others = [other for other in OTHERS if any(results.pairs("bea", other))]
    compared = {o: [compare(results, o, seconds) for seconds in evaluation_times] for o in others}
    stood = {other: standings(results, other, evaluation_times) for other in others}
    if "cma" in stood:
        budget = results.settings["evaluations"]
        after = (n for n in AGAINST_CMA if max(n) <= budget)
        stood["cma"] = pd.concat(
            [stood["cma"], *(standing_after(results, "cma", *n) for n in after)]
        )
    tables = [table for by_time in compared.values() for table in by_time]
    write_tables(folder / "comparison.csv", COLUMNS, tables)
    write_tables(folder / "standings.csv", STANDING, stood.values())
    for old in (folder / "figures").glob("*.svg"):
        old.unlink()
    return page.write(
        folder,
        TITLE,
        _lead(results),
        page.facts(results, Plan.LISTS, _facts(results)),
        *(_comparison(other, by_time[0], stood[other]) for other, by_time in compared.items()),
        page.note(STANDINGS_NOTE),
        *(
            page.picture(folder, name, *picture)
            for name, picture in _pictures(results, evaluation_times).items()
        ),
        *(_equal_time_table(LABELS[other], by_time) for other, by_time in compared.items()),
        _means(results),
    )


def compare(results: Results, other: str, evaluation_time: float) -> pd.DataFrame:
    """As the engine's `compare`, with the paper's ratios (NaN for cases that it lacks)."""
    table = engine.compare(results, other, evaluation_time)
    cases = table["case"]
    return table.assign(
        robot=cases.str[0],
        task=cases.str[1],
        fitness=table["ratio"],
        paper_fitness=[FITNESS_RATIOS.get(other, {}).get(case, math.nan) for case in cases],
        paper_time=[TIME_RATIOS.get(other, {}).get(case, math.nan) for case in cases],
    )


def _pictures(
    results: Results, evaluation_times: Sequence[float]
) -> dict[str, tuple[str, str, Figure]]:
    """Heading, note and figure by name of file."""
    found = {
        "final": ("Best fitness of every run", "Bars are means.", figures.final_fitness(results))
    }
    purple = " Purple: BEA's switch." if results.settings["switch"] else ""
    for seconds in evaluation_times:
        found[f"fitness-{seconds:g}s"] = (
            f"Best fitness over computation time, evaluations of {seconds:g} s",
            SHADES + purple,
            figures.fitness_over_time(results, seconds),
        )
    found["overhead"] = (
        "Overhead of each evaluation",
        "CPU time the optimizer takes for one evaluation, on one core." + purple,
        figures.overhead(results),
    )
    for seconds in evaluation_times:
        found[f"gain-{seconds:g}s"] = (
            f"Gain per second, evaluations of {seconds:g} s",
            "Gain in best fitness per second of computation time; gaps are times without gain.",
            figures.gain_per_second(results, seconds),
        )
    for task in figures.tasks_of(results):
        what = "distance over angle" if find_task(task).unit == "rad" else "trajectories"
        found[f"best-{task}"] = (
            f"Best controllers: {title_of(task)}, {what}",
            "Thick: the best controller of each algorithm; thin: those of its other runs.",
            figures.best_controllers(results, task),
        )
    return found


def _lead(results: Results) -> str:
    s = results.settings
    switch = f"BEA's switch after {s['switch']}, " if s["switch"] else ""
    return (
        f"{s['evaluations']} evaluations, {switch}"
        f"{s['profile']} profile, motor {s.get('motor', 'servo')}, {page.readings(s)}"
        f"{s['repetitions']} repetitions"
        + (f", evaluations of {s['duration']:g} s" if s["duration"] else "")
        + (", poses with the camera's noise" if s["noise"] else "")
    )


def _facts(results: Results) -> dict[str, str]:
    runs = results.results
    duration = results.settings["duration"]  # s; 0 for each task's own
    robot = sum(r.evaluation[-1] * (duration or find_task(r.case[1]).duration) for r in runs)
    simulation = sum(float(run.about["simulation_s"]) for run in runs)
    failed = sum(int(run.about["failed"]) for run in runs)
    stages = [[name for name, _ in run.stages] for run in runs if run.algorithm == "bea"]
    again = [names.count("initial") - 1 for names in stages]
    return {
        "robot time": f"{robot / 3600:.0f} h simulated",
        "simulation": f"{simulation / 3600:.1f} CPU h",
        "overhead": f"{sum(r.overhead[-1] for r in runs) / 3600:.2f} CPU h",
        "robot fell over": f"{failed} evaluations",
        **({"BEA's further starts": f"{np.mean(again):.1f} in a run"} if any(again) else {}),
    }


def _comparison(other: str, table: pd.DataFrame, stood: pd.DataFrame) -> str:
    """BEA's lead over all cases, and in each of them after all evaluations."""
    name = LABELS[other]
    headings = ["robot, task", "runs", "BEA", name, "BEA / it", "paper", "p", "Holm"]
    lines = [
        [_case(c), f"{c.bea_runs}, {c.runs}", f"{c.bea:.3g}", f"{c.mean:.3g}",
         percent(c.fitness), percent(c.paper_fitness), p_text(c.p), p_text(c.p_holm)]
        for c in table.itertuples()
    ]  # fmt: skip
    test = "signed-rank test of pairs" if other == "bo" else "Mann-Whitney test"
    note = f"Best fitness: means over the runs, and their ratio. p: two-sided {test}."
    shown = pages.table(headings, lines)
    return f"<h2>BEA over {name}</h2>{_standings(stood)}{shown}{page.note(note)}"


def _equal_time_table(name: str, by_time: Sequence[pd.DataFrame]) -> str:
    """A line per case and evaluation time."""
    headings = ["robot, task, evaluation", "paper's time", "time", "p", "equal time", "p"]
    headings += ["by the paper's cost", "equal time then", "p"]
    lines = [
        [f"{_case(c)}, {c.evaluation_time:g} s", percent(c.paper_time),
         percent(c.time), p_text(c.p_time), percent(c.equal_time), p_text(c.p_equal_time),
         percent(c.paper_cost_time), percent(c.paper_cost_equal_time), p_text(c.p_paper_cost)]
        for case in zip(*(table.itertuples() for table in by_time), strict=True)
        for c in case
    ]  # fmt: skip
    note = (
        f"Time: computation time of BEA over that of {name}, if an evaluation takes so long. "
        "Equal time: BEA's fitness over the other's when the first of the two is done. "
        f"{page.PAPERS_COST}"
    )
    return page.Table(f"BEA over {name} at equal time", headings, lines).html + page.note(note)


def _case(row: Any) -> str:
    return f"{row.robot}, {title_of(row.task)}"


def _standings(stood: pd.DataFrame) -> str:
    """A line per comparison: BEA's lead over all cases, and the number of cases ahead."""
    sure = f"p < {SIGNIFICANT:g} (Holm)"
    headings = ["over all cases", "cases", "geometric mean", "95 % interval", "p",
                "ahead in", sure, "behind in", sure]  # fmt: skip
    lines = [
        [s.when, str(s.cases), percent(s.ratio), f"{percent(s.low)} to {percent(s.high)}",
         p_text(s.p), *map(str, (s.ahead, s.surely_ahead, s.behind, s.surely_behind))]
        for s in stood.itertuples()
    ]  # fmt: skip
    return pages.table(headings, lines)


def _means(results: Results) -> str:
    """Mean and deviation of the best fitness after several numbers of evaluations."""
    at = marks_within((10, 50, 100, 300, 1000), results.settings["evaluations"])
    lines = [
        [f"{robot}, {title_of(task)}, {name}", str(len(runs)), *cells]
        for (robot, task), name, runs, cells, _ in page.means(results, results.cases, at)
    ]
    headings = ["", "runs", *(f"after {n}" for n in at)]
    return f"<h2>Best fitness, mean ± standard deviation</h2>{pages.table(headings, lines)}"
