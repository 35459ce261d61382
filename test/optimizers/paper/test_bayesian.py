# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation as printed and as released: what it maximises, what t counts."""

import copy

import numpy as np
import pytest
import scipy.optimize
from loop import bowl, run

from bea_ros.optimizers import create
from bea_ros.optimizers.paper import bayesian
from bea_ros.optimizers.paper.acquisition import sqrt_nu_tau, uniform_and_local


@pytest.mark.parametrize(
    ("profile", "t", "gamma"), [("paper", 25, 0.1), ("released", 15, 5.0)]
)  # as released, t starts after the initial samples
def test_the_maximum_of_gp_ucb_over_fresh_points_is_asked(monkeypatch, profile, t, gamma):
    optimizer = run(create("bo", 4, profile=profile, search="fresh"), 25, bowl)
    seen = []

    def watched(*arguments):
        seen.append(uniform_and_local(*arguments))
        return seen[-1]

    monkeypatch.setattr(bayesian, "uniform_and_local", watched)
    asked = optimizer.ask()
    (points,) = seen
    assert len(points) == 500
    mean, variance = optimizer.model.posterior(points)
    ucb = mean + sqrt_nu_tau(t, 4, gamma) * np.sqrt(variance)
    np.testing.assert_array_equal(asked, points[np.argmax(ucb)])


@pytest.mark.parametrize(("profile", "t", "gamma"), [("paper", 25, 0.1), ("released", 15, 5.0)])
def test_the_maximum_of_gp_ucb_that_nlopts_direct_finds_is_asked(profile, t, gamma):
    nlopt = pytest.importorskip("nlopt")
    optimizer = run(create("bo", 4, profile=profile), 25, bowl)
    seed = int(copy.deepcopy(optimizer._rng).integers(1, 2**31))
    asked, seen = optimizer.ask(), []

    def ucb(x, gradient):
        mean, variance = optimizer.model.posterior(x[None, :])
        value = float(mean[0] + sqrt_nu_tau(t, 4, gamma) * np.sqrt(variance[0]))
        seen.append((value, *x))
        return value

    search = nlopt.opt(nlopt.GN_DIRECT_L_RAND, 4)
    search.set_max_objective(ucb)
    search.set_lower_bounds(0.0)
    search.set_upper_bounds(1.0)
    search.set_maxeval(500)
    nlopt.srand(seed)
    found = search.optimize([0.5] * 4)
    assert len(seen) == 500
    np.testing.assert_allclose(asked, found, atol=1e-12)
    assert max(seen)[1:] == pytest.approx(asked)


def test_scipys_direct_is_another_variant_than_limbos():
    """Why NLopt: SciPy begins as its GN_ORIG_DIRECT_L, with 2 d points, not as Limbo's."""
    nlopt = pytest.importorskip("nlopt")

    def visited(algorithm):
        points = []

        def function(x, gradient=None):
            points.append(x.copy())
            return float(((x - 0.3) ** 2) @ [1, 2, 3, 4] + np.cos(9 * x) @ [1.0, 0.7, 0.5, 0.3])

        if algorithm is None:
            scipy.optimize.direct(function, [(0, 1)] * 4, maxfun=300, eps=0, vol_tol=0)
        else:
            search = nlopt.opt(algorithm, 4)
            search.set_min_objective(function)
            search.set_lower_bounds(0.0)
            search.set_upper_bounds(1.0)
            search.set_maxeval(300)
            search.optimize([0.5] * 4)
        return np.array(points[:40])

    scipys = visited(None)
    np.testing.assert_allclose(scipys, visited(nlopt.GN_ORIG_DIRECT_L), atol=1e-12)
    limbos = visited(nlopt.GN_DIRECT_L_RAND)
    assert not np.allclose(scipys[:9], limbos[:9])


def test_as_released_bo_begins_with_two_random_points_where_gp_ucb_is_no_number():
    """As in its log: lines 1 and 2 of individuals.txt are no points of DIRECT's grid."""
    optimizer = run(create("bo", 20, profile="released"), 14, bowl)
    on_grid = [
        bool((np.abs(r.x * 2 * 3**8 - np.round(r.x * 2 * 3**8)) < 1e-6).all())
        for r in optimizer.history[10:]
    ]
    assert on_grid == [False, False, True, True]


def test_profiles_differ_as_documented():
    paper = create("bo", 20, profile="paper").options
    released = create("bo", 20, profile="released").options
    assert (paper["length_scale"], paper["gamma"], paper["mean"]) == (0.5, 0.1, "zero")
    assert (released["gamma"], released["mean"], released["signal_variance"]) == (
        5.0,
        "data",
        0.01,
    )
