# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA as printed and as released: when it switches, what it transfers, what it goes on with."""

import numpy as np
import pytest
from loop import bowl, run

from bea_ros.optimizers import create
from bea_ros.optimizers.paper.released import opencvs_k_means
from bea_ros.optimizers.transfer import select


@pytest.mark.parametrize("strategy", ["S1", "S2", "S3", "S4"])
def test_the_first_parents_are_the_transferred_solutions(strategy):
    optimizer = create("bea", 4, switch=40, transfer=strategy, profile="paper", budget=80)
    run(optimizer, 40, bowl)
    x = np.array([record.x for record in optimizer.history])
    fitness = np.array([record.fitness for record in optimizer.history])
    chosen = select(strategy, x, fitness, 10, seed=optimizer._transfer_seed)
    parents = np.array([one.x for one in optimizer._ea._parents])
    np.testing.assert_array_equal(np.sort(parents, axis=0), np.sort(x[chosen], axis=0))


def test_as_released_the_transfer_is_from_bos_iterations_alone():
    fitness = iter([100.0] * 10 + [float(i) for i in range(30)])
    optimizer = create("bea", 4, switch=40, transfer="S2", profile="released", budget=80)
    run(optimizer, 40, lambda x: next(fitness))
    assert sorted(one.fitness for one in optimizer._ea._parents) == list(range(20, 30))


def test_as_released_clusters_are_opencvs_and_the_same_again():
    points = np.random.default_rng(1).random((96, 20))
    labels = [opencvs_k_means(points, 10, 5) for _ in range(2)]
    np.testing.assert_array_equal(*labels)
    assert set(labels[0]) == set(range(10))


def test_the_switch_is_taken_literally():
    assert create("bea", 4, budget=60, profile="paper").options["switch"] == 300


def test_sigma_remembers_the_gains_of_bo():
    optimizer = create("bea", 4, switch=40, profile="paper", budget=80)
    run(optimizer, 40, lambda x: 0.0)
    assert optimizer.step_size_factor == 1.0
    run(optimizer, 1, lambda x: 0.0)
    assert optimizer.step_size_factor == pytest.approx(1.03)
    run(optimizer, 1, lambda x: 1.0)
    assert optimizer.step_size_factor == pytest.approx(1.03 * 0.99)


def test_s1_does_not_forget_the_best_so_far():
    fitness = iter([100.0] + [0.0] * 39 + [1.0] * 10)
    optimizer = create("bea", 4, switch=40, transfer="S1", profile="paper", budget=80)
    run(optimizer, 50, lambda x: next(fitness))
    assert optimizer.step_size_factor == pytest.approx(1.03**10)  # 1 is no gain over 100
