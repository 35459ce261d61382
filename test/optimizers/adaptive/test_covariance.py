# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""CMA-ES learns scale and direction."""

import numpy as np
import pytest

from bea_ros.optimizers.adaptive.evolution.covariance import CovarianceAdaptation

D = 8
POPULATION = 10


def minimise(f, generations, step_size=0.2, seed=0):
    search = CovarianceAdaptation(
        np.full(D, 0.4), step_size, np.random.default_rng(seed), POPULATION
    )
    for _ in range(generations):
        points = search.sample()
        search.update(points, -np.array([f(x) for x in points]))
    return search


def rotated_ellipsoid(x):
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((D, D)))[0]
    return float((10.0 ** np.linspace(0, 4, D) * (rotation @ (x - 0.6)) ** 2).sum())


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_the_bottom_of_a_rotated_valley(seed):
    search = minimise(rotated_ellipsoid, 400, seed=seed)
    assert rotated_ellipsoid(search.mean) < 1e-6


def test_its_axes_become_those_of_the_valley():
    search = minimise(rotated_ellipsoid, 250)
    widths = search._widths / search._widths[0]
    assert widths[-1] > 30.0  # 100 in the end


def test_its_step_size_grows_on_a_slope_and_shrinks_on_noise_free_ground():
    slope = CovarianceAdaptation(np.full(D, 0.5), 1e-4, np.random.default_rng(0), POPULATION)
    for _ in range(30):
        points = slope.sample()
        slope.update(points, points[:, 0])
    assert slope.step_size > 1e-3
    assert minimise(lambda x: float(((x - 0.4) ** 2).sum()), 100).spread < 0.02


def test_samples_are_inside_whatever_the_step_size():
    rng = np.random.default_rng(0)
    points = CovarianceAdaptation(np.zeros(D), 50.0, rng, POPULATION).sample()
    assert ((points >= 0.0) & (points <= 1.0)).all()


def test_constant_fitness_does_no_harm():
    search = minimise(lambda x: 1.0, 200)
    assert np.isfinite(search.mean).all()
    assert np.isfinite(search.spread)
