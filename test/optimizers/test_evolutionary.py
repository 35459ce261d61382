# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm: generations, survivors, and which operator breeds."""

import numpy as np
import pytest

from bea_ros.optimizers import create
from bea_ros.optimizers.operator_choice import OperatorChoice
from bea_ros.optimizers.variation import Individual, SelfAdaptiveMutation


def run(optimizer, count, fitness):
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness(x))
    return optimizer


def bowl(x):
    return -float(((x - 0.3) ** 2).sum())


def ridge(x):
    return -float(sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


@pytest.mark.parametrize("profile", ["paper", "released"])
def test_the_best_and_nine_children_are_the_next_generation(profile):
    optimizer = run(create("ea", 5, profile=profile, budget=100), 10, bowl)
    first = sorted((r.fitness for r in optimizer.history), reverse=True)
    assert sorted((one.fitness for one in optimizer._parents), reverse=True) == first
    run(optimizer, 9, bowl)
    children = [r.fitness for r in optimizer.history[10:]]
    expected = sorted([first[0], *children])
    assert sorted(one.fitness for one in optimizer._parents) == expected


def test_the_default_keeps_the_fittest_of_parents_and_children():
    optimizer = run(create("ea", 5, covariance=False, budget=100), 19, bowl)
    best = sorted((r.fitness for r in optimizer.history), reverse=True)[:10]
    assert sorted((one.fitness for one in optimizer._parents), reverse=True) == best


def test_stages():
    optimizer = create("ea", 5, population=6)
    assert optimizer.stage == "initial"
    run(optimizer, 6, bowl)
    assert optimizer.stage == "evolutionary"


def test_sigma_follows_the_gain_if_asked_to():
    plain = run(create("ea", 5, profile="paper", budget=200), 100, lambda x: 0.0)
    assert plain.step_size_factor == 1.0
    aware = create("ea", 5, profile="paper", budget=200, gain_aware=True)
    run(aware, 100, lambda x: 0.0)
    assert aware.step_size_factor == pytest.approx(1.03**90)


def test_the_default_bounds_sigma():
    aware = run(create("ea", 5, gain_aware=True, budget=5000), 3000, lambda x: 0.0)
    assert aware.step_size_factor == 10.0


def test_covariance_adaptation_is_what_a_curved_valley_needs():
    both = [run(create("ea", 8, seed=s), 1500, ridge).best[1] for s in range(4)]
    alone = [run(create("ea", 8, seed=s, covariance=False), 1500, ridge).best[1] for s in range(4)]
    assert np.median(both) > 0.5 * np.median(alone)


def test_the_operator_that_gains_breeds_and_the_other_gets_its_turn():
    choice = OperatorChoice(modelled=False)
    choice.credit(True, 0.0)
    choice.credit(False, 1.0)
    turns = [choice.covariance_next() for _ in range(100)]
    assert sum(turns) == 100 // OperatorChoice.COVARIANCE_TURN
    for _ in range(50):
        choice.credit(True, 2.0)
    turns = [choice.covariance_next() for _ in range(100)]
    assert sum(turns) == 100 - 100 // OperatorChoice.MUTATION_TURN


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_a_child_in_d_mutates_if_asked_to(profile):
    options = {"mutation_rate": "1/d", "mutation_per": "child"}
    mutation = SelfAdaptiveMutation(
        {**create("ea", 5, profile=profile).options, **options}, np.random.default_rng(1)
    )
    parent = Individual.new(np.full(5, 0.5), 0.1)
    children = [mutation.mutate(parent, 1.0).x for _ in range(1000)]
    changed = np.array([(child != parent.x).sum() for child in children])
    assert set(changed) == {0, 5}  # all genes or none
    assert 0.15 < (changed == 5).mean() < 0.25


def test_one_dimension_works():
    assert run(create("ea", 1), 60, bowl).best[1] > -1e-2
