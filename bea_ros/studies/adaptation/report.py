# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A table of the evaluations that a method needs for 90 % of a fresh BEA's final fitness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import gmean

from bea_ros.studies.adaptation.plan import FRESH
from bea_ros.studies.engine import page
from bea_ros.studies.engine.data import write_table
from bea_ros.studies.engine.results import Result, Results

TITLE = "Adaptation"
SHARE = 0.9  # of a fresh BEA's final fitness
SHOWN = (1, 5, 10, 20)  # evaluations
WITHIN = 10
TITLES = {
    FRESH: "fresh BEA",
    "prior": "--prior",
    "unsimulated": "--no-learned-world",
    "ordered": "best in order",
    "nature": "Nature paper's",
    "warm": "warm start",
    "misled": "--prior, misleading",
}
NEVER = 10**6  # evaluations


def write(folder: Path, results: Results) -> Path:
    """Print the tables, write them as CSV and as report.html; returns the page's path."""
    parts = []
    for name, damaged in (("physics", False), ("damage", True)):
        cases = [case for case in results.cases if (case[2] != "physics") == damaged]
        if not cases:
            continue
        summary = summarised(results, cases)
        write_table(folder / f"{name}.csv", summary)
        table = page.Table(name, list(summary), summary.astype(str).values.tolist())
        table.show()
        parts.append(table.html)
    s = results.settings
    lead = (
        f"Evaluations until {SHARE:.0%} of what a fresh BEA has after {s['evaluations']} in the "
        f"same world, and the best after some, over that: geometric means; >{s['trials']}: never"
    )
    return page.write(folder, TITLE, lead, *parts)


def summarised(results: Results, cases: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    """A line per method: results over these cases."""
    trials = results.settings["trials"]
    shown, soon = [n for n in SHOWN if n <= trials], min(WITHIN, trials)
    rows = []
    for name in results.algorithms:
        pairs = list(_pairs(results, cases, name))
        if not pairs:
            continue
        needed = [needed_by(run, SHARE * fresh.final) for run, fresh in pairs]
        shares = [
            gmean([max(run.after(n) / fresh.final, 1e-3) for run, fresh in pairs]) for n in shown
        ]
        median, longest = float(np.median(needed)), max(len(run.best) for run, _ in pairs)
        rows.append([
            TITLES[name], len(pairs), f"{median:g}" if median <= longest else f">{longest}",
            f"{np.mean([n <= soon for n in needed]):.0%}", *(f"{share:.2f}" for share in shares),
        ])  # fmt: skip
    columns = ["method", "runs", "median to 90 %", f"within {soon}"]
    return pd.DataFrame(rows, columns=[*columns, *(f"after {n}" for n in shown)])


def _pairs(
    results: Results, cases: Sequence[tuple[str, ...]], name: str
) -> Iterator[tuple[Result, Result]]:
    """Runs of a method with the fresh BEA's of the same world, if that has a fitness above 0."""
    for case in cases:
        fresh = {run.repetition: run for run in results.of(case, FRESH)}
        for run in results.of(case, name):
            if run.repetition in fresh and fresh[run.repetition].final > 0:
                yield run, fresh[run.repetition]


def needed_by(run: Result, fitness: float) -> int:
    """Evaluations until the best reaches `fitness`; NEVER if it does not."""
    there = np.flatnonzero(run.best >= fitness)
    return int(run.evaluation[there[0]]) if there.size else NEVER
