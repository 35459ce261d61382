# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compares BEA with another algorithm, in each case and over all: means, ratios, significance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import methodcaller

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bea_ros.studies.engine.results import Array, Result, Results
from bea_ros.studies.engine.statistics import (
    SIGNIFICANT,
    holm,
    interval,
    mann_whitney,
    mean_ratio,
    permutation,
    ratio,
    resample,
    signed_rank,
)

Runs = Sequence[Result]
Samples = tuple[list[float], list[float]]  # values of BEA's runs and of the other's
Test = Callable[[ArrayLike, ArrayLike], float]

STANDING = [
    "other", "when", "cases", "ratio", "low", "high", "p", "ahead", "surely_ahead", "behind",
    "surely_behind",
]  # fmt: skip
SEED = 1  # of the draws of bootstrap and permutations


def compare(results: Results, other: str, evaluation_time: float) -> pd.DataFrame:
    """BEA and `other` in every case (at least one) with finished runs of both.

    `evaluation_time` is in s. `bea` and `mean` are the mean best values at the end of `bea_runs`
    and `runs` runs, `ratio` is their ratio, `p` that of the difference, `p_holm` corrected over
    the cases. `time` is the ratio of computation times, with `p_time`. `bea_then`, `mean_then`,
    `equal_time`, `p_equal_time` and `p_equal_time_holm` are the same for the values when the first
    of the two has finished, on average; `paper_cost_*` are these with `Result.papers_overhead`. A
    ratio is NaN if a mean is not above 0. Tests are two-sided: Wilcoxon's signed-rank test if runs
    share their seeds, else Mann-Whitney's.
    """
    test = _test_of(results, other)
    switch = results.settings.get("switch", 0)
    rows = [
        {"case": case, "other": other, "evaluation_time": evaluation_time}
        | _compared(bea, rest, evaluation_time, switch, test)
        for case, bea, rest in results.pairs("bea", other)
    ]
    table = pd.DataFrame(rows)
    for name in ("p", "p_equal_time", "p_paper_cost"):
        table[f"{name}_holm"] = holm(table[name])
    return table


def _test_of(results: Results, other: str) -> Test:
    return signed_rank if other in results.shared else mann_whitney


def _compared(
    bea: Runs, rest: Runs, evaluation_time: float, switch: int, test: Test
) -> dict[str, float]:
    """The columns of `compare` for the runs of one case."""
    ends, then = _timed(bea, rest, lambda run: run.times(evaluation_time))
    on_paper, there = _timed(bea, rest, lambda run: run.papers_times(evaluation_time, switch))
    return {
        **{"bea_runs": len(bea), "runs": len(rest), "time": ratio(*ends), "p_time": test(*ends)},
        **_beside(_final(bea, rest), test, "bea", "mean", "ratio", "p"),
        **_beside(then, test, "bea_then", "mean_then", "equal_time", "p_equal_time"),
        "paper_cost_time": ratio(*on_paper),
        **_beside(there, test, "paper_cost_bea_then", "paper_cost_mean_then",
                  "paper_cost_equal_time", "p_paper_cost"),
    }  # fmt: skip


def _beside(samples: Samples, test: Test, *names: str) -> dict[str, float]:
    """Both means, their ratio, and p of the difference, by name."""
    ours, theirs = samples
    means = float(np.mean(ours)), float(np.mean(theirs))
    return dict(zip(names, (*means, ratio(ours, theirs), test(ours, theirs)), strict=True))


def _final(bea: Runs, rest: Runs) -> Samples:
    """Values at the end."""
    return [run.final for run in bea], [run.final for run in rest]


def _timed(
    bea: Runs, rest: Runs, clock: Callable[[Result], Array]
) -> tuple[list[list[float]], Samples]:
    """End times (s) of the runs of both by a clock, and their values at equal time: when the first
    of the two has finished, on average; NaN before a run's first time.
    """
    ends = [[float(clock(run)[-1]) for run in runs] for runs in (bea, rest)]
    if not np.isfinite(ends[0] + ends[1]).all():  # an algorithm that is not in the paper
        return ends, ([np.nan] * len(bea), [np.nan] * len(rest))
    first = min(np.mean(ends[0]), np.mean(ends[1]))
    ours, theirs = (
        [float(resample(clock(run), run.best, first)) for run in runs] for runs in (bea, rest)
    )
    return ends, (ours, theirs)


def standings(results: Results, other: str, evaluation_times: Sequence[float]) -> pd.DataFrame:
    """BEA over another algorithm in all `cases`, at the end and at equal time; `when` says which.

    `evaluation_times` are in s. `ratio` is the geometric mean over the cases of the ratio of mean
    fitnesses, over cases with means above 0. `low` and `high` are the ends of its 95 % interval by
    a bootstrap clustered by case, and `p` is that of a permutation within each case (see
    `statistics`). BO and BEA share their first evaluations, so their runs are pairs. `surely_*`
    count the cases with p < 0.05, corrected over them (Holm).
    """
    pairs = [(bea, rest) for _, bea, rest in results.pairs("bea", other)]
    rows = [_standing(results, other, "at the end", [_final(*pair) for pair in pairs])]
    for seconds in evaluation_times:
        then = [_timed(*pair, methodcaller("times", seconds))[1] for pair in pairs]
        when = f"at equal time, evaluations of {seconds:g} s"
        rows.append(_standing(results, other, when, then))
    return pd.DataFrame(rows, columns=STANDING)


def standing_after(
    results: Results, other: str, ours_after: int, theirs_after: int
) -> pd.DataFrame:
    """As `standings`: BEA after `ours_after` evaluations, the other after `theirs_after`."""
    when = f"after {ours_after} evaluations, the other after {theirs_after}"
    found = [
        ([run.after(ours_after) for run in bea], [run.after(theirs_after) for run in rest])
        for _, bea, rest in results.pairs("bea", other)
    ]
    return pd.DataFrame([_standing(results, other, when, found)], columns=STANDING)


def _standing(results: Results, other: str, when: str, found: Sequence[Samples]) -> tuple:
    """A row of `standings`, from the fitness of both algorithms' runs in each case."""
    test, shared = _test_of(results, other), other in results.shared
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
