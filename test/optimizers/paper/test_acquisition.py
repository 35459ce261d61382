# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""GP-UCB (paper, eq. 6)."""

import math

import numpy as np
import pytest

from bea_ros.optimizers.paper.acquisition import gp_ucb, sqrt_nu_tau


@pytest.mark.parametrize(("t", "beta"), [(2, 3.97), (10, 7.38), (100, 10.47), (240, 11.43)])
def test_beta_is_that_of_the_released_settings(t, beta):
    # Computed by hand from Limbo's formula with d = 20 and delta = 5.
    assert sqrt_nu_tau(t, 20, 5.0) == pytest.approx(beta, abs=0.005)


def test_beta_is_the_printed_formula():
    t, d, gamma = 37, 18, 0.1
    tau = 2.0 * math.log(t ** (d / 2 + 2) * math.pi**2 / (3 * gamma))
    assert sqrt_nu_tau(t, d, gamma) == pytest.approx(math.sqrt(tau))


@pytest.mark.parametrize("t", [0, 1])
def test_beta_exists_where_the_released_one_is_not_a_number(t):
    assert sqrt_nu_tau(t, 20, 5.0) == 0.0


def test_beta_exists_in_many_dimensions():
    assert math.isfinite(sqrt_nu_tau(10_000, 1000, 0.1))


def test_upper_confidence_bound_adds_deviations():
    bound = gp_ucb(np.array([1.0, 2.0]), np.array([4.0, 0.0]), 3.0)
    np.testing.assert_allclose(bound, [7.0, 2.0])
