# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO and the EA take turns by what they gain per second, and learn from each other."""

import json

import numpy as np
from loop import bowl, run, stages

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.turns import BAYESIAN, EVOLUTIONARY, FIRST, Turns


def shares(gains, seconds=(1.0, 1.0), count=400):
    """Share of the EA's turns, where a turn of each gains and takes so much."""
    turns, taken = Turns(), []
    for _ in range(count):
        taken.append(turns.next())
        turns.credit(gains[taken[-1]], seconds[taken[-1]])
    assert taken[:FIRST] == [BAYESIAN] * FIRST
    assert taken[FIRST] == EVOLUTIONARY
    return np.mean(taken)


def test_turns_are_in_proportion_to_gain_per_second_and_nobody_is_left():
    assert abs(shares((1.0, 1.0)) - 0.5) < 0.02
    assert abs(shares((1.0, 3.0)) - 0.75) < 0.02
    assert abs(shares((1.0, 1.0), (3.0, 1.0)) - 0.75) < 0.02
    assert abs(shares((1.0, 0.0)) - 0.125) < 0.02
    assert abs(shares((0.0, 1.0)) - 0.875) < 0.02
    assert abs(shares((0.0, 0.0)) - 0.5) < 0.02


def test_a_short_run_passes_all_stages_and_comes_back_to_bo():
    optimizer = run(create("bea", 4, switch="turns", budget=150), 150, bowl)
    passed = stages(optimizer)
    assert passed[:40] == ["initial"] * 10 + ["bayesian"] * 30
    assert passed[40] == "evolutionary"
    assert "bayesian" in passed[passed.index("evolutionary") :]


def evolved(evaluation_time):
    rising = iter(range(150))
    optimizer = create("bea", 4, seed=1, switch="turns", budget=150)
    run(optimizer, 150, lambda x: float(next(rising)), evaluation_time=evaluation_time)
    return stages(optimizer)


def test_told_evaluation_times_decide_and_not_the_clock():
    assert evolved(30.0) == evolved(30.0)
    assert evolved(1e-5).count("evolutionary") > 1.2 * evolved(30.0).count("evolutionary")


def test_the_ea_breeds_from_what_bo_finds_later():
    optimizer = run(create("bea", 4, switch="turns", budget=150), 120, bowl)
    best = max(record.fitness for record in optimizer.history)
    assert max(one.fitness for one in optimizer._ea._parents) == best


def test_goes_on_exactly_from_within_any_turn():
    whole = run(create("bea", 3, switch="turns", seed=2), 110, bowl)
    for stop in (35, 44, 67, 95):
        half = run(create("bea", 3, switch="turns", seed=2), stop, bowl)
        again = create("bea", 3, switch="turns", seed=2)
        again.restore(json.loads(json.dumps(half.state())))
        run(again, 110 - stop, bowl)
        np.testing.assert_array_equal(
            [record.x for record in again.history], [record.x for record in whole.history]
        )
