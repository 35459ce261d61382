# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of the runs by method."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from bea_ros.studies.engine.statistics import holm, mann_whitney
from bea_ros.studies.optimizers.measure import OVERHEAD_AT

MARKS = (250, 500, 1000, 1500)  # evaluations after which tables show the best value
OVERHEADS = [f"overhead_ms_{n}" for n in OVERHEAD_AT]


def marks_of(evaluations: int) -> list[str]:
    """Columns of the best values at the marks within a budget, including its end."""
    return [f"f_{n}" for n in (*(n for n in MARKS if n < evaluations), evaluations)]


def columns(evaluations: int) -> list[str]:
    """Columns of the table after a run's key, for runs of this many evaluations."""
    return [
        "evaluations", *marks_of(evaluations), *OVERHEADS, "overhead_s", "peak_mib", "error",
    ]  # fmt: skip


def line(outcome: Mapping[str, Any]) -> list[Any]:
    """Values of `columns` for a result of `measure.carry_out`."""
    best, overhead = outcome["best"], outcome["overhead"]
    marks = [int(name[2:]) for name in marks_of(outcome["evaluations"])]
    values = [best[n - 1] if n <= len(best) else math.nan for n in marks]
    values += [1000 * overhead.get(str(n), math.nan) for n in OVERHEAD_AT]
    return [
        outcome["n"], *(f"{v:.8g}" if math.isfinite(v) else "" for v in values),
        f"{outcome['total']:.4f}", f"{outcome['peak_mib']:.1f}", outcome["error"],
    ]  # fmt: skip


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """A study's table with text converted to numbers; NaN after the end of a run that was cut."""
    words = ["function", "method", "error"]
    return table[words].join(table.drop(columns=words).apply(pd.to_numeric))


def summary(runs: pd.DataFrame, methods: Iterable[str], function: str) -> pd.DataFrame:
    """A row per method with runs on the function; a mean is over runs that got that far.

    `cut` has the evaluations at which runs were cut. `p_holm` compares the values at the end with
    BEA's, corrected over the methods.
    """
    runs = runs[runs["function"] == function]
    marks = [name for name in runs if name.startswith("f_")]
    groups = runs.groupby("method")
    found = groups[[*marks, *OVERHEADS, "overhead_s"]].mean()
    found.insert(0, "runs", groups.size())
    found["peak_mib"] = groups["peak_mib"].max()
    ends = {name: group[marks[-1]].dropna() for name, group in groups}
    p = [math.nan if n == "bea" else mann_whitney(ends.get("bea", ()), e) for n, e in ends.items()]
    found["p_holm"] = holm(p)
    cut = runs[runs[marks[-1]].isna()].groupby("method")["evaluations"].agg(["min", "max"])
    spans = {row[0]: f"n={row[1]}" + (f"-{row[2]}" if row[2] > row[1] else "")
             for row in cut.itertuples()}  # fmt: skip
    found["cut"] = [spans.get(name, "") for name in found.index]
    return found.loc[[name for name in methods if name in found.index]]
