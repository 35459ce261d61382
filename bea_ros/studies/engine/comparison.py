# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA beside another algorithm, case by case: means, ratios and their significance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.engine.statistics import at_equal_time, holm, mann_whitney, ratio

COLUMNS = (
    "case", "other", "evaluation_time", "bea_runs", "runs", "bea", "mean", "ratio", "p", "p_holm",
    "time", "p_time", "bea_then", "mean_then", "equal_time", "p_equal_time", "p_equal_time_holm",
)  # fmt: skip


def compare(results: Results, other: str, evaluation_time: float) -> pd.DataFrame:
    """BEA and `other` in every case in which both have finished runs, evaluations of so many s.

    `bea` and `mean` are the mean best values at the end of `bea_runs` and `runs` runs, `ratio`
    is of them, `p` of the difference (two-sided Mann-Whitney) and `p_holm` corrected over the
    cases; `time` is the ratio of computation times, `p_time` the p of that difference. `bea_then`,
    `mean_then`, `equal_time`, `p_equal_time` and `p_equal_time_holm` are the same of the values
    when the first of the two is done, on average. A ratio that means nothing is NaN.
    """
    rows = [
        (case, other, evaluation_time, *_compare(bea, rest, evaluation_time))
        for case, bea, rest in pairs(results, other)
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in ("p", "p_equal_time"):
        table[f"{name}_holm"] = holm(table[name])
    return table


def pairs(results: Results, other: str) -> Iterator[tuple[tuple[str, ...], list[Any], list[Any]]]:
    """Cases in which BEA and `other` have finished runs, and these."""
    for case in results.cases:
        bea, rest = results.of(case, "bea"), results.of(case, other)
        if bea and rest:
            yield case, bea, rest


def _compare(bea: Sequence[Result], rest: Sequence[Result], evaluation_time: float) -> tuple:
    ours, theirs = ([run.final for run in runs] for runs in (bea, rest))
    timed = [[(run.times(evaluation_time), run.best) for run in runs] for runs in (bea, rest)]
    ends = [[float(times[-1]) for times, _ in runs] for runs in timed]
    then = at_equal_time(*timed)
    return (
        *(len(bea), len(rest), np.mean(ours), np.mean(theirs), ratio(ours, theirs)),
        *(mann_whitney(ours, theirs), np.nan, ratio(*ends), mann_whitney(*ends)),
        *(np.mean(then[0]), np.mean(then[1]), ratio(*then), mann_whitney(*then), np.nan),
    )
