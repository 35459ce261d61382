# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA beside the other algorithms, function by function, and where BO's gain falls behind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bea_ros.experiments.function_study.results import Result, Results
from bea_ros.experiments.statistics import holm, mann_whitney, resample

Array = NDArray[np.float64]

SMOOTHED = 5  # windows of ten evaluations that a shown gain is the mean of


@dataclass(frozen=True)
class Comparison:
    """Final f (minimised) of BEA and of another algorithm on one function.

    `p` is that of the two-sided Mann-Whitney test, `p_holm` corrected over the functions;
    `equal_time` the other's mean f at the moment BEA is done, with evaluations of
    `evaluation_time` s, and `p_equal_time`, `p_equal_time_holm` of that; `time` BEA's
    computation time over the other's.
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
    equal_time: float
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
    at_equal_time = holm([c.p_equal_time for c in found])
    return [
        replace(c, p_holm=float(p), p_equal_time_holm=float(q))
        for c, p, q in zip(found, at_end, at_equal_time, strict=True)
    ]


def _compare(
    function: str,
    other: str,
    bea: Sequence[Result],
    rest: Sequence[Result],
    evaluation_time: float,
) -> Comparison:
    ends = [
        float(np.mean([run.times(evaluation_time)[-1] for run in runs])) for runs in (bea, rest)
    ]
    ours = [float(run.best[-1]) for run in bea]
    theirs = [float(run.best[-1]) for run in rest]
    by_then = [float(resample(run.times(evaluation_time), run.best, ends[:1])[0]) for run in rest]
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
        equal_time=float(np.mean(by_then)),
        p_equal_time=mann_whitney(ours, by_then),
        p_equal_time_holm=math.nan,
    )


def gain_per_second(runs: Sequence[Result], evaluation_time: float) -> tuple[Array, Array]:
    """Evaluations (m,), and the mean over runs of the gain in f per second over the (usually
    ten) evaluations before each (m,).
    """
    gains = [-np.diff(run.best) / np.diff(run.times(evaluation_time)) for run in runs]
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
