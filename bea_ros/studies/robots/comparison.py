# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compares BEA with another algorithm over all cases, and in each with the paper's ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from bea_ros.report.paper import FITNESS_RATIOS, TIME_RATIOS
from bea_ros.studies.engine import comparison
from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.engine.statistics import (
    SIGNIFICANT,
    at_equal_time,
    holm,
    interval,
    mann_whitney,
    mean_ratio,
    permutation,
    signed_rank,
)

Runs = Sequence[Result]
Samples = tuple[list[float], list[float]]  # fitness of BEA's runs and of the other's

COLUMNS = [
    "robot", "task", "other", "evaluation_time", "bea_runs", "runs", "bea", "mean", "fitness", "p",
    "p_holm", "time", "p_time", "bea_then", "mean_then", "equal_time", "p_equal_time",
    "paper_cost_time", "paper_cost_bea_then", "paper_cost_mean_then", "p_paper_cost",
    "paper_fitness", "paper_time",
]  # fmt: skip
SEED = 1  # of the draws of bootstrap and permutations
STANDING = [
    "other", "when", "cases", "ratio", "low", "high", "p", "ahead", "surely_ahead", "behind",
    "surely_behind",
]  # fmt: skip


def compare(results: Results, other: str, evaluation_time: float) -> pd.DataFrame:
    """As the engine's `compare`, with the paper's ratios (NaN for cases that it lacks)."""
    table = comparison.compare(results, other, evaluation_time)
    cases = table["case"]
    return table.assign(
        robot=cases.str[0],
        task=cases.str[1],
        fitness=table["ratio"],
        paper_fitness=[FITNESS_RATIOS.get(other, {}).get(case, math.nan) for case in cases],
        paper_time=[TIME_RATIOS.get(other, {}).get(case, math.nan) for case in cases],
    )[COLUMNS]


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
        rows.append(_standing(results, other, when, partial(_at_equal_time, seconds)))
    return pd.DataFrame(rows, columns=STANDING)


def standing_after(
    results: Results, other: str, ours_after: int, theirs_after: int
) -> pd.DataFrame:
    """As `standings`: BEA after `ours_after` evaluations, the other after `theirs_after`."""
    when = f"after {ours_after} evaluations, the other after {theirs_after}"

    def fitness(bea: Runs, rest: Runs) -> Samples:
        return [run.after(ours_after) for run in bea], [run.after(theirs_after) for run in rest]

    return pd.DataFrame([_standing(results, other, when, fitness)], columns=STANDING)


def _at_the_end(bea: Runs, rest: Runs) -> Samples:
    return [run.final for run in bea], [run.final for run in rest]


def _at_equal_time(evaluation_time: float, bea: Runs, rest: Runs) -> Samples:
    """Fitness when the first of the two has finished, on average."""
    ours, theirs = (
        [(run.times(evaluation_time), run.best) for run in runs] for runs in (bea, rest)
    )
    return at_equal_time(ours, theirs)


def _standing(
    results: Results, other: str, when: str, fitness: Callable[[Runs, Runs], Samples]
) -> tuple:
    """A row of `standings`, from the `fitness` of both algorithms' runs in each case."""
    shared = other in results.shared
    test = signed_rank if shared else mann_whitney
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
