# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study's page: tables and figures, from the CSV files alone."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bea_ros.report import pages
from bea_ros.studies.engine import page
from bea_ros.studies.engine.comparison import compare
from bea_ros.studies.engine.data import write_tables
from bea_ros.studies.engine.figures import LABELS
from bea_ros.studies.engine.page import SHADES, number, percent
from bea_ros.studies.engine.plan import marks_within
from bea_ros.studies.engine.results import Results
from bea_ros.studies.engine.statistics import SIGNIFICANT, p_text
from bea_ros.studies.functions import figures
from bea_ros.studies.functions.plan import ALGORITHMS, EVERY, TRANSFERS, Plan
from bea_ros.studies.functions.problems import GROUPS

TITLE = "BO, EA and BEA on synthetic functions"
GROUP_TITLES = {
    "authors": "Domains of the authors' code",
    "authors-shifted": "Domains of the authors' code, optimum shifted off the centre",
    "textbook": "Textbook domains",
    "textbook-shifted": "Textbook domains, optimum shifted off the centre",
    "rotated": "Rotated and shifted",
}
MARKS = (50, 100, 250, 500, 1000)
COLUMNS = [
    "function", "other", "evaluation_time", "runs", "bea", "mean", "p", "p_holm", "time",
    "bea_then", "mean_then", "p_equal_time", "p_equal_time_holm", "paper_cost_time",
    "paper_cost_bea_then", "paper_cost_mean_then", "p_paper_cost_holm",
]  # fmt: skip
HOLM = f"Holm: corrected over the functions, significant below {SIGNIFICANT:g}."
PARENTS_NOTE = (
    f"Means over the runs, lower is better. {HOLM} It is of a two-sided Mann-Whitney test."
)
TRANSFERS_NOTE = (
    f"Mean final f of BEA after each transfer. {HOLM} It is of S4 against the transfer "
    "(signed-rank test: the transfers of a repetition begin with the same BO)."
)


def write(folder: Path, results: Results, times: Sequence[float]) -> Path:
    """Write report.html, the figures as SVG, and comparison.csv; returns the page's path."""
    comparisons = {
        other: [comparison(results, other, seconds) for seconds in times]
        for other in ALGORITHMS
        if other != "bea" and any(results.pairs("bea", other))
    }
    tables = [table for by_time in comparisons.values() for table in by_time]
    write_tables(folder / "comparison.csv", COLUMNS, tables)
    overhead = sum(float(run.overhead[-1]) for run in results.results)
    groups = {
        group: [case for case in results.cases if case[0] in names]
        for group, names in GROUPS.items()
    }
    parents = {other: by for other, by in comparisons.items() if other not in TRANSFERS}
    transfers = {name: by for name, by in comparisons.items() if name in TRANSFERS}
    return page.write(
        folder,
        TITLE,
        _lead(results),
        page.facts(results, Plan.LISTS, {"overhead in all": f"{overhead / 60:.1f} CPU min"}),
        *(_verdict(LABELS[other], by_time[0]) for other, by_time in parents.items()),
        _final_table(
            "Final f", "BEA", {LABELS[other]: by[0] for other, by in parents.items()}, PARENTS_NOTE
        ),
        *(_group(folder, results, g, cases, times) for g, cases in groups.items() if cases),
        *(_equal_time_table(LABELS[other], by_time) for other, by_time in parents.items()),
        _final_table(
            "Transfers", "S4", {TRANSFERS[n]: by[0] for n, by in transfers.items()}, TRANSFERS_NOTE
        ),
    )


def comparison(results: Results, other: str, evaluation_time: float) -> pd.DataFrame:
    """As the engine's `compare`, with a line per function; f is minimised."""
    table = compare(results, other, evaluation_time)
    runs, function = table[["bea_runs", "runs"]].min(axis=1), table["case"].str[0]
    return table.assign(function=function, runs=runs)


def _lead(results: Results) -> str:
    s = results.settings
    return (
        f"d = {s['dimension']}, {s['evaluations']} evaluations, BEA's switch after "
        f"{s['switch']}, {s['profile']} profile, {page.readings(s)}"
        f"{s['repetitions']} repetitions; f is minimised and 0 at the optimum"
    )


