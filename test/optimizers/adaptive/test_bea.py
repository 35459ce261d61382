# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA that adapts: when it switches, and what it goes on with."""

import pytest
from loop import bowl, run, stages

from bea_ros.optimizers import create


def test_the_first_evaluations_are_those_of_bo_and_the_rest_of_the_ea():
    optimizer = run(create("bea", 4, switch=40, budget=80), 80, bowl)
    assert stages(optimizer) == ["initial"] * 10 + ["bayesian"] * 30 + ["evolutionary"] * 40


@pytest.mark.parametrize(
    ("budget", "switch"), [(60, 60), (300, 300), (499, 499), (500, 300), (1500, 300)]
)
def test_the_default_leaves_small_budgets_to_bo(budget, switch):
    assert create("bea", 4, budget=budget).options["switch"] == switch


def test_a_given_switch_is_taken_literally():
    assert create("bea", 4, budget=60, switch=50).options["switch"] == 50
    assert create("bea", 4, budget=60, switch=500).options["switch"] == 500


def test_s1_does_not_forget_the_best_so_far_in_the_default_profile():
    fitness = iter([100.0] + [0.0] * 39 + [1.0] * 80)
    optimizer = create("bea", 4, switch=40, transfer="S1", budget=300)
    run(optimizer, 120, lambda x: next(fitness))
    assert optimizer.step_size_factor > 1.03  # sigma only grows
