# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of repeated runs against numbers worked out by hand."""

import math

import numpy as np
import pytest

from bea_ros.studies.engine.statistics import (
    band,
    geometric_mean,
    holm,
    mann_whitney,
    paired,
    ratio,
    resample,
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
    with pytest.raises(ValueError, match="no runs"):
        band([], [1.0])


def test_mann_whitney_is_exact_for_few_runs():
    # All of one above all of the other: 2 of the 252 orders of 5 and 5 are as extreme.
    assert mann_whitney([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252)
    assert mann_whitney([1, 2], [3, 4]) == pytest.approx(2 / 6)
    assert mann_whitney([1.0, 1.0], [1.0, 1.0]) == 1.0
    assert math.isnan(mann_whitney([], [1.0]))


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
    assert geometric_mean([2.0, 8.0, math.nan]) == pytest.approx(4.0)
    assert math.isnan(geometric_mean([math.nan]))
    assert np.isclose(geometric_mean([0.5, 2.0]), 1.0)


def test_interval_of_paired_ratios():
    low, high, p = paired([2.0, 0.5, math.nan])
    # logarithms +-log 2: Student's 97.5 % point with one degree of freedom is 12.706
    assert math.log(high) == pytest.approx(12.706 * math.log(2), rel=1e-3)
    assert low == pytest.approx(1 / high)
    assert p == 1.0
    assert paired([1.0, 1.0, 1.0]) == (1.0, 1.0, 1.0)
    assert all(math.isnan(value) for value in paired([2.0, -1.0]))
