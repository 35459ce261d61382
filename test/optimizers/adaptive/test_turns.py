# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO and the EA take turns by what they gain per second, and learn from each other."""

import subprocess
import sys

import numpy as np
import pytest
from loop import asked, bowl, resumed, run, stages

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.turns import BAYESIAN, EVOLUTIONARY, Turns

FIRST = 8  # turns of BO before the EA has one


def shares(gains, seconds=(1.0, 1.0), count=400):
    """Share of the EA's turns, where a turn of each gains and takes so much."""
    turns, taken = Turns(), []
    for number in range(count):
        taken.append(turns.next(may_begin=number >= FIRST))
        turns.credit(gains[taken[-1]], seconds[taken[-1]])
    assert taken[:FIRST] == [BAYESIAN] * FIRST
    assert taken[FIRST] == EVOLUTIONARY
    return np.mean(taken[FIRST:])


def test_whoever_gains_more_per_second_has_most_turns_and_nobody_is_left():
    assert 0.75 < shares((1.0, 3.0)) < 0.97
    assert 0.03 < shares((3.0, 1.0)) < 0.25
    assert shares((1.0, 1.0), (3.0, 1.0)) == shares((1.0, 3.0))
    assert 0.03 < shares((1.0, 0.0)) < 0.1
    assert 0.9 < shares((0.0, 1.0)) < 0.97


def test_equals_take_turns_and_so_do_those_that_gain_nothing():
    assert abs(shares((1.0, 1.0)) - 0.5) < 0.03
    assert abs(shares((0.0, 0.0)) - 0.5) < 0.03


def test_gains_count_by_what_was_usual_when_they_were_made():
    turns, taken = Turns(), []
    for number in range(100):
        rate = 10.0 ** (-number / 50)  # a run that converges
        taken.append(turns.next(may_begin=number >= FIRST))
        turns.credit(rate if taken[-1] == EVOLUTIONARY else 0.1 * rate, 1.0)
    assert np.mean(taken[-30:]) > 0.7  # it is 0.5 where gains count as they were


def test_a_short_run_passes_all_stages_and_comes_back_to_bo():
    optimizer = run(create("bea", 4, budget=150), 150, bowl)
    passed = stages(optimizer)
    assert passed[:90] == ["initial"] * 10 + ["bayesian"] * 80
    assert passed[90] == "evolutionary"
    assert "bayesian" in passed[passed.index("evolutionary") :]


@pytest.mark.parametrize(
    ("budget", "first"), [(100, 90), (109, 90), (110, 100), (150, 140), (300, 270)]
)
def test_where_candidates_are_compared_by_features_the_ea_comes_last(budget, first):
    def comes_at(number, optimizer):
        return stages(run(optimizer, number + 1, bowl)).index("evolutionary") == number

    assert comes_at(first, create("bea", 3, budget=budget, features=lambda x: 2.0 * x))
    assert comes_at(90, create("bea", 3, budget=budget))


def test_a_run_that_is_extended_ends_with_the_ea_again():
    optimizer = run(create("bea", 3, budget=110, features=lambda x: 2.0 * x), 95, bowl)
    optimizer.extend(150)
    passed = stages(run(optimizer, 150, bowl))
    assert passed[90:140] == ["bayesian"] * 50
    assert passed[140] == "evolutionary"


def evolved(evaluation_time, **options):
    rising = iter(range(300))
    optimizer = create("bea", 4, seed=1, budget=300, **options)
    run(optimizer, 300, lambda x: float(next(rising)), evaluation_time=evaluation_time)
    return stages(optimizer)


def test_told_evaluation_times_decide_and_not_the_clock():
    long, short = evolved(30.0), evolved(0.01)
    assert evolved(30.0) == long
    assert short.count("evolutionary") > 1.2 * long.count("evolutionary")
    assert short[:40] == long[:40]


def test_without_turns_bo_goes_on_to_the_switch():
    assert set(evolved(1.0, turns=False)) == {"initial", "bayesian"}
    assert set(evolved(1.0, turns=False, switch=200)[200:]) == {"evolutionary"}


def test_after_the_switch_the_ea_goes_on_alone():
    after = stages(run(create("bea", 3, switch=100, budget=150, seed=2), 150, bowl))
    assert "evolutionary" in after[:100]
    assert set(after[100:]) == {"evolutionary"}


def test_the_ea_breeds_from_what_bo_finds_later():
    optimizer = run(create("bea", 4, budget=150), 120, bowl)
    best = max(record.fitness for record in optimizer.history)
    assert max(one.fitness for one in optimizer._start._ea._parents) == best


def test_goes_on_exactly_from_within_any_turn():
    whole = run(create("bea", 3, seed=2), 110, bowl)
    for stop in (35, 44, 67, 95):
        half = run(create("bea", 3, seed=2), stop, bowl)
        again = resumed(create("bea", 3, seed=2), half)
        np.testing.assert_array_equal(asked(run(again, 110 - stop, bowl)), asked(whole))


@pytest.mark.parametrize(("budget", "loaded"), [(91, True), (90, False)])
def test_what_the_first_turn_of_the_ea_needs_is_loaded_before_the_run(budget, loaded):
    """It takes seconds, in which a robot would stand and wait."""
    made = f"import sys; from bea_ros.optimizers import create; create('bea', 3, budget={budget})"
    said = subprocess.run(
        [sys.executable, "-c", f"{made}; print('sklearn.cluster' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.split() == [str(loaded)]