def _group(
    folder: Path,
    results: Results,
    group: str,
    functions: Sequence[tuple[str, ...]],
    times: Sequence[float],
) -> str:
    pictures = {
        "evaluations": (
            "Objective and overhead over evaluations",
            f"{SHADES} Overhead is CPU time on one core.",
            figures.objective_and_overhead(results, functions),
        ),
        "gain": (
            "Gain per second",
            "Over ten evaluations, smoothed over fifty, if an evaluation takes so long. Red: the "
            "EA overtakes BO; of several crossings, the one up to which BO's lead sums to most.",
            figures.gains(results, functions, times),
        ),
        "transfer": (
            f"Transfers S1 to S4, evaluations of {figures.TRANSFER_TIME:g} s",
            f"From the switch on; where the transfer makes no difference, the curves lie on each "
            f"other. {SHADES}",
            figures.transfers(results, functions),
        ),
        "time": (
            "Objective over computation time",
            f"{SHADES} Purple: BEA's switch.",
            figures.objective_over_time(results, functions, times),
        ),
    }
    shown = [page.picture(folder, f"{group}-{name}", *p) for name, p in pictures.items()]
    title = f"<h1>{html.escape(GROUP_TITLES[group])}</h1>"
    return "".join([title, *shown, _means(results, functions)])


def _verdict(name: str, table: pd.DataFrame) -> str:
    """Whether BEA is ahead of the other after all evaluations, in a sentence."""
    ahead, behind = table[table["bea"] < table["mean"]], table[table["bea"] > table["mean"]]
    sure = [(side["p_holm"] < SIGNIFICANT).sum() for side in (ahead, behind)]
    return (
        f"<p>After all evaluations BEA is ahead of {name} on {len(ahead)} of {len(table)} "
        f"functions ({sure[0]} of them significantly), and behind on {len(behind)} "
        f"({sure[1]} significantly).</p>"
    )


def _final_table(title: str, ours: str, found: dict[str, pd.DataFrame], note: str) -> str:
    """Final f of BEA and of the others, and whether they differ."""
    tables = {name: table.set_index("function") for name, table in found.items()}
    if not tables:
        return ""
    bea = (
        pd.concat([table["bea"] for table in tables.values()]).groupby(level=0, sort=False).first()
    )
    headings, columns = ["final f", ours], [list(bea.index), [number(f) for f in bea]]
    for name, table in tables.items():
        there = table.reindex(bea.index)
        headings += [name, "Holm"]
        columns += [[number(f) for f in there["mean"]], [p_text(p) for p in there["p_holm"]]]
    table = page.Table(title, headings, list(zip(*columns, strict=True)))
    return table.html + page.note(note)


def _equal_time_table(name: str, by_time: Sequence[pd.DataFrame]) -> str:
    """A line per function and evaluation time."""
    headings = ["function, evaluation", "time", "BEA then", f"{name} then", "Holm"]
    headings += ["by the paper's cost", "BEA then", f"{name} then", "Holm"]
    lines = [
        [
            f"{c.function}, {c.evaluation_time:g} s",
            percent(c.time), number(c.bea_then), number(c.mean_then), p_text(c.p_equal_time_holm),
            percent(c.paper_cost_time), number(c.paper_cost_bea_then),
            number(c.paper_cost_mean_then), p_text(c.p_paper_cost_holm),
        ]
        for same in zip(*(table.itertuples() for table in by_time), strict=True)
        for c in same
    ]  # fmt: skip
    note = (
        f"Time: BEA's computation time over {name}'s, if an evaluation takes so long; beside it f "
        "of both when the first of the two is done, to within "
        f"{EVERY} evaluations. {page.PAPERS_COST}"
    )
    return page.Table(f"BEA and {name} at equal time", headings, lines).html + page.note(note)


def _means(results: Results, functions: Sequence[tuple[str, ...]]) -> str:
    """Mean, deviation and median of f after several numbers of evaluations."""
    at = marks_within(MARKS, results.settings["evaluations"])
    lines = [
        [f"{function}, {name}", *cells, f"{np.median(best[:, -1]):.4g}",
         f"{np.mean([run.overhead[-1] for run in runs]):.2f}"]
        for (function,), name, runs, cells, best in page.means(results, functions, at)
    ]  # fmt: skip
    headings = ["f, mean ± deviation", *(f"after {n}" for n in at), "median", "overhead (s)"]
    return pages.table(headings, lines)
