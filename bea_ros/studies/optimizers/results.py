# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the runs came to, method by method."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bea_ros.studies.engine.statistics import holm, mann_whitney
from bea_ros.studies.optimizers.measure import OVERHEAD_AT

Outcome = dict[str, Any]  # of a run, as `measure.carry_out` returns it

MARKS = (250, 500, 1000, 1500)  # evaluations after which the best value is looked at


def marks_of(evaluations: int) -> list[int]:
    """The marks within a budget, its end among them."""
    return [n for n in MARKS if n < evaluations] + [evaluations]


def best_at(result: Outcome, evaluation: int) -> float:
    """Best f after so many evaluations; NaN where the run was cut before."""
    return result["best"][evaluation - 1] if result["n"] >= evaluation else math.nan


@dataclass(frozen=True)
class Row:
    """A method on a function: means over its runs.

    `best` is over the runs that came to the mark, NaN if none did; `overhead` in s per ask after
    so many evaluations, `total` in s; `cut` are the numbers of evaluations at which runs were cut
    and `cut_best` what was best there, NaN where the CSV file alone is left; `p_holm` compares
    the values at the end with BEA's, corrected over the methods.
    """

    function: str
    method: str
    runs: int
    best: dict[int, float]
    overhead: dict[int, float]
    total: float
    peak_mib: float
    cut: tuple[int, ...]
    cut_best: float
    p_holm: float
    errors: tuple[str, ...]


def table(results: Sequence[Outcome], methods: Iterable[str], function: str) -> list[Row]:
    """One row per method that has runs on the function."""
    by_method = {
        method: [r for r in results if (r["function"], r["method"]) == (function, method)]
        for method in methods
    }
    by_method = {method: runs for method, runs in by_method.items() if runs}
    ours = _finals(by_method.get("bea", []))
    p = holm(
        [
            math.nan if method == "bea" else mann_whitney(ours, _finals(runs))
            for method, runs in by_method.items()
        ]
    )
    return [
        _row(function, method, runs, float(corrected))
        for (method, runs), corrected in zip(by_method.items(), p, strict=True)
    ]


def _finals(runs: Sequence[Outcome]) -> list[float]:
    return [run["best"][-1] for run in runs if run["n"] == run["evaluations"]]


def _row(function: str, method: str, runs: Sequence[Outcome], p: float) -> Row:
    cut = [run for run in runs if run["n"] < run["evaluations"]]
    marks = marks_of(runs[0]["evaluations"])
    return Row(
        function=function,
        method=method,
        runs=len(runs),
        best={n: _mean([best_at(run, n) for run in runs]) for n in marks},
        overhead={n: _mean([run["overhead"].get(str(n), math.nan) for run in runs])
                  for n in OVERHEAD_AT},
        total=_mean([run["total"] for run in runs]),
        peak_mib=max(run["peak_mib"] for run in runs),
        cut=tuple(sorted(run["n"] for run in cut)),
        cut_best=_mean([run["best"][-1] for run in cut if run["best"]]),
        p_holm=p,
        errors=tuple(dict.fromkeys(run["error"] for run in runs if run["error"])),
    )  # fmt: skip


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return float(np.mean(known)) if known else math.nan


def key_of(result: Outcome) -> tuple[str, str, int]:
    """Function, method and seed of a run."""
    return result["function"], result["method"], result["seed"]


def columns(evaluations: int) -> list[str]:
    """Those of the table behind a run's key, for runs that were to have so many evaluations."""
    return [
        "evaluations", *(f"f_{n}" for n in marks_of(evaluations)),
        *(f"overhead_ms_{n}" for n in OVERHEAD_AT), "overhead_s", "peak_mib", "error",
    ]  # fmt: skip


def line(result: Outcome) -> list[Any]:
    """Its values of `columns`."""
    values = [best_at(result, n) for n in marks_of(result["evaluations"])]
    values += [1000 * result["overhead"].get(str(n), math.nan) for n in OVERHEAD_AT]
    return [
        result["n"], *(f"{v:.8g}" if math.isfinite(v) else "" for v in values),
        f"{result['total']:.4f}", f"{result['peak_mib']:.1f}", result["error"],
    ]  # fmt: skip


def load(table: pd.DataFrame, evaluations: int) -> list[Outcome]:
    """The runs of a study's table; between the marks `best` is NaN."""
    return [_result(row, evaluations) for row in table.to_dict("records")]


def _result(row: Mapping[Any, str], evaluations: int) -> Outcome:
    n = int(row["evaluations"])
    best = np.full(n, math.nan)
    for mark in marks_of(evaluations):
        if row[f"f_{mark}"]:
            best[mark - 1] = float(row[f"f_{mark}"])
    ms = {str(at): row[f"overhead_ms_{at}"] for at in OVERHEAD_AT}
    return {
        "function": row["function"], "method": row["method"], "seed": int(row["seed"]),
        "evaluations": evaluations, "n": n, "best": best.tolist(),
        "overhead": {at: float(value) / 1000 for at, value in ms.items() if value},
        "total": float(row["overhead_s"]), "peak_mib": float(row["peak_mib"]),
        "error": row["error"],
    }  # fmt: skip
