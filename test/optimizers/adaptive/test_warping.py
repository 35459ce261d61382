# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compression of what is below the median, and the choice whether to compress."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop import run

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.model.warping import (
    Scale,
    compressed,
    deficits,
    log_jacobian,
    low_and_median,
)

FITNESS = np.array([-100.0, 0.0, 2.0, 4.0, 3.0])


def test_a_case_worked_by_hand():
    # Median 2, best 4: a unit is 2.
    np.testing.assert_allclose(deficits(FITNESS), [51.0, 1.0, 0.0, -1.0, -0.5])
    np.testing.assert_allclose(
        compressed(deficits(FITNESS)), [-np.log(52.0), -np.log(2.0), 0.0, 1.0, 0.5]
    )


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=50))
def test_quartile_and_median_are_those_of_numpy_to_the_last_digit(values):
    assert low_and_median(np.array(values)) == tuple(np.quantile(values, (0.25, 0.5)))


def test_the_jacobian_is_that_of_finite_differences():
    deficit, h = deficits(FITNESS), 1e-6
    slopes = (compressed(deficit - h) - compressed(deficit + h)) / (2 * h)
    assert log_jacobian(deficit) == pytest.approx(np.log(slopes).sum())


def test_order_is_kept_and_units_do_not_matter():
    fitness = np.random.default_rng(0).standard_cauchy(200)
    values = compressed(deficits(fitness))
    np.testing.assert_array_equal(np.argsort(values), np.argsort(fitness))
    np.testing.assert_allclose(compressed(deficits(1e9 * fitness - 7.0)), values, atol=1e-6)


@pytest.mark.parametrize(
    "fitness", [[3.0], [3.0] * 9, [1.0, 1.0, -5.0], [0.0, 0.0, 0.0, -1e300], [1e300, -1e300, 0.0]]
)
def test_awkward_fitness_stays_finite(fitness):
    with np.errstate(all="raise"):
        assert np.isfinite(compressed(deficits(np.array(fitness)))).all()


def chooses_to_compress(fitness):
    # Later evaluations lie so near the optimum that they span fewer decades.
    return run(create("bo", 4, seed=1, budget=100), 30, fitness)._compress


def test_compression_is_chosen_where_fitness_spans_decades_and_not_where_it_is_even():
    assert chooses_to_compress(lambda x: -float(np.exp(12.0 * np.linalg.norm(x - 0.3))))
    assert not chooses_to_compress(lambda x: -float(np.sin(6.0 * x).sum()))


def test_outliers_count_as_what_is_at_their_bound():
    # A unit is 2, and the lower quartile one below the median: the bound is at two of either.
    bounded = Scale.of(FITNESS).bounded(FITNESS)
    np.testing.assert_allclose(bounded, [2.0, 1.0, 0.0, -1.0, -0.5])


def test_what_half_of_the_evaluations_have_is_no_outlier():
    fitness = np.array([-100.0, -90.0, 2.0, 4.0, -95.0])
    scale = Scale.of(fitness)
    np.testing.assert_array_equal(scale.bounded(fitness), scale.deficits(fitness))
