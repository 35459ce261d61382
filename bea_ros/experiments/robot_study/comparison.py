# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA beside the other algorithms, case by case: ratios and their significance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bea_ros.experiments.robot_study.paper import FITNESS_RATIOS, TIME_RATIOS
from bea_ros.experiments.robot_study.results import Result, Results
from bea_ros.experiments.statistics import (
    SIGNIFICANT,
    geometric_mean,
    holm,
    mann_whitney,
    ratio,
    resample,
)


@dataclass(frozen=True)
class Comparison:
    """BEA over another algorithm in one case, with evaluations of `evaluation_time` s.

    `bea` and `mean` are the mean best fitness at the end of `bea_runs` and `runs` runs, `fitness`
    their ratio, `p` of the difference (two-sided Mann-Whitney) and `p_holm` corrected over the
    cases; `time` is the ratio of computation times. `bea_then`, `mean_then`, `equal_time` and
    `p_equal_time` are the same of the fitness when the first of the two is done, on average. A
    ratio that means nothing (a fitness not above 0) is NaN; `paper_*` are NaN for what the paper
    does not have.
    """

    robot: str
    task: str
    other: str
    evaluation_time: float
    bea_runs: int
    runs: int
    bea: float
    mean: float
    fitness: float
    p: float
    p_holm: float
    time: float
    bea_then: float
    mean_then: float
    equal_time: float
    p_equal_time: float
    paper_fitness: float
    paper_time: float


@dataclass(frozen=True)
class Standing:
    """BEA over another algorithm in all `cases`; `when` says after what.

    `ratio` is the geometric mean of the ratios of fitness that mean something; `surely_*` count
    the cases in which the difference has p < 0.05.
    """

    other: str
    when: str
    cases: int
    ratio: float
    ahead: int
    surely_ahead: int
    behind: int
    surely_behind: int


def compare(results: Results, other: str, evaluation_time: float) -> list[Comparison]:
    """BEA over `other` in every case in which both have finished runs."""
    found = [
        _compare(case, other, bea, rest, evaluation_time)
        for case, bea, rest in _pairs(results, other)
    ]
    corrected = holm([comparison.p for comparison in found])
    return [replace(c, p_holm=float(p)) for c, p in zip(found, corrected, strict=True)]


def _pairs(
    results: Results, other: str
) -> Iterator[tuple[tuple[str, str], list[Result], list[Result]]]:
    for case in results.cases:
        bea, rest = results.of(*case, "bea"), results.of(*case, other)
        if bea and rest:
            yield case, bea, rest


def _compare(
    case: tuple[str, str],
    other: str,
    bea: Sequence[Result],
    rest: Sequence[Result],
    evaluation_time: float,
) -> Comparison:
    ends = [[float(run.times(evaluation_time)[-1]) for run in runs] for runs in (bea, rest)]
    first = min(float(np.mean(ends[0])), float(np.mean(ends[1])))
    ours, theirs = ([float(run.best[-1]) for run in runs] for runs in (bea, rest))
    ours_then, theirs_then = (
        [float(resample(run.times(evaluation_time), run.best, [first])[0]) for run in runs]
        for runs in (bea, rest)
    )
    return Comparison(
        robot=case[0],
        task=case[1],
        other=other,
        evaluation_time=evaluation_time,
        bea_runs=len(bea),
        runs=len(rest),
        bea=float(np.mean(ours)),
        mean=float(np.mean(theirs)),
        fitness=ratio(ours, theirs),
        p=mann_whitney(ours, theirs),
        p_holm=math.nan,
        time=ratio(*ends),
        bea_then=float(np.mean(ours_then)),
        mean_then=float(np.mean(theirs_then)),
        equal_time=ratio(ours_then, theirs_then),
        p_equal_time=mann_whitney(ours_then, theirs_then),
        paper_fitness=FITNESS_RATIOS.get(other, {}).get(case, math.nan),
        paper_time=TIME_RATIOS.get(other, {}).get(case, math.nan),
    )


def standings(comparisons: Sequence[Sequence[Comparison]]) -> list[Standing]:
    """At the end, and at equal time for each evaluation time that is compared."""
    first = comparisons[0]
    found = [_standing(first[0].other, "at the end", [(c.bea, c.mean, c.p) for c in first])]
    for timed in comparisons:
        when = f"at equal time, evaluations of {timed[0].evaluation_time:g} s"
        pairs = [(c.bea_then, c.mean_then, c.p_equal_time) for c in timed]
        found.append(_standing(timed[0].other, when, pairs))
    return found


def standing_after(
    results: Results, other: str, ours_after: int, theirs_after: int
) -> Standing | None:
    """BEA after so many evaluations over another algorithm after so many; None without runs."""
    pairs = []
    for _, bea, rest in _pairs(results, other):
        ours = [float(resample(r.evaluation, r.best, [ours_after])[0]) for r in bea]
        theirs = [float(resample(r.evaluation, r.best, [theirs_after])[0]) for r in rest]
        pairs.append((float(np.mean(ours)), float(np.mean(theirs)), mann_whitney(ours, theirs)))
    when = f"after {ours_after} evaluations, the other after {theirs_after}"
    return _standing(other, when, pairs) if pairs else None


def _standing(other: str, when: str, pairs: Sequence[tuple[float, float, float]]) -> Standing:
    """Of the means of both, and p, in each case."""
    return Standing(
        other,
        when,
        cases=len(pairs),
        ratio=geometric_mean([ratio([ours], [theirs]) for ours, theirs, _ in pairs]),
        ahead=sum(ours > theirs for ours, theirs, _ in pairs),
        surely_ahead=sum(ours > theirs and p < SIGNIFICANT for ours, theirs, p in pairs),
        behind=sum(ours < theirs for ours, theirs, _ in pairs),
        surely_behind=sum(ours < theirs and p < SIGNIFICANT for ours, theirs, p in pairs),
    )
