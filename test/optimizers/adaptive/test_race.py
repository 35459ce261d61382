# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA begins anew, and goes on with the best start, where candidates are compared by features."""

import numpy as np
import pytest
from loop import asked, resumed, stages

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive import bea as module
from bea_ros.optimizers.adaptive.start import Start
from bea_ros.optimizers.paper.bea import seeds

D, SEED, BUDGET = 3, 4, 150
LAP, EACH, LEAST = 15, 37, 100
FIRST = BUDGET // 5
RACE = FIRST + 4 * LAP


@pytest.fixture(autouse=True)
def short(monkeypatch):
    for name, value in (("LAP", LAP), ("EACH", EACH), ("LEAST", LEAST)):
        monkeypatch.setattr(module, name, value)


def features(x):
    return np.hstack([np.cos(9.0 * x), np.sin(9.0 * x)])


def bea(**arguments):
    given = {"seed": SEED, "budget": BUDGET, "features": features} | arguments
    return create("bea", D, **given)


def learn(optimizer, count, fitness):
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness(len(optimizer.history), x))
    return optimizer


def peaked(number, x):
    return -max(0.5, float(np.sum((features(x) - features(np.full(D, 0.3))) ** 2)))


def start_of(number):
    """The start to which an evaluation (from 0 on) of the first four races belongs."""
    return max(number - FIRST + LAP, 0) // LAP


@pytest.mark.parametrize("best", range(5))
def test_the_start_that_was_best_after_its_lap_goes_on(best):
    def fitness(number, x):
        if number >= RACE:
            return peaked(number, x)
        bonus = 10.0 if start_of(number) == best else 0.0
        # What the first start finds after its lap does not count.
        return peaked(number, x) + bonus + 100.0 * (LAP <= number < FIRST)

    run = learn(bea(), BUDGET, fitness)
    begins = [FIRST + LAP * number for number in range(4)]
    for begin in (0, *begins):
        assert stages(run)[begin : begin + 10] == ["initial"] * 10
    assert stages(run).count("initial") == 50

    seed = seeds(SEED, best)[0] if best else SEED
    alone = Start(D, seed=seed, budget=BUDGET, features=features)
    own = [n for n in range(BUDGET) if n >= RACE or start_of(n) == best]
    for number in own:
        x = alone.ask()
        np.testing.assert_array_equal(x, run.history[number].x)
        alone.tell(x, run.history[number].fitness)


def test_the_start_that_goes_on_ends_with_the_ea():
    budget = 260
    over = budget // 5 + 4 * LAP  # evaluations when the race is over
    run = learn(bea(budget=budget), budget, lambda n, x: peaked(n, x) + (n >= over - LAP))
    assert stages(run).count("initial") == 50
    own = stages(run)[over - LAP :]  # the last start won
    assert own.index("evolutionary") == 150  # of 163: a whole generation is left


@pytest.mark.parametrize(
    "arguments",
    [
        {"restarts": False},
        {"features": None},
        {"compare": "parameters"},
        {"budget": 120},
    ],
)
def test_does_not_begin_anew(arguments):
    assert stages(learn(bea(**arguments), 120, peaked)).count("initial") == 10


def test_a_run_that_is_extended_races_then():
    def fitness(number, x):
        return peaked(number, x) + (61 + LAP <= number < 61 + 2 * LAP)  # the third start wins

    def extended(**options):
        run = learn(bea(budget=60, **options), 60, fitness)
        run.extend(200)
        return learn(run, 140, fitness)

    run = extended()
    assert stages(run)[:61].count("initial") == 10
    assert stages(run)[61 : 61 + LAP].count("initial") == 10
    # A resumed run gives all options of its run.yaml.
    np.testing.assert_array_equal(asked(extended(**bea(budget=60).options)), asked(run))


def test_a_shorter_run_has_fewer_starts(monkeypatch):
    monkeypatch.setattr(module, "EACH", 75)
    assert stages(learn(bea(), BUDGET, peaked)).count("initial") == 30


def test_goes_on_exactly_from_within_the_race():
    whole = learn(bea(), BUDGET, peaked)
    for stop in (FIRST, FIRST + 5, RACE - 1, RACE + 3):
        again = resumed(bea(), learn(bea(), stop, peaked))
        np.testing.assert_array_equal(asked(learn(again, BUDGET - stop, peaked)), asked(whole))


def test_a_resumed_run_that_gives_all_options_races_as_well():
    whole = learn(bea(), BUDGET, peaked)
    again = learn(bea(**whole.options), BUDGET, peaked)
    np.testing.assert_array_equal(asked(again), asked(whole))


def test_by_features_bo_and_the_ea_take_turns_to_the_end_unless_a_switch_is_given():
    assert bea(budget=500).options["switch"] == 500
    assert bea(budget=500, features=None).options["switch"] == 300
    after = stages(learn(bea(budget=60, switch=30), 60, peaked))[30:]
    assert set(after) == {"evolutionary"}
