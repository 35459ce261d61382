# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of repeated runs: bands over time, significance, ratios. Fitness is maximised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import mannwhitneyu, t, wilcoxon

Array = NDArray[np.float64]

SIGNIFICANT = 0.05  # p of the Mann-Whitney test below which a difference is said to be one
DEVIATIONS = 2.0  # standard deviations about the mean, 95.45 % of a normal distribution (paper)


@dataclass(frozen=True)
class Band:
    """Mean and standard deviation over runs, both shape (m,), at `grid` (m,)."""

    grid: Array
    mean: Array
    deviation: Array

    @property
    def low(self) -> Array:
        """Two standard deviations below the mean."""
        return self.mean - DEVIATIONS * self.deviation

    @property
    def high(self) -> Array:
        """Two standard deviations above the mean."""
        return self.mean + DEVIATIONS * self.deviation


def resample(times: ArrayLike, values: ArrayLike, grid: ArrayLike) -> Array:
    """What was known at each time of the grid: the last value at or before it.

    NaN before the first time; the last value holds on after the end. `times` must not decrease.
    """
    at, known = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    last = np.searchsorted(at, np.asarray(grid, dtype=float), side="right") - 1
    return np.where(last >= 0, known[np.maximum(last, 0)], math.nan)


def band(runs: Sequence[tuple[ArrayLike, ArrayLike]], grid: ArrayLike) -> Band:
    """Mean and deviation over runs of (times, values), resampled on one grid.

    NaN where one of the runs has no value yet. The deviation of one run is 0, that of several has
    n - 1 in the denominator. Raises ValueError for no runs.
    """
    if not runs:
        raise ValueError("no runs to average")
    curves = np.array([resample(times, values, grid) for times, values in runs])
    deviation = curves.std(axis=0, ddof=1 if len(runs) > 1 else 0)
    return Band(np.asarray(grid, dtype=float), curves.mean(axis=0), deviation)


def at_equal_time(
    one: Sequence[tuple[ArrayLike, ArrayLike]], other: Sequence[tuple[ArrayLike, ArrayLike]]
) -> tuple[list[float], list[float]]:
    """What the runs of both, (times, values) each, had when the first of the two was done.

    An algorithm is done at the mean of its runs' last times; NaN before a run's first time.
    """
    first = min(np.mean([np.asarray(times)[-1] for times, _ in runs]) for runs in (one, other))
    ours, theirs = (
        [float(resample(times, values, first)) for times, values in runs] for runs in (one, other)
    )
    return ours, theirs


def mann_whitney(one: ArrayLike, other: ArrayLike) -> float:
    """Two-sided p value that two samples come from one distribution; exact for small ones.

    1 if all values are equal, NaN for an empty sample.
    """
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if not (a.size and b.size):
        return math.nan
    if np.ptp(np.concatenate([a, b])) == 0:
        return 1.0
    return float(mannwhitneyu(a, b, alternative="two-sided").pvalue)


def paired(ratios: ArrayLike) -> tuple[float, float, float]:
    """Ends of the 95 % interval of the geometric mean of pairs' ratios, and the p that it is 1.

    The interval is Student's of the logarithms, p the two-sided one of Wilcoxon's signed-rank
    test. Ratios that mean nothing are left out; NaN for fewer than two.
    """
    values = np.asarray(ratios, dtype=float)
    logs = np.log(values[np.isfinite(values) & (values > 0)])
    if logs.size < 2:
        return math.nan, math.nan, math.nan
    half = t.ppf(0.975, logs.size - 1) * logs.std(ddof=1) / math.sqrt(logs.size)
    p = float(wilcoxon(logs[logs != 0]).pvalue) if logs.any() else 1.0
    return math.exp(logs.mean() - half), math.exp(logs.mean() + half), p


def holm(p_values: ArrayLike) -> Array:
    """p values corrected for being several tests (Holm, 1979); NaN is no test and stays."""
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(p.shape, math.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def ratio(one: ArrayLike, other: ArrayLike) -> float:
    """Mean over mean; NaN where that means nothing, as one of them is not above 0."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if not (a.size and b.size) or not (a.mean() > 0 and b.mean() > 0):
        return math.nan
    return float(a.mean() / b.mean())


def geometric_mean(ratios: ArrayLike) -> float:
    """Geometric mean of those ratios that mean something; NaN if there is none."""
    values = np.asarray(ratios, dtype=float)
    values = values[np.isfinite(values) & (values > 0)]
    return float(np.exp(np.log(values).mean())) if values.size else math.nan


def p_text(p: float) -> str:
    """A p value for a table."""
    if not math.isfinite(p):
        return "-"
    return f"{p:.2g}" if p >= 0.0001 else "< 0.0001"
