# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evolutionary algorithm: generations, survivors, and which operator breeds."""

import numpy as np
import pytest
from loop import bowl, run

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.evolution.operator_choice import OperatorChoice
from bea_ros.optimizers.adaptive.evolutionary import SparseMutation
from bea_ros.optimizers.paper.mutation import Individual


def ridge(x):
    return -float(sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def test_the_default_keeps_the_fittest_of_parents_and_children():
    optimizer = run(create("ea", 5, covariance=False, budget=100), 19, bowl)
    best = sorted((r.fitness for r in optimizer.history), reverse=True)[:10]
    assert sorted((one.fitness for one in optimizer._parents), reverse=True) == best


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


def test_a_child_in_d_mutates_if_asked_to():
    options = {"mutation_rate": "1/d", "mutation_per": "child"}
    mutation = SparseMutation({**create("ea", 5).options, **options}, np.random.default_rng(1))
    parent = Individual.new(np.full(5, 0.5), 0.1)
    children = [mutation.mutate(parent, 1.0).x for _ in range(1000)]
    changed = np.array([(child != parent.x).sum() for child in children])
    assert set(changed) == {0, 5}  # all genes or none
    assert 0.15 < (changed == 5).mean() < 0.25


def test_one_gene_mutates_on_average_and_never_none():
    n = 20
    mutation = SparseMutation(create("ea", n).options, np.random.default_rng(0))
    parent = Individual.new(np.full(n, 0.5), 1e-3)
    moved = np.array([mutation.mutate(parent, 1.0).x != 0.5 for _ in range(2000)]).sum(axis=1)
    assert moved.min() == 1
    assert moved.mean() == pytest.approx(1.0 + (1.0 - 1.0 / n) ** n, abs=0.08)


def test_one_dimension_works():
    assert run(create("ea", 1), 60, bowl).best[1] > -1e-2
