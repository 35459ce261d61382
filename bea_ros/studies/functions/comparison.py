# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA beside the other algorithms, function by function, and where BO's gain falls behind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.time_efficiency import efficiency
from bea_ros.studies.functions.results import Result, Results
from bea_ros.studies.statistics import at_equal_time, holm, mann_whitney

Array = NDArray[np.float64]

SMOOTHED = 5  # windows of ten evaluations that a shown gain is the mean of


@dataclass(frozen=True)
class Comparison:
    """Mean final f (minimised) of BEA and of another algorithm on one function.

    `p` is that of the two-sided Mann-Whitney test, `p_holm` corrected over the functions; `time`
    is BEA's computation time over the other's, with evaluations of `evaluation_time` s.
    `bea_then`, `mean_then`, `p_equal_time` and `p_equal_time_holm` are the same of f when the
    first of the two is done, on average.
    """

    function: str
    other: str
    evaluation_time: float
    runs: int
    bea: float
    mean: float
    p: float
    p_holm: float
    time: float
    bea_then: float
    mean_then: float
    p_equal_time: float
    p_equal_time_holm: float


def compare(results: Results, other: str, evaluation_time: float) -> list[Comparison]:
    """BEA and `other` on every function on which both have finished runs."""
    found = []
    for function in results.functions:
        bea, rest = results.of(function, "bea"), results.of(function, other)
        if bea and rest:
            found.append(_compare(function, other, bea, rest, evaluation_time))
    at_end = holm([c.p for c in found])
    then = holm([c.p_equal_time for c in found])
    return [
        replace(c, p_holm=float(p), p_equal_time_holm=float(q))
        for c, p, q in zip(found, at_end, then, strict=True)
    ]


def _compare(
    function: str,
    other: str,
    bea: Sequence[Result],
    rest: Sequence[Result],
    evaluation_time: float,
) -> Comparison:
    timed = [[(run.times(evaluation_time), run.best) for run in runs] for runs in (bea, rest)]
    ends = [float(np.mean([times[-1] for times, _ in runs])) for runs in timed]
    ours, theirs = ([float(best[-1]) for _, best in runs] for runs in timed)
    ours_then, theirs_then = at_equal_time(*timed)
    return Comparison(
        function=function,
        other=other,
        evaluation_time=evaluation_time,
        runs=min(len(bea), len(rest)),
        bea=float(np.mean(ours)),
        mean=float(np.mean(theirs)),
        p=mann_whitney(ours, theirs),
        p_holm=math.nan,
        time=ends[0] / ends[1],
        bea_then=float(np.mean(ours_then)),
        mean_then=float(np.mean(theirs_then)),
        p_equal_time=mann_whitney(ours_then, theirs_then),
        p_equal_time_holm=math.nan,
    )


def gain_per_second(runs: Sequence[Result], evaluation_time: float) -> tuple[Array, Array]:
    """Evaluations (m,), and the mean over runs of the gain in f per second over the (usually
    ten) evaluations before each (m,).
    """
    gains = [efficiency(-run.best, run.times(evaluation_time), 1) for run in runs]
    return runs[0].evaluation[1:], np.mean(gains, axis=0)


def smooth(values: Array) -> Array:
    """Mean over SMOOTHED values about each, fewer at the ends."""
    ones = np.ones(min(SMOOTHED, len(values)))
    weights = np.convolve(np.ones_like(values), ones, mode="same")
    return np.convolve(values, ones, mode="same") / weights


def switch_point(evaluations: Array, bo: Array, ea: Array) -> float:
    """Evaluation at which the EA's gain per second overtakes BO's; NaN if it never does.

    Noisy curves cross often. Of all crossings it is the one up to which the sum of BO's lead is
    largest: before it BO is worth more, after it the EA.
    """
    lead = np.cumsum(bo - ea)
    if not lead.size or lead.max() <= 0.0:  # the EA leads all along
        return float(evaluations[0]) if evaluations.size else math.nan
    last = int(np.flatnonzero(lead == lead.max())[-1])
    return float(evaluations[last]) if last + 1 < len(lead) else math.nan
