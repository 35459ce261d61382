# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The quadratic model near a distribution, and what CMA-ES gains by it."""

import numpy as np
import pytest
from loop import run

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.evolution.covariance import CovarianceAdaptation
from bea_ros.optimizers.adaptive.evolution.quadratic import QuadraticModel

D = 4


def quadratic(seed=0, definite=True):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((D, D))
    hessian = -root @ root.T if definite else root + root.T
    gradient = rng.standard_normal(D)

    def fitness(z):
        return 3.0 + z @ gradient + 0.5 * np.einsum("ni,ij,nj->n", z, hessian, z)

    return fitness, gradient, hessian


def points(count, seed=1):
    return np.random.default_rng(seed).standard_normal((count, D))


def test_a_quadratic_is_found_exactly():
    fitness, gradient, hessian = quadratic()
    z = points(60)
    model = QuadraticModel(z, fitness(z))
    unit = np.linalg.norm(gradient) / np.linalg.norm(model.gradient)
    np.testing.assert_allclose(unit * model.gradient, gradient, rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(unit * model.hessian, hessian, rtol=1e-2, atol=1e-2)
    new = points(20, 2)
    found = np.argsort(model.predict(new))
    np.testing.assert_array_equal(found, np.argsort(fitness(new)))


@pytest.mark.parametrize("definite", [True, False])
@pytest.mark.parametrize("radius", [0.01, 0.5, 3.0, 100.0])
def test_nothing_within_the_radius_is_better_than_the_top(definite, radius):
    fitness, _, _ = quadratic(3, definite)
    z = points(60)
    model = QuadraticModel(z, fitness(z))
    top = model.top(radius)
    assert np.linalg.norm(top) <= radius * (1.0 + 1e-9)
    ball = points(5000, 4)
    ball *= (
        radius
        * np.random.default_rng(5).random((5000, 1)) ** 0.25
        / np.linalg.norm(ball, axis=1, keepdims=True)
    )
    assert model.predict(top[None, :])[0] >= model.predict(ball).max() - 1e-9


def test_few_evaluations_make_a_diagonal_and_equal_ones_do_no_harm():
    z = points(12)
    hessian = QuadraticModel(z, -(z**2).sum(axis=1)).hessian
    assert np.all(hessian == np.diag(np.diag(hessian)))
    assert np.all(np.diag(hessian) < 0.0)
    np.testing.assert_array_equal(QuadraticModel(z, np.ones(12)).top(1.0), np.zeros(D))


def test_one_fall_bends_nothing():
    fitness, _, _ = quadratic()
    z = points(60)
    fallen = fitness(z)
    fallen[7] = -1e9
    whole, without = QuadraticModel(z, fitness(z)), QuadraticModel(z, fallen)
    np.testing.assert_allclose(without.top(1.0), whole.top(1.0), atol=1e-2)


def test_one_fall_in_ten_bends_nothing_whatever_it_counts():
    fitness, _, _ = quadratic()
    z, new = points(90), points(20, 2)
    for fall in (300.0, 1e9):
        y = fitness(z)
        y[4::10] -= fall
        found = QuadraticModel(z, y).predict(new)
        np.testing.assert_array_equal(np.argsort(found), np.argsort(fitness(new)))


def test_a_distribution_takes_on_a_shape():
    adaptation = CovarianceAdaptation(np.full(D, 0.5), 1e-3, np.random.default_rng(0), 8)
    axes = np.linalg.qr(points(D))[0]
    adaptation.reshape(axes, np.array([8.0, 1.0, 1.0, 0.125]))
    along = (adaptation.sample(4000) - 0.5) @ axes
    np.testing.assert_allclose(along.std(axis=0), [8e-3, 1e-3, 1e-3, 1.25e-4], rtol=0.1)
    z = points(3)
    np.testing.assert_allclose(
        adaptation.whiten(np.array([adaptation.point(one) for one in z])), z
    )


@pytest.mark.parametrize("seed", range(3))
def test_an_ill_conditioned_bowl_is_solved_within_a_few_hundred_evaluations(seed):
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((6, 6)))[0]
    scales = 10.0 ** np.linspace(0.0, 6.0, 6)

    def fitness(x):
        return -float(scales @ (rotation @ (x - 0.6)) ** 2)

    optimizer = create("bea", 6, seed=seed, budget=500, switch=100)
    assert run(optimizer, 500, fitness).best[1] > -1e-6
