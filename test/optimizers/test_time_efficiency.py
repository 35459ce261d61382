# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gain per second (paper, section III) on a run worked by hand."""

import numpy as np
import pytest
from loop import run

from bea_ros.optimizers import Record, create
from bea_ros.optimizers.time_efficiency import TimeEfficiency

FITNESS = [1.0, 3.0, 2.0, 7.0, 7.0]
EVALUATION = [1.0, 2.0, 1.0, 2.0, 1.0]
OVERHEAD = [0.5, 0.0, 1.0, 0.0, 1.0]


def history(evaluation=EVALUATION):
    return [
        Record(np.zeros(2), f, "initial", e, o)
        for f, e, o in zip(FITNESS, evaluation, OVERHEAD, strict=True)
    ]


def test_single_iterations():
    run = TimeEfficiency.of(history())
    np.testing.assert_allclose(run.best, [1, 3, 3, 7, 7])
    np.testing.assert_allclose(run.computation_time, [1.5, 2, 2, 2, 2])
    np.testing.assert_allclose(run.time_stamps, [1.5, 3.5, 5.5, 7.5, 9.5])
    np.testing.assert_allclose(run.gain_per_second(1), [1, 0, 2, 0])


def test_windows():
    run = TimeEfficiency.of(history())
    np.testing.assert_allclose(run.gain_per_second(3), [1, 4 / 6])
    assert run.gain_per_second(10).shape == (0,)


def test_an_assumed_evaluation_time_replaces_the_measured_one():
    run = TimeEfficiency.of(history(), evaluation_time=10.0)
    np.testing.assert_allclose(run.computation_time, [10.5, 10, 11, 10, 11])
    np.testing.assert_allclose(run.overhead_time, OVERHEAD)


def test_times_that_were_not_told_must_be_assumed():
    with pytest.raises(ValueError, match="assume one"):
        TimeEfficiency.of(history([None] * 5))
    assert TimeEfficiency.of(history([None] * 5), 0.1).time_stamps[-1] == pytest.approx(3.0)


def test_no_time_at_all():
    free = TimeEfficiency(np.array([1.0, 2.0, 2.0]), np.zeros(3), np.zeros(3))
    np.testing.assert_array_equal(free.gain_per_second(1), [np.inf, 0.0])
    with pytest.raises(ValueError, match="window"):
        free.gain_per_second(0)


@pytest.mark.parametrize("name", ["bo", "ea", "bea"])
def test_any_optimizer_has_one(name):
    times = {"evaluation_time": 0.5, "overhead_time": 0.25}
    optimizer = run(create(name, 3, budget=20), 15, lambda x: float(x.sum()), **times)
    found = TimeEfficiency.of(optimizer.history)
    assert found.time_stamps[-1] == pytest.approx(15 * 0.75)
    gained = found.gain_per_second(14)[0] * 14 * 0.75
    assert gained == pytest.approx(optimizer.best[1] - optimizer.history[0].fitness)
