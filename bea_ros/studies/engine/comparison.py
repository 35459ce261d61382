# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compares BEA with another algorithm, in each case and over all: means, ratios, significance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bea_ros.studies.engine.results import Array, Result, Results
from bea_ros.studies.engine.statistics import (
    SIGNIFICANT,
    at_equal_time,
    holm,
    interval,
    mann_whitney,
    mean_ratio,
    permutation,
    ratio,
    signed_rank,
)

Runs = Sequence[Result]
Samples = tuple[list[float], list[float]]  # values of BEA's runs and of the other's
Test = Callable[[ArrayLike, ArrayLike], float]

COLUMNS = (
    "case", "other", "evaluation_time", "bea_runs", "runs", "bea", "mean", "ratio", "p", "p_holm",
    "time", "p_time", "bea_then", "mean_then", "equal_time", "p_equal_time", "p_equal_time_holm",
    "paper_cost_time", "paper_cost_bea_then", "paper_cost_mean_then", "p_paper_cost",
    "p_paper_cost_holm",
)  # fmt: skip
STANDING = [
    "other", "when", "cases", "ratio", "low", "high", "p", "ahead", "surely_ahead", "behind",
    "surely_behind",
]  # fmt: skip
SEED = 1  # of the draws of bootstrap and permutations


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
    test = _test_of(results, other)
    switch = results.settings.get("switch", 0)
    rows = [
        (case, other, evaluation_time, *_compare(bea, rest, evaluation_time, switch, test))
        for case, bea, rest in results.pairs("bea", other)
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in ("p", "p_equal_time", "p_paper_cost"):
        table[f"{name}_holm"] = holm(table[name])
    return table


def _test_of(results: Results, other: str) -> Test:
    return signed_rank if other in results.shared else mann_whitney


def _compare(bea: Runs, rest: Runs, evaluation_time: float, switch: int, test: Test) -> tuple:
    ours, theirs = _at_the_end(bea, rest)
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
    bea: Runs, rest: Runs, clock: Callable[[Result], Array]
) -> tuple[list[list[float]], Samples]:
    """End times (s) of the runs of both by a clock, and their values at equal time."""
    timed = [[(clock(run), run.best) for run in runs] for runs in (bea, rest)]
    ends = [[float(moments[-1]) for moments, _ in runs] for runs in timed]
    if not np.isfinite(ends[0] + ends[1]).all():  # an algorithm that is not in the paper
        return ends, ([np.nan] * len(bea), [np.nan] * len(rest))
    return ends, at_equal_time(*timed)


def _at_the_end(bea: Runs, rest: Runs) -> Samples:
    return [run.final for run in bea], [run.final for run in rest]


def _at_equal_time(seconds: float) -> Callable[[Runs, Runs], Samples]:
    """Values when the first of the two has finished, on average; evaluations take `seconds`."""
    return lambda bea, rest: _timed(bea, rest, lambda run: run.times(seconds))[1]


def standings(results: Results, other: str, evaluation_times: Sequence[float]) -> pd.DataFrame:
    """BEA over another algorithm in all `cases`, at the end and at equal time; `when` says which.

    `evaluation_times` are in s. `ratio` is the geometric mean over the cases of the ratio of mean
    fitnesses, over cases with means above 0. `low` and `high` are the ends of its 95 % interval by
    a bootstrap clustered by case, and `p` is that of a permutation within each case (see
    `statistics`). BO and BEA share their first evaluations, so their runs are pairs. `surely_*`
    count the cases with p < 0.05, corrected over them (Holm).
    """
    rows = [_standing(results, other, "at the end", _at_the_end)]
    for seconds in evaluation_times:
        when = f"at equal time, evaluations of {seconds:g} s"
        rows.append(_standing(results, other, when, _at_equal_time(seconds)))
    return pd.DataFrame(rows, columns=STANDING)


def standing_after(
    results: Results, other: str, ours_after: int, theirs_after: int
) -> pd.DataFrame:
    """As `standings`: BEA after `ours_after` evaluations, the other after `theirs_after`."""
    when = f"after {ours_after} evaluations, the other after {theirs_after}"

    def fitness(bea: Runs, rest: Runs) -> Samples:
        return [run.after(ours_after) for run in bea], [run.after(theirs_after) for run in rest]

    return pd.DataFrame([_standing(results, other, when, fitness)], columns=STANDING)


def _standing(
    results: Results, other: str, when: str, fitness: Callable[[Runs, Runs], Samples]
) -> tuple:
    """A row of `standings`, from the `fitness` of both algorithms' runs in each case."""
    test, shared = _test_of(results, other), other in results.shared
    found = [fitness(bea, rest) for _, bea, rest in results.pairs("bea", other)]
    cases = [(np.array(ours), np.array(theirs)) for ours, theirs in found]
    gap = np.array([ours.mean() - theirs.mean() for ours, theirs in cases])
    sure = holm([test(*case) for case in cases]) < SIGNIFICANT
    counts = (
        int(np.sum(which)) for which in (gap > 0, (gap > 0) & sure, gap < 0, (gap < 0) & sure)
    )
    rng = np.random.default_rng(SEED)
    low, high = interval(cases, shared, rng)
    p = permutation(cases, shared, rng)
    return other, when, len(cases), mean_ratio(cases), low, high, p, *counts
