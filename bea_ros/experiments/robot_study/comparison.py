# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA beside the other algorithms, case by case: ratios and their significance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bea_ros.experiments.robot_study.paper import FITNESS_RATIOS, TIME_RATIOS
from bea_ros.experiments.robot_study.results import Result, Results
from bea_ros.experiments.statistics import (
    geometric_mean,
    holm,
    mann_whitney,
    ratio,
    resample,
)


@dataclass(frozen=True)
class Comparison:
    """BEA over another algorithm in one case, with evaluations of `evaluation_time` s.

    `fitness` is the ratio of mean best fitness at the end, `p` of the difference (two-sided
    Mann-Whitney) and `p_holm` corrected over the cases; `time` the ratio of computation times;
    `equal_time` the ratio of fitness when BEA is done, `p_equal_time` of it. A ratio that means
    nothing (a fitness not above 0) is NaN; `paper_*` are NaN for what the paper does not have.
    """

    robot: str
    task: str
    other: str
    evaluation_time: float
    runs: int
    bea: float
    mean: float
    fitness: float
    p: float
    p_holm: float
    time: float
    equal_time: float
    p_equal_time: float
    paper_fitness: float
    paper_time: float


def compare(results: Results, other: str, evaluation_time: float) -> list[Comparison]:
    """BEA over `other` in every case in which both have finished runs."""
    found = []
    for case in results.cases:
        bea, rest = results.of(*case, "bea"), results.of(*case, other)
        if bea and rest:
            found.append(_compare(case, other, bea, rest, evaluation_time))
    corrected = holm([comparison.p for comparison in found])
    return [replace(c, p_holm=float(p)) for c, p in zip(found, corrected, strict=True)]


def _compare(
    case: tuple[str, str],
    other: str,
    bea: Sequence[Result],
    rest: Sequence[Result],
    evaluation_time: float,
) -> Comparison:
    ends = {
        name: [float(run.times(evaluation_time)[-1]) for run in runs]
        for name, runs in (("bea", bea), ("rest", rest))
    }
    done = [float(np.mean(ends["bea"]))]
    ours = [float(run.best[-1]) for run in bea]
    theirs = [float(run.best[-1]) for run in rest]
    by_then = [float(resample(run.times(evaluation_time), run.best, done)[0]) for run in rest]
    return Comparison(
        robot=case[0],
        task=case[1],
        other=other,
        evaluation_time=evaluation_time,
        runs=min(len(bea), len(rest)),
        bea=float(np.mean(ours)),
        mean=float(np.mean(theirs)),
        fitness=ratio(ours, theirs),
        p=mann_whitney(ours, theirs),
        p_holm=math.nan,
        time=ratio(ends["bea"], ends["rest"]),
        equal_time=ratio(ours, by_then),
        p_equal_time=mann_whitney(ours, by_then),
        paper_fitness=FITNESS_RATIOS.get(other, {}).get(case, math.nan),
        paper_time=TIME_RATIOS.get(other, {}).get(case, math.nan),
    )


def overall(
    results: Results, other: str, ours_after: int, theirs_after: int
) -> tuple[float, int, int]:
    """Geometric mean over the cases of BEA's best after `ours_after` evaluations over another's
    after `theirs_after`; the cases it is over; in how many of them BEA is level or ahead.
    """
    ratios, level = [], 0
    for case in results.cases:
        bea, rest = results.of(*case, "bea"), results.of(*case, other)
        if not (bea and rest):
            continue
        ours = [float(resample(r.evaluation, r.best, [ours_after])[0]) for r in bea]
        theirs = [float(resample(r.evaluation, r.best, [theirs_after])[0]) for r in rest]
        ratios.append(ratio(ours, theirs))
        level += bool(np.mean(ours) >= np.mean(theirs))
    counted = sum(math.isfinite(value) for value in ratios)
    return geometric_mean(ratios), counted, level
