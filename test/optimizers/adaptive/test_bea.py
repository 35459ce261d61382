# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA that adapts: when it switches, and what it goes on with."""

import numpy as np
import pytest
from loop import bowl, run, stages

from bea_ros.optimizers import create


@pytest.mark.parametrize(
    ("budget", "switch"), [(60, 60), (300, 300), (499, 499), (500, 300), (1500, 300)]
)
def test_the_default_leaves_small_budgets_to_bo(budget, switch):
    assert create("bea", 4, budget=budget).options["switch"] == switch


@pytest.mark.parametrize("option", ["initial_samples", "population"])
def test_the_switch_comes_no_earlier_than_the_ea_has_parents(option):
    optimizer = create("bea", 2, budget=1000, **{option: 400})
    assert optimizer.options["switch"] == 400


# n with n t + sum of (1 ms + 5 ns k^2), k = 1 .. n, at least 300 t.
@pytest.mark.parametrize(
    ("evaluation_time", "switch"),
    [(None, 300), (1.0, 300), (0.01, 270), (0.001, 148), (0.0001, 28), (0.0, 10)],
)
def test_overhead_takes_time_from_bo(evaluation_time, switch):
    optimizer, restored = (
        create("bea", 2, budget=500, turns=False, local=False, seed=1) for _ in range(2)
    )
    run(optimizer, switch + 5, bowl, evaluation_time=evaluation_time)
    assert stages(optimizer).index("evolutionary") == switch
    restored.restore(optimizer.state())
    np.testing.assert_array_equal(restored.ask(), optimizer.ask())


def test_a_given_switch_takes_no_heed_of_time():
    optimizer = create("bea", 2, budget=500, switch=40, turns=False, seed=1)
    run(optimizer, 45, bowl, evaluation_time=0.0001)
    assert stages(optimizer).index("evolutionary") == 40


def test_a_given_switch_is_taken_literally():
    assert create("bea", 4, budget=60, switch=50).options["switch"] == 50
    assert create("bea", 4, budget=60, switch=500).options["switch"] == 500


def test_s1_does_not_forget_the_best_so_far_in_the_default_profile():
    fitness = iter([100.0] + [0.0] * 39 + [1.0] * 80)
    optimizer = create("bea", 4, switch=40, transfer="S1", budget=300)
    run(optimizer, 120, lambda x: next(fitness))
    assert optimizer.step_size_factor > 1.03  # sigma only grows
