# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study's page: tables and pictures, from the CSV files alone."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bea_ros.report import style
from bea_ros.studies.functions import figures
from bea_ros.studies.functions.comparison import (
    Comparison,
    compare,
)
from bea_ros.studies.functions.plan import LABELS, TRANSFERS
from bea_ros.studies.functions.problems import GROUPS
from bea_ros.studies.functions.results import EVERY, Results
from bea_ros.studies.statistics import SIGNIFICANT, p_text, resample
from bea_ros.studies.study_files import write_records
from bea_ros.system.files import replace_file

TITLE = "BO, EA and BEA on synthetic functions"
GROUP_TITLES = {
    "authors": "Domains of the authors' code",
    "authors-shifted": "Domains of the authors' code, optimum shifted off the centre",
    "textbook": "Textbook domains",
    "textbook-shifted": "Textbook domains, optimum shifted off the centre",
    "rotated": "Rotated and shifted",
}
MARKS = (50, 100, 250, 500, 1000)


def write(folder: Path, results: Results, evaluation_times: Sequence[float]) -> Path:
    """Write report.html, the figures as SVG, and comparison.csv; returns the page's path."""
    comparisons = {
        other: [compare(results, other, seconds) for seconds in evaluation_times]
        for other in LABELS
        if other != "bea" and {other, "bea"} <= set(results.algorithms)
    }
    write_records(
        folder / "comparison.csv",
        Comparison,
        [c for by_time in comparisons.values() for rows in by_time for c in rows],
    )
    tables = "".join(
        _comparison_table(other, by_time)
        for other, by_time in comparisons.items()
        if other not in TRANSFERS and by_time[0]
    )
    by_transfer = {name: by_time[0] for name, by_time in comparisons.items() if name in TRANSFERS}
    sections = "".join(
        _group(folder, results, group, evaluation_times)
        for group in GROUPS
        if _functions_of(results, group)
    )
    body = style.facts(_facts(results)) + tables + _transfer_table(by_transfer) + sections
    path = folder / "report.html"
    replace_file(path, style.page(TITLE, _lead(results), body))
    return path


def _functions_of(results: Results, group: str) -> list[str]:
    return [name for name in results.functions if name in GROUPS[group]]


def _group(folder: Path, results: Results, group: str, times: Sequence[float]) -> str:
    functions = _functions_of(results, group)
    shades = "Mean over the runs; shades are two standard deviations (95.45 %)."
    pictures = {
        "evaluations": (
            "Objective and overhead over evaluations",
            f"{shades} Overhead is CPU time on one core.",
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
            f"other. {shades}",
            figures.transfers(results, functions),
        ),
        "time": (
            "Objective over computation time",
            f"{shades} Purple: BEA's switch.",
            figures.objective_over_time(results, functions, times),
        ),
    }
    shown = [f"<h1>{html.escape(GROUP_TITLES[group])}</h1>", _means(results, functions)]
    for name, (title, note, figure) in pictures.items():
        section = style.picture(title, figure, note)  # drawing takes a second: once is enough
        drawn = section[section.index("<svg") : section.rindex("</section>")]
        replace_file(folder / "figures" / f"{group}-{name}.svg", drawn)
        shown.append(section)
    return "".join(shown)


def _lead(results: Results) -> str:
    s = results.settings
    return (
        f"d = {s['dimension']}, {s['evaluations']} evaluations, BEA's switch after "
        f"{s['switch']}, {s['profile']} profile, {s['repetitions']} repetitions; f is minimised "
        "and 0 at the optimum"
    )


def _facts(results: Results) -> dict[str, str]:
    s = results.settings
    planned = len(s["functions"]) * len(s["algorithms"]) * s["repetitions"]
    overhead = sum(float(run.overhead[-1]) for run in results.results)
    return {
        "runs finished": f"{len(results.results)} of {planned}",
        "overhead in all": f"{overhead / 60:.1f} CPU min",
        **{name: version for name, version in results.versions.items() if version},
    }


