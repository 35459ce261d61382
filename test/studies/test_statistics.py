# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of repeated runs against numbers worked out by hand."""

import math

import numpy as np
import pytest

from bea_ros.studies.engine.statistics import (
    band,
    holm,
    interval,
    mann_whitney,
    mean_ratio,
    permutation,
    ratio,
    resample,
    signed_rank,
)


def test_resampling_takes_the_last_value_known():
    known = resample([1.0, 2.0, 5.0], [10.0, 20.0, 30.0], [0.5, 1.0, 1.9, 2.0, 4.0, 9.0])
    assert math.isnan(known[0])
    assert known[1:].tolist() == [10.0, 10.0, 20.0, 20.0, 30.0]


def test_band_is_two_standard_deviations_about_the_mean():
    runs = [([1.0, 3.0], [2.0, 4.0]), ([2.0, 4.0], [6.0, 8.0])]
    found = band(runs, [1.0, 2.0, 3.0, 4.0])
    assert math.isnan(found.mean[0])  # one of the runs has no value yet
    assert found.mean[1:].tolist() == [4.0, 5.0, 6.0]
    spread = math.sqrt(((2 - 4) ** 2 + (6 - 4) ** 2) / 1)  # n - 1
    assert found.high[1] == pytest.approx(4.0 + 2 * spread)
    assert found.low[1] == pytest.approx(4.0 - 2 * spread)
    assert band(runs[:1], [3.0]).deviation.tolist() == [0.0]


def test_mann_whitney_is_exact_for_few_runs():
    # All of one above all of the other: 2 of the 252 orders of 5 and 5 are as extreme.
    assert mann_whitney([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252)
    assert mann_whitney([1, 2], [3, 4]) == pytest.approx(2 / 6)
    assert mann_whitney([1.0, 1.0], [1.0, 1.0]) == 1.0
    assert math.isnan(mann_whitney([], [1.0]))


def test_mann_whitney_is_exact_for_few_runs_with_ties():
    # 2 of the 20 ways to divide six values into three and three are as extreme.
    assert mann_whitney([1, 1, 2], [3, 3, 4]) == pytest.approx(2 / 20)
    assert mann_whitney([3, 3, 4], [1, 1, 1]) == pytest.approx(2 / 20)
    # The one that differs is in either sample of two.
    assert mann_whitney([0, 0], [0, 1]) == 1.0
    assert math.isnan(mann_whitney([0, math.nan], [0, math.nan]))
    assert mann_whitney([1, 2, 2, 3], [2, 2, 3, 3]) == mann_whitney([2, 2, 3, 3], [1, 2, 2, 3])


def test_holm_corrects_step_by_step():
    # Holm (1979): sorted p times n, n - 1, ..., and never falling.
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    corrected = holm([0.02, math.nan, 0.01])
    assert corrected[[0, 2]].tolist() == pytest.approx([0.02, 0.02])
    assert math.isnan(corrected[1])


def test_ratios_that_mean_nothing_are_left_out():
    assert ratio([2.0, 4.0], [1.0, 2.0]) == 2.0
    assert math.isnan(ratio([1.0], [-1.0]))
    assert math.isnan(ratio([], [1.0]))
    assert mean_ratio([pair([2], [1]), pair([8], [1]), pair([1], [0])]) == pytest.approx(4.0)
    assert mean_ratio([pair([1], [2]), pair([2], [1])]) == pytest.approx(1.0)


def test_signed_rank_test_is_of_pairs():
    # All six differences on one side: 2 of the 2^6 signs are as extreme.
    assert signed_rank([2, 3, 4, 5, 6, 7], [1, 1, 1, 1, 1, 1]) == pytest.approx(2 / 64)
    assert signed_rank([1.0, 2.0], [1.0, 2.0]) == 1.0
    assert math.isnan(signed_rank([], []))


def pair(ours, theirs):
    return np.array(ours, dtype=float), np.array(theirs, dtype=float)


def test_the_interval_is_of_the_ratio_that_is_shown():
    """Cases without spread: what remains is which cases are drawn, of ratios 2, 2, 2 and 4."""
    cases = [pair([2, 2], [1, 1])] * 3 + [pair([4, 4], [1, 1])]
    assert mean_ratio(cases) == pytest.approx(2 ** (5 / 4))
    low, high = interval(cases, False, np.random.default_rng(1))
    # None of the four drawn is the last with 3^4 / 4^4 = 32 %; three or four are with 5 %.
    assert low == pytest.approx(2.0)
    assert high == pytest.approx(2 ** (7 / 4))
    assert all(math.isnan(end) for end in interval(cases[:1], False, np.random.default_rng(1)))


def test_pairs_are_drawn_together_where_runs_share_their_seeds():
    """Each of ours is a tenth above its pair, which differ much more."""
    theirs = np.array([1.0, 10.0, 3.0, 20.0, 6.0, 2.0])
    cases = [(1.1 * theirs, theirs)] * 2
    together = interval(cases, True, np.random.default_rng(1))
    assert together == (pytest.approx(1.1), pytest.approx(1.1))
    apart = interval(cases, False, np.random.default_rng(1))
    assert apart[0] < 1.0 < apart[1]
    # Exchanged pair by pair, only all twelve as they are or all exchanged lie as far off.
    assert permutation(cases, True, np.random.default_rng(1)) < 0.005
    assert permutation(cases, False, np.random.default_rng(1)) > 0.5


def test_without_a_difference_p_is_large_and_the_interval_has_one():
    rng = np.random.default_rng(5)
    cases = [(rng.gamma(9, size=10), rng.gamma(9, size=10)) for _ in range(9)]
    low, high = interval(cases, False, rng)
    assert low < 1.0 < high
    assert permutation(cases, False, rng) > 0.05
    doubled = [(2 * ours, theirs) for ours, theirs in cases]
    assert permutation(doubled, False, rng) < 0.001


def test_cases_that_mean_nothing_are_left_out():
    cases = [pair([1, 1], [-1, -1]), pair([3, 3], [1, 1]), pair([3, 3], [1, 1])]
    assert mean_ratio(cases) == pytest.approx(3.0)
    assert math.isnan(mean_ratio(cases[:1]))
    assert math.isnan(permutation(cases[:1], False, np.random.default_rng(1)))


def test_cases_that_are_left_out_decide_nothing():
    """Exchanged or drawn again, their runs may have means above 0."""
    rng = np.random.default_rng(3)
    theirs = rng.uniform(1, 2, (2, 10))
    cases = [(1.1 * one, one) for one in theirs]
    near_0 = np.full(10, 2.5), rng.normal(-0.05, 0.1, 10)
    assert near_0[1].mean() < 0
    for some in (cases, [*cases, near_0]):
        low, high = interval(some, True, np.random.default_rng(1))
        assert (low, high) == (pytest.approx(1.1), pytest.approx(1.1))
        assert permutation(some, True, np.random.default_rng(1)) < 0.01
