# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm as printed and as released: generations, and sigma''."""

import pytest
from loop import bowl, run

from bea_ros.optimizers import create


@pytest.mark.parametrize("profile", ["paper", "released"])
def test_the_best_and_nine_children_are_the_next_generation(profile):
    optimizer = run(create("ea", 5, profile=profile, budget=100), 10, bowl)
    first = sorted((r.fitness for r in optimizer.history), reverse=True)
    assert sorted((one.fitness for one in optimizer._parents), reverse=True) == first
    run(optimizer, {"paper": 9, "released": 10}[profile], bowl)
    children = [r.fitness for r in optimizer.history[10:19]]
    if profile == "released":  # the best is evaluated again, last
        assert optimizer.history[19].fitness == first[0]
    expected = sorted([first[0], *children])
    assert sorted(one.fitness for one in optimizer._parents) == expected


def test_sigma_may_follow_the_gain_of_generations():
    by_generation = create(
        "ea", 5, profile="paper", budget=200, gain_aware=True, alpha_per="generation"
    )
    run(by_generation, 10 + 9 * 7, lambda x: 0.0)
    assert by_generation.step_size_factor == pytest.approx(1.03**7)
    run(by_generation, 8, lambda x: 1.0)
    assert by_generation.step_size_factor == pytest.approx(1.03**7)
    run(by_generation, 1, lambda x: 1.0)
    assert by_generation.step_size_factor == pytest.approx(1.03**7 * 0.99)


def test_sigma_follows_the_gain_if_asked_to():
    plain = run(create("ea", 5, profile="paper", budget=200), 100, lambda x: 0.0)
    assert plain.step_size_factor == 1.0
    aware = create("ea", 5, profile="paper", budget=200, gain_aware=True)
    run(aware, 100, lambda x: 0.0)
    assert aware.step_size_factor == pytest.approx(1.03**90)
