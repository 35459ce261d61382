# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of BEA with another algorithm in each case: means, ratios, significance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from bea_ros.studies.engine.results import Array, Result, Results
from bea_ros.studies.engine.statistics import (
    at_equal_time,
    holm,
    mann_whitney,
    ratio,
    signed_rank,
)

Test = Callable[[Sequence[float], Sequence[float]], float]

COLUMNS = (
    "case", "other", "evaluation_time", "bea_runs", "runs", "bea", "mean", "ratio", "p", "p_holm",
    "time", "p_time", "bea_then", "mean_then", "equal_time", "p_equal_time", "p_equal_time_holm",
    "paper_cost_time", "paper_cost_bea_then", "paper_cost_mean_then", "p_paper_cost",
    "p_paper_cost_holm",
)  # fmt: skip


def compare(results: Results, other: str, evaluation_time: float) -> pd.DataFrame:
    """BEA and `other` in every case with finished runs of both; `evaluation_time` is in s.

    `bea` and `mean` are the mean best values at the end of `bea_runs` and `runs` runs, `ratio` is
    their ratio, `p` that of the difference, `p_holm` corrected over the cases. `time` is the ratio
    of computation times, with `p_time`. `bea_then`, `mean_then`, `equal_time`, `p_equal_time` and
    `p_equal_time_holm` are the same for the values when the first of the two has finished, on
    average; `paper_cost_*` are these with `Result.papers_overhead`. A ratio is NaN if a mean is
    not above 0. Tests are two-sided: Wilcoxon's signed-rank test if runs share their seeds, else
    Mann-Whitney's.
    """
    test = signed_rank if other in results.shared else mann_whitney
    switch = results.settings.get("switch", 0)
    rows = [
        (case, other, evaluation_time, *_compare(bea, rest, evaluation_time, switch, test))
        for case, bea, rest in results.pairs("bea", other)
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in ("p", "p_equal_time", "p_paper_cost"):
        table[f"{name}_holm"] = holm(table[name])
    return table


def _compare(
    bea: Sequence[Result], rest: Sequence[Result], evaluation_time: float, switch: int, test: Test
) -> tuple:
    ours, theirs = ([run.final for run in runs] for runs in (bea, rest))
    ends, then = _timed(bea, rest, lambda run: run.times(evaluation_time))
    as_paper, then_there = _timed(bea, rest, lambda run: run.papers_times(evaluation_time, switch))
    return (
        *(len(bea), len(rest), np.mean(ours), np.mean(theirs), ratio(ours, theirs)),
        *(test(ours, theirs), np.nan, ratio(*ends), test(*ends)),
        *(np.mean(then[0]), np.mean(then[1]), ratio(*then), test(*then), np.nan),
        *(ratio(*as_paper), np.mean(then_there[0]), np.mean(then_there[1])),
        *(test(*then_there), np.nan),
    )


def _timed(
    bea: Sequence[Result], rest: Sequence[Result], clock: Callable[[Result], Array]
) -> tuple[list[list[float]], tuple[list[float], list[float]]]:
    """End times (s) of the runs of both by a clock, and their values at equal time."""
    timed = [[(clock(run), run.best) for run in runs] for runs in (bea, rest)]
    ends = [[float(moments[-1]) for moments, _ in runs] for runs in timed]
    if not np.isfinite(ends[0] + ends[1]).all():  # an algorithm that is not in the paper
        return ends, ([np.nan] * len(bea), [np.nan] * len(rest))
    return ends, at_equal_time(*timed)
