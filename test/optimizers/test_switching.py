# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When BEA switches by gain per second."""

import itertools

import numpy as np
from loop import run, stages

from bea_ros.optimizers import create
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.switching import WINDOW, gain_switch_is_due


def history(gains, evaluation_time=1.0, overhead=0.0):
    best = np.cumsum(gains)
    return [Record(np.zeros(1), f, "bayesian", evaluation_time, overhead) for f in best]


def switches_at(records, **options):
    options = {"earliest": 10, "evaluation_time": None, "overhead": None, **options}
    numbers = range(1, len(records) + 1)
    return next((n for n in numbers if gain_switch_is_due(records[:n], **options)), None)


def test_bo_stays_while_it_gains_and_goes_when_it_no_longer_does():
    assert switches_at(history([1.0] * 300)) is None
    at = switches_at(history([1.0] * 150 + [0.0] * 150))
    assert 150 < at <= 150 + WINDOW


def test_bo_without_any_cost_stays_as_long_as_it_gains():
    assert switches_at(history([1.0] * 300, evaluation_time=0.0)) is None
    assert switches_at(history([1.0] * 150 + [0.0] * 150, evaluation_time=0.0)) == 150 + WINDOW


def test_overhead_hastens_the_switch_and_long_evaluations_delay_it():
    gains = 1.0 / np.arange(1, 1500)

    def when(evaluation_time):
        records = history(gains, evaluation_time, overhead=0.5)
        return switches_at(records) or 9999

    assert when(0.01) < when(1.0) <= when(100.0)


def test_the_model_of_overhead_grows_with_the_evaluations():
    gains = [1.0] * 1499
    assert switches_at(history(gains, 0.1), overhead=(0.0, 0.0)) is None
    assert switches_at(history(gains, 0.1), overhead=(0.0, 1e-4)) is not None


def test_costly_mutants_delay_the_switch():
    gains = 1.0 / np.arange(1, 1500)
    records = history(gains, evaluation_time=0.001)
    usual = switches_at(records, overhead=(0.03, 0.0))
    later = switches_at(records, overhead=(0.03, 0.0), evolutionary=0.02)
    assert usual < (later or len(records))


def test_the_told_evaluation_time_decides_or_the_assumed_one():
    options = {"switch": "gain", "turns": False, "budget": 400, "seed": 2}

    def switched(**times_or_options):
        number = itertools.count()
        times = {k: v for k, v in times_or_options.items() if k == "evaluation_time"}
        given = {k: v for k, v in times_or_options.items() if k != "evaluation_time"}
        optimizer = create("bea", 3, **options, **given)
        run(optimizer, 200, lambda x: -(0.95 ** next(number)), **times)
        return stages(optimizer).index("evolutionary")

    told = switched(evaluation_time=0.001)
    assert told == switched(assumed_evaluation_time=0.001)
    assert told < switched(evaluation_time=10.0)


def test_with_measured_overhead_the_stored_times_decide_again():
    options = {"switch": "gain", "turns": False, "assumed_overhead": "measured", "budget": 400}
    optimizer = create("bea", 3, **options)
    for n in range(120):
        x = optimizer.ask()
        overhead = 0.0 if n < 90 else 1e9
        optimizer.tell(x, float(n), evaluation_time=1.0, overhead_time=overhead)
    switched = stages(optimizer).index("evolutionary")
    assert switched == 91
    restored = create("bea", 3, **options)
    restored.restore(optimizer.state())
    assert stages(restored) == stages(optimizer)
    np.testing.assert_array_equal(restored.ask(), optimizer.ask())
