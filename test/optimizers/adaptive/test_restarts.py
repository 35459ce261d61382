# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA begins again once its EA gains no more, where candidates are compared by features."""

import json

import numpy as np
import pytest
from loop import stages

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.bea import LEAST_START, PATIENCE

D, SWITCH, BUDGET = 3, 40, 950
START = SWITCH + PATIENCE  # evaluations of a first start that gains nothing after the switch
ONCE_MORE = LEAST_START + START  # a budget for two starts


def features(x):
    return np.hstack([np.cos(9.0 * x), np.sin(9.0 * x)])


def bea(**arguments):
    return create(
        "bea",
        D,
        **({"seed": 4, "budget": BUDGET, "switch": SWITCH, "features": features} | arguments),
    )


def learn(optimizer, count, fitness):
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness(len(optimizer.history), x))
    return optimizer


def flat(number, x):
    return 1.0


def test_begins_again_where_the_ea_gains_nothing_and_enough_is_left():
    first = ["initial"] * 10 + ["bayesian"] * (SWITCH - 10) + ["evolutionary"] * PATIENCE
    # Nothing is found, and the EA does not take over, until too little is left to begin again.
    later = -(-(BUDGET - LEAST_START - START + 1) // SWITCH)
    expected = first + (["initial"] * 10 + ["bayesian"] * (SWITCH - 10)) * later
    expected += ["evolutionary"] * (BUDGET - len(expected))
    assert len(expected) == BUDGET
    assert stages(learn(bea(), BUDGET, flat)) == expected


def test_the_ea_takes_over_where_a_later_start_finds_the_best():
    def better_later(number, x):
        return float(number > START + 20)

    after = stages(learn(bea(), START + SWITCH + 10, better_later))[START + SWITCH :]
    assert set(after) == {"evolutionary"}


@pytest.mark.parametrize(
    "arguments", [{"restarts": False}, {"features": None}, {"compare": "parameters"}]
)
def test_does_not_begin_again(arguments):
    after = stages(learn(bea(**arguments), 2 * START, flat))[SWITCH:]
    assert set(after) == {"evolutionary"}


def test_does_not_begin_again_while_the_ea_gains():
    def rising(number, x):
        return float(number)

    assert set(stages(learn(bea(), 3 * START, rising))[SWITCH:]) == {"evolutionary"}


def test_knows_nothing_of_what_was_before_but_keeps_the_best():
    def peaked(number, x):
        return 5.0 if number == 3 else 1.0 - float(np.sum((x - 0.7) ** 2))

    unlike = [learn(bea(budget=ONCE_MORE), START + SWITCH, fitness) for fitness in (flat, peaked)]
    first, second = ([record.x for record in one.history] for one in unlike)
    new = slice(START, START + 10)
    np.testing.assert_array_equal(first[new], second[new])
    assert not np.array_equal(first[:10], first[new])
    assert unlike[1].best[1] == 5.0
    # The EA of the last start breeds from the best of all starts.
    near = learn(unlike[1], 30, peaked).history[-30:]
    best = unlike[1].best[0]
    assert min(float(np.max(np.abs(record.x - best))) for record in near) < 0.05


def test_goes_on_exactly_from_within_a_later_start():
    def peaked(number, x):
        return -max(0.5, float(np.sum((features(x) - features(np.full(D, 0.3))) ** 2)))

    whole = learn(bea(budget=ONCE_MORE), START + SWITCH + 20, peaked)
    assert stages(whole).count("initial") == 20
    for stop in (START + 5, START + 25, START + SWITCH + 7):
        half = learn(bea(budget=ONCE_MORE), stop, peaked)
        again = bea(budget=ONCE_MORE)
        again.restore(json.loads(json.dumps(half.state())))
        learn(again, len(whole.history) - stop, peaked)
        np.testing.assert_array_equal(
            [record.x for record in again.history], [record.x for record in whole.history]
        )