def _comparison_table(other: str, by_time: Sequence[Sequence[Comparison]]) -> str:
    """A line per function; `by_time` has the comparisons of one evaluation time each."""
    name, first = LABELS[other], by_time[0]
    headings = ["final f", "runs", "BEA", name, "p", "Holm"]
    for rows in by_time:
        seconds = f"{rows[0].evaluation_time:g} s"
        headings += [f"time, {seconds}", "BEA then", f"{name} then", "Holm"]
    lines = []
    for same in zip(*by_time, strict=True):
        c = same[0]
        line = [
            c.function,
            str(c.runs),
            f"{c.bea:.4g}",
            f"{c.mean:.4g}",
            p_text(c.p),
            p_text(c.p_holm),
        ]
        for timed in same:
            then = timed.bea_then, timed.mean_then
            line += [
                f"{100 * timed.time:.0f} %",
                *(f"{f:.4g}" if math.isfinite(f) else "-" for f in then),
                p_text(timed.p_equal_time_holm),
            ]
        lines.append(line)
    ahead = [c for c in first if c.bea < c.mean]
    behind = [c for c in first if c.bea > c.mean]
    said = (
        f"<p>After all evaluations BEA is ahead of {name} on {len(ahead)} of {len(first)} "
        f"functions ({_sure(ahead)} of them significantly), and behind on {len(behind)} "
        f"({_sure(behind)} significantly).</p>"
    )
    note = (
        "<p class=note>Means over the runs, lower is better. p: two-sided Mann-Whitney test; "
        f"Holm: corrected over the functions, significant below {SIGNIFICANT:g}. Time: BEA's "
        f"computation time over {name}'s, if an evaluation takes so long; beside it f of both "
        f"when the first of the two is done, to within {EVERY} evaluations.</p>"
    )
    return f"<h2>BEA and {name}</h2>{said}{style.table(headings, lines)}{note}"


def _transfer_table(found: dict[str, list[Comparison]]) -> str:
    """Final f after each transfer, and whether S4 differs from it."""
    if not found or not any(found.values()):
        return ""
    by_function = {name: {c.function: c for c in rows} for name, rows in found.items()}
    headings = ["final f", "S4"]
    for name in by_function:
        headings += [TRANSFERS[name], "Holm"]
    functions = dict.fromkeys(function for rows in by_function.values() for function in rows)
    lines = []
    for function in functions:
        there = [rows.get(function) for rows in by_function.values()]
        line = [function, next(f"{c.bea:.4g}" for c in there if c)]
        for c in there:
            line += [f"{c.mean:.4g}", p_text(c.p_holm)] if c else ["-", "-"]
        lines.append(line)
    note = (
        "<p class=note>Mean final f of BEA after each transfer. Holm: p of S4 against it, "
        "corrected over the functions.</p>"
    )
    return f"<h2>Transfers</h2>{style.table(headings, lines)}{note}"


def _means(results: Results, functions: Sequence[str]) -> str:
    """Mean, deviation and median of f after some numbers of evaluations."""
    last = results.settings["evaluations"]
    at = [n for n in MARKS if n < last] + [last]
    lines = []
    for function in functions:
        for name in results.algorithms:
            runs = results.of(function, name)
            if not runs:
                continue
            best = np.array([resample(run.evaluation, run.best, at) for run in runs])
            deviation = best.std(axis=0, ddof=1) if len(runs) > 1 else 0 * best[0]
            cells = [
                f"{m:.4g} ± {d:.2g}" for m, d in zip(best.mean(axis=0), deviation, strict=True)
            ]
            seconds = np.mean([run.overhead[-1] for run in runs])
            lines.append(
                [f"{function}, {LABELS[name]}", *cells, f"{np.median(best[:, -1]):.4g}",
                 f"{seconds:.2f}"]
            )  # fmt: skip
    headings = ["f, mean ± deviation", *(f"after {n}" for n in at), "median", "overhead (s)"]
    return style.table(headings, lines)


def _sure(comparisons: Sequence[Comparison]) -> int:
    return sum(c.p_holm < SIGNIFICANT for c in comparisons)
