# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The synthetic functions against values worked out by hand, and where their optima are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bea_ros.studies.functions import problems
from bea_ros.studies.functions.problems import GROUPS, NAMES, create


def test_formulas_at_points_worked_out_by_hand() -> None:
    assert problems.rastrigin(np.array([0.5, 1.0])) == pytest.approx(0.25 + 20 + 1)
    assert problems.rosenbrock(np.array([0.0, 2.0, 1.0])) == pytest.approx(400 + 1 + 100 * 9 + 1)
    pi = math.pi
    assert problems.griewank(np.array([pi, 0.0])) == pytest.approx(pi**2 / 4000 + 2)
    assert problems.griewank(np.array([0.0, pi])) == pytest.approx(
        pi**2 / 4000 + 1 - math.cos(pi / math.sqrt(2))
    )
    by_hand = 20 + math.e - 20 * math.exp(-0.2 * math.sqrt(2.5)) - math.exp(1.0)
    assert problems.ackley(np.array([1.0, 2.0])) == pytest.approx(by_hand)
    assert problems.schwefel(np.zeros(20)) == pytest.approx(20 * 418.9829, abs=0.01)
    there = (math.pi / 2) ** 2
    assert problems.schwefel(np.array([there])) == pytest.approx(418.9829 - there, abs=1e-3)


def test_schwefel_goes_on_beyond_its_domain_and_stays_above_its_optimum() -> None:
    edge = problems.schwefel(np.full(3, 500.0))
    assert problems.schwefel(np.full(3, 500.0 + 1e-6)) == pytest.approx(edge, abs=1e-3)
    assert problems.schwefel(np.full(3, -500.0 - 1e-6)) == pytest.approx(
        problems.schwefel(np.full(3, -500.0)), abs=1e-3
    )
    rng = np.random.default_rng(0)
    values = [problems.schwefel(z) for z in rng.uniform(-1500, 1500, (2000, 3))]
    assert min(values) > 0.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 7])
def test_optimum_is_zero_inside_and_nothing_is_above(name: str, seed: int) -> None:
    function = create(name, 20, seed)
    assert function(function.optimum) == pytest.approx(0.0, abs=1e-9)
    assert np.all((function.optimum > 0.0) & (function.optimum < 1.0))
    rng = np.random.default_rng(1)
    far = rng.random((200, 20))
    near = np.clip(function.optimum + 1e-3 * rng.standard_normal((200, 20)), 0, 1)
    assert max(function(x) for x in np.concatenate([far, near])) < 0.0


@pytest.mark.parametrize("name", GROUPS["authors"] + GROUPS["textbook"])
def test_corners_of_the_cube_are_those_of_the_domain(name: str) -> None:
    formula, domain = name.split("-")
    low, high = problems.DOMAINS[domain][formula]
    function = create(name, 4)
    np.testing.assert_allclose(function.coordinates(np.zeros(4)), low, atol=1e-9)
    np.testing.assert_allclose(function.coordinates(np.ones(4)), high, atol=1e-9)


def test_domains_of_the_authors_code() -> None:
    assert problems.DOMAINS["authors"] == {
        "schwefel": (200.0, 500.0),
        "griewank": (-5.0, 5.0),
        "rastrigin": (-2.0, 2.0),
    }


@pytest.mark.parametrize("name", GROUPS["authors-shifted"] + GROUPS["rotated"])
def test_shift_moves_the_optimum_off_the_centre_and_hangs_on_the_seed(name: str) -> None:
    optimum = create(name, 20, 3).optimum
    np.testing.assert_array_equal(optimum, create(name, 20, 3).optimum)
    assert np.abs(optimum - create(name, 20, 4).optimum).max() > 0.1
    assert 0.1 < np.abs(optimum - 0.5).mean() < 0.2
    assert np.abs(optimum - 0.5).max() <= 0.3


@pytest.mark.parametrize("name", GROUPS["rotated"])
def test_rotation_keeps_lengths_and_mixes_all_coordinates(name: str) -> None:
    function = create(name, 20, 5)
    low, high = problems.DOMAINS["rotated"][name.split("-")[0]]
    a, b = np.random.default_rng(0).random((2, 20))
    moved = function.coordinates(a) - function.coordinates(b)
    assert np.linalg.norm(moved) == pytest.approx((high - low) * np.linalg.norm(a - b))
    step = np.eye(20)[0]
    image = function.coordinates(function.optimum + step) - function.coordinates(function.optimum)
    assert np.count_nonzero(np.abs(image) > 1e-3) == 20


def test_rotations_are_uniform() -> None:
    """Each entry of a Haar matrix has mean 0 and variance 1/d, the diagonal's sign included."""
    matrices = np.array([problems.rotation(4, np.random.default_rng(s)) for s in range(2000)])
    assert np.abs(matrices.mean(axis=0)).max() < 0.05
    np.testing.assert_allclose((matrices**2).mean(axis=0), 0.25, atol=0.03)


def test_select_takes_names_and_groups_and_refuses_others() -> None:
    chosen = problems.select(["rastrigin-rotated", "rotated"])
    assert chosen[0] == "rastrigin-rotated"
    assert sorted(chosen) == sorted(GROUPS["rotated"])
    with pytest.raises(ValueError, match="unknown function 'sphere'"):
        problems.select(["sphere"])
    with pytest.raises(ValueError, match="unknown function"):
        create("rastrigin")
