# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of repeated runs: bands over time, significance, ratios. Fitness is maximised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import mannwhitneyu, rankdata, wilcoxon

Array = NDArray[np.float64]

SIGNIFICANT = 0.05  # p below which a difference is called significant
SMALL = 8  # largest sample of an exact test with ties
RESAMPLES = 2000  # of the bootstrap, and of the permutations
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
    """Values at each time of the grid: the last value at or before it, shape (m,).

    NaN before the first time; after the end the last value holds. `times` must not decrease.
    """
    at, known = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    last = np.searchsorted(at, np.asarray(grid, dtype=float), side="right") - 1
    return np.where(last >= 0, known[np.maximum(last, 0)], math.nan)


def band(runs: Sequence[tuple[ArrayLike, ArrayLike]], grid: ArrayLike) -> Band:
    """Mean and deviation over runs of (times, values), resampled on one grid.

    NaN where one of the runs has no value yet. The deviation of one run is 0, that of several has
    n - 1 in the denominator.
    """
    curves = np.array([resample(times, values, grid) for times, values in runs])
    deviation = curves.std(axis=0, ddof=1 if len(runs) > 1 else 0)
    return Band(np.asarray(grid, dtype=float), curves.mean(axis=0), deviation)


def mann_whitney(one: ArrayLike, other: ArrayLike) -> float:
    """Two-sided p value that two samples come from one distribution.

    It is exact for small samples, also with ties. 1 if all values are equal, NaN if one is NaN or
    a sample is empty.
    """
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    together = np.concatenate([a, b])
    if not (a.size and b.size) or np.isnan(together).any():
        return math.nan
    if np.ptp(together) == 0:
        return 1.0
    if max(a.size, b.size) <= SMALL and len(np.unique(together)) < together.size:
        ranks = rankdata(together)  # SciPy takes a normal distribution for ties
        shift = np.abs([sum(chosen) for chosen in combinations(ranks - ranks.mean(), a.size)])
        return float(np.mean(shift >= shift[0] - 1e-9))
    return float(mannwhitneyu(a, b, alternative="two-sided").pvalue)


def signed_rank(one: ArrayLike, other: ArrayLike) -> float:
    """Two-sided p value of Wilcoxon's signed-rank test of pairs.

    1 if no pair differs, NaN without pairs. Only for runs that share their seed, and so their
    first evaluations.
    """
    difference = np.asarray(one, dtype=float) - np.asarray(other, dtype=float)
    difference = difference[difference != 0]
    if not np.asarray(one).size:
        return math.nan
    return float(wilcoxon(difference).pvalue) if difference.size else 1.0


def mean_ratio(cases: Sequence[tuple[Array, Array]]) -> float:
    """Geometric mean over cases of the ratio of means, over cases with both means above 0.

    NaN if there is no such case.
    """
    ratios = np.array([ratio(*case) for case in _usable(cases)])
    return float(np.exp(np.log(ratios).mean())) if ratios.size else math.nan


def _usable(cases: Sequence[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """The cases with both means above 0: only these have a ratio, and decide about it."""
    return [case for case in cases if math.isfinite(ratio(*case))]


def interval(
    cases: Sequence[tuple[Array, Array]], shared: bool, rng: np.random.Generator
) -> tuple[float, float]:
    """Ends of the 95 % interval of `mean_ratio`, by a bootstrap clustered by case (percentiles).

    Cases are drawn, and runs within each: in pairs if both algorithms `shared` their seeds,
    else separately for each algorithm. NaN for fewer than two cases.
    """
    cases = _usable(cases)
    logs = np.full((RESAMPLES, len(cases)), math.nan)
    chosen = rng.integers(max(len(cases), 1), size=logs.shape)
    for slot in range(len(cases)):
        for case, (ours, theirs) in enumerate(cases):
            rows = np.flatnonzero(chosen[:, slot] == case)
            mine = rng.integers(len(ours), size=(len(rows), len(ours)))
            its = mine if shared else rng.integers(len(theirs), size=(len(rows), len(theirs)))
            logs[rows, slot] = _log_ratios(ours[mine], theirs[its])
    means = _means(logs)
    if len(cases) < 2 or not np.isfinite(means).any():
        return math.nan, math.nan
    low, high = np.exp(np.nanpercentile(means, (2.5, 97.5)))
    return float(low), float(high)


def permutation(
    cases: Sequence[tuple[Array, Array]], shared: bool, rng: np.random.Generator
) -> float:
    """Two-sided p value that `mean_ratio` is 1, by exchanging runs within each case.

    Pairs are exchanged if runs `shared` their seeds. NaN if there is no ratio.
    """
    found = abs(math.log(mean_ratio(cases)))
    if not math.isfinite(found):
        return math.nan
    cases = _usable(cases)
    logs = np.empty((RESAMPLES, len(cases)))
    for case, (ours, theirs) in enumerate(cases):
        if shared:
            swap = rng.random((RESAMPLES, len(ours))) < 0.5
            mine, its = np.where(swap, theirs, ours), np.where(swap, ours, theirs)
        else:
            everyone = np.tile(np.concatenate([ours, theirs]), (RESAMPLES, 1))
            mine, its = np.split(rng.permuted(everyone, axis=1), [len(ours)], axis=1)
        logs[:, case] = _log_ratios(mine, its)
    nearer = np.abs(_means(logs)) < found * (1.0 - 1e-9)
    return float(1 + np.sum(~nearer)) / (RESAMPLES + 1)


def _log_ratios(ours: Array, theirs: Array) -> Array:
    """Log ratios of means over runs, (m, n) each; shape (m,), NaN where a mean is not above 0."""
    a, b = ours.mean(axis=1), theirs.mean(axis=1)
    usable = (a > 0) & (b > 0)
    return np.log(np.where(usable, a, math.nan) / np.where(usable, b, math.nan))


def _means(logs: Array) -> Array:
    """Means over the cases that are not NaN, shape (m,) from (m, cases)."""
    counts = np.isfinite(logs).sum(axis=1)
    return np.nansum(logs, axis=1) / np.where(counts, counts, math.nan)


def holm(p_values: ArrayLike) -> Array:
    """p values corrected for multiple tests (Holm, 1979); NaN is no test and stays."""
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(p.shape, math.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def ratio(one: ArrayLike, other: ArrayLike) -> float:
    """Ratio of means; NaN if one of them is not above 0."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if not (a.size and b.size) or not (a.mean() > 0 and b.mean() > 0):
        return math.nan
    return float(a.mean() / b.mean())


def p_text(p: float) -> str:
    """A p value for a table."""
    if not math.isfinite(p):
        return "-"
    return f"{p:.2g}" if p >= 0.0001 else "< 0.0001"
