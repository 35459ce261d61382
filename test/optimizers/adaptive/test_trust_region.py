# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The local search: what it finds, when it ends, and when BEA begins one."""

import numpy as np
import pytest
from loop import asked, bowl, resumed, run, stages

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.trust_region import PATIENCE, TrustRegion


def quadratic(d, condition, seed=0, top=0.4):
    """A rotated quadratic with its maximum 0 at `top` in all coordinates, and its Hessian."""
    axes, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))
    hessian = -(axes * np.geomspace(1.0, condition, d)) @ axes.T
    return lambda x: float((x - top) @ hessian @ (x - top)) / 2.0, hessian


def climb(fitness, x, count):
    """Evaluate `count` candidates from x on; returns search, candidates and their fitness."""
    search, found, values = TrustRegion(x, fitness(x)), [], []
    while len(found) < count and not search.over:
        found.append(search.propose())
        values.append(fitness(found[-1]))
        search.learn(found[-1], values[-1])
    return search, np.array(found), np.array(values)


@pytest.mark.parametrize(("d", "condition"), [(2, 1.0), (5, 100.0), (16, 100.0)])
def test_it_comes_near_the_top_of_a_rotated_quadratic(d, condition):
    fitness, _ = quadratic(d, condition)
    start = np.full(d, 0.7)
    _, _, values = climb(fitness, start, 20 * d)
    assert values.max() > 1e-3 * fitness(start)


def test_with_as_many_evaluations_as_coefficients_the_model_is_exact():
    fitness, hessian = quadratic(2, 10.0)
    search, found, values = climb(fitness, np.array([0.9, 0.2]), 6)
    gradient = search._fit() * search._unit
    np.testing.assert_allclose(search._hessian * search._unit, hessian, rtol=1e-4, atol=1e-4)
    best = found[np.argmax(values)]
    np.testing.assert_allclose(gradient, hessian @ (best - 0.4), rtol=1e-4, atol=1e-5)


def test_it_stays_within_the_bounds_and_climbs_along_them():
    def fitness(x):
        return float(5.0 * x[0] - (x[1:] - 0.3) @ (x[1:] - 0.3))

    _, found, values = climb(fitness, np.array([0.98, 0.6, 0.6]), 60)
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    assert values.max() > 5.0 - 1e-6


@pytest.mark.parametrize("d", [2, 7])
def test_it_ends_where_nothing_is_gained(d):
    _, found, _ = climb(lambda x: 1.0, np.full(d, 0.5), 1000)
    assert len(found) <= PATIENCE * d


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300, 1.7e308])
def test_it_ends_where_numbers_exceed_floating_point(size):
    rng = np.random.default_rng(4)
    _, found, _ = climb(lambda x: size * float(rng.integers(-1, 2)), np.full(3, 0.5), 1000)
    assert np.isfinite(found).all()
    assert len(found) < 1000


def test_it_ends_when_it_has_converged():
    fitness, _ = quadratic(3, 10.0)
    _, found, _ = climb(fitness, np.full(3, 0.7), 1000)
    assert len(found) < 200


def flat(_):
    return 1.0


def test_bea_climbs_once_where_the_ea_does_not_gain_and_goes_on():
    passed = stages(run(create("bea", 2, switch=100, budget=200, seed=2), 200, flat))
    assert "local" not in passed[:100]
    assert passed[100] == "local"
    after = passed[100 + passed[100:].count("local") :]
    assert set(after) == {"evolutionary"}


@pytest.mark.parametrize("options", [{"local": False}, {"features": lambda x: 2.0 * x}])
def test_it_does_not_without_the_option_or_with_features(options):
    optimizer = create("bea", 2, switch=100, budget=200, seed=2, **options)
    assert "local" not in stages(run(optimizer, 200, flat))


def test_an_ea_that_gains_is_left_alone():
    passed = stages(run(create("bea", 3, switch=100, budget=160, seed=2), 160, bowl))
    assert "local" not in passed


def terraces(x):
    """Fitness that grows in steps, so that the EA is idle now and then."""
    return -np.ceil(20.0 * np.sum((np.asarray(x) - 0.3) ** 2)) - 1e-3 * np.sum((x - 0.3) ** 2)


def test_a_run_goes_on_exactly_from_within_a_local_search():
    def fresh():
        return create("bea", 2, switch=60, budget=300, seed=3)

    whole = run(fresh(), 300, terraces)
    passed = stages(whole)
    first = passed.index("local")
    for stop in (first, first + 1, first + 5):
        again = resumed(fresh(), run(fresh(), stop, terraces))
        np.testing.assert_array_equal(asked(run(again, 300 - stop, terraces)), asked(whole))
        assert stages(again) == passed
