# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA beside the other algorithms, case by case: ratios and their significance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bea_ros.studies.robots.paper import FITNESS_RATIOS, TIME_RATIOS
from bea_ros.studies.robots.results import Result, Results
from bea_ros.studies.statistics import (
    SIGNIFICANT,
    at_equal_time,
    geometric_mean,
    holm,
    mann_whitney,
    paired,
    ratio,
    resample,
)

Runs = Sequence[Result]
Samples = tuple[list[float], list[float]]  # fitness of BEA's runs and of the other's


@dataclass(frozen=True)
class Comparison:
    """BEA over another algorithm in one case, with evaluations of `evaluation_time` s.

    `bea` and `mean` are the mean best fitness at the end of `bea_runs` and `runs` runs, `fitness`
    their ratio, `p` of the difference (two-sided Mann-Whitney) and `p_holm` corrected over the
    cases; `time` is the ratio of computation times, `p_time` the p of that difference. `bea_then`,
    `mean_then`, `equal_time` and `p_equal_time` are the same of the fitness when the first of the
    two is done, on average. A ratio that means nothing (a fitness not above 0) is NaN; `paper_*`
    are NaN for what the paper does not have.
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
    p_time: float
    bea_then: float
    mean_then: float
    equal_time: float
    p_equal_time: float
    paper_fitness: float
    paper_time: float


@dataclass(frozen=True)
class Standing:
    """BEA over another algorithm in all `cases`; `when` says after what.

    `ratio` is the geometric mean of the ratios of fitness that mean something; `low` and `high`
    are the ends of its 95 % interval and `p` that of no difference, over the pairs of runs with
    the same case and repetition (BO and BEA share their first evaluations) whose ratio means
    something. `surely_*` count the cases in which the difference has p < 0.05, each by itself.
    """

    other: str
    when: str
    cases: int
    ratio: float
    low: float
    high: float
    p: float
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


def _at_the_end(bea: Runs, rest: Runs) -> Samples:
    return [float(run.best[-1]) for run in bea], [float(run.best[-1]) for run in rest]


def _at_equal_time(evaluation_time: float, bea: Runs, rest: Runs) -> Samples:
    """When the first of the two is done, on average."""
    ours, theirs = (
        [(run.times(evaluation_time), run.best) for run in runs] for runs in (bea, rest)
    )
    return at_equal_time(ours, theirs)


def _after(ours_after: int, theirs_after: int, bea: Runs, rest: Runs) -> Samples:
    ours, theirs = (
        [float(resample(run.evaluation, run.best, [after])[0]) for run in runs]
        for runs, after in ((bea, ours_after), (rest, theirs_after))
    )
    return ours, theirs


def _compare(
    case: tuple[str, str], other: str, bea: Runs, rest: Runs, evaluation_time: float
) -> Comparison:
    ours, theirs = _at_the_end(bea, rest)
    ours_then, theirs_then = _at_equal_time(evaluation_time, bea, rest)
    ends = [[float(run.times(evaluation_time)[-1]) for run in runs] for runs in (bea, rest)]
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
        p_time=mann_whitney(*ends),
        bea_then=float(np.mean(ours_then)),
        mean_then=float(np.mean(theirs_then)),
        equal_time=ratio(ours_then, theirs_then),
        p_equal_time=mann_whitney(ours_then, theirs_then),
        paper_fitness=FITNESS_RATIOS.get(other, {}).get(case, math.nan),
        paper_time=TIME_RATIOS.get(other, {}).get(case, math.nan),
    )


def standings(results: Results, other: str, evaluation_times: Sequence[float]) -> list[Standing]:
    """At the end, and at equal time with evaluations of so many s each."""
    found = [_standing(results, other, "at the end", _at_the_end)]
    for seconds in evaluation_times:
        when = f"at equal time, evaluations of {seconds:g} s"
        found.append(_standing(results, other, when, partial(_at_equal_time, seconds)))
    return found


def standing_after(results: Results, other: str, ours_after: int, theirs_after: int) -> Standing:
    """BEA after so many evaluations over another algorithm after so many."""
    when = f"after {ours_after} evaluations, the other after {theirs_after}"
    return _standing(results, other, when, partial(_after, ours_after, theirs_after))


def _standing(
    results: Results, other: str, when: str, fitness: Callable[[Runs, Runs], Samples]
) -> Standing:
    """By the fitness of both algorithms' runs in each case."""
    cases, pairs = [], []
    for _, bea, rest in _pairs(results, other):
        ours, theirs = fitness(bea, rest)
        cases.append((float(np.mean(ours)), float(np.mean(theirs)), mann_whitney(ours, theirs)))
        by_repetition = {run.repetition: value for run, value in zip(rest, theirs, strict=True)}
        pairs += [
            ratio([value], [by_repetition[run.repetition]])
            for run, value in zip(bea, ours, strict=True)
            if run.repetition in by_repetition
        ]
    low, high, p = paired(pairs)
    return Standing(
        other,
        when,
        cases=len(cases),
        ratio=geometric_mean([ratio([ours], [theirs]) for ours, theirs, _ in cases]),
        low=low,
        high=high,
        p=p,
        ahead=sum(ours > theirs for ours, theirs, _ in cases),
        surely_ahead=sum(ours > theirs and p < SIGNIFICANT for ours, theirs, p in cases),
        behind=sum(ours < theirs for ours, theirs, _ in cases),
        surely_behind=sum(ours < theirs and p < SIGNIFICANT for ours, theirs, p in cases),
    )
