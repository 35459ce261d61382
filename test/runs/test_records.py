# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of a measurement, and that against its trajectory, whose numbers are rounded."""

from __future__ import annotations

import numpy as np
import pytest
from example_run import record as example

from bea_ros.runs.folder.records import check_measurement, disagreement, rows_of
from bea_ros.tasks import Trajectory, find_task

TASKS = ("gait", "gait:form=path", "directed_locomotion:direction=1", "rotating")
SPEEDS = 10.0 ** np.arange(-7, 0)  # m/s and rad/s; the slowest moves by less than is stored


def walk(chance: np.random.Generator, ran: float, speed: float) -> Trajectory:
    """As 30 images a second show it; the evaluation begins and ends between two of them."""
    known = np.arange(0.0, ran + 0.3, 0.1)
    steps = speed * 0.1 * chance.standard_normal((3, len(known)))
    seen = np.arange(chance.uniform(0, 1 / 30), ran, 1 / 30)
    t = np.concatenate([[0.0], seen[(seen > 0) & (seen < ran)], [ran]])
    return Trajectory(t, *(np.interp(t, known, one.cumsum()) for one in steps))


@pytest.mark.parametrize("name", TASKS)
def test_rounding_is_allowed_and_no_more(name: str) -> None:
    chance, task = np.random.default_rng(1), find_task(name)
    noticed = []
    for speed in SPEEDS:
        for asked in (0.5, 2.0, 30.0):
            ran = asked * chance.uniform(0.3, 1.0)
            measured = walk(chance, ran, speed)
            fitness = task.evaluate(measured, asked)
            stored = Trajectory(*np.array(rows_of(measured)).T)
            record = {"fitness": fitness.value, "terms": fitness.terms}
            assert disagreement(record, stored, task, asked) == ""
            for change in (0.01, -0.01):
                told = record | {"fitness": fitness.value + change}
                noticed.append(bool(disagreement(told, stored, task, asked)))
            longer = record | {"terms": fitness.terms | {"duration": ran + 0.01}}
            assert "its duration" in disagreement(longer, stored, task, asked)
    assert np.mean(noticed) > 0.9


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("time", {"overhead": -0.1, "evaluation": 1.0}, "none below 0"),
        ("time", {"overhead": 0.1, "evaluation": float("nan")}, "finite numbers"),
        ("time", {"overhead": 0.1}, "no evaluation"),
        ("fitness", True, "fitness is not a finite number"),
        ("kind", "guess", "'guess' is unknown"),
        ("told", [0.1, "x"], "it has told, which is computed of several lines"),
    ],
)
def test_what_no_optimizer_can_be_told_is_damage(name: str, value: object, words: str) -> None:
    check_measurement(example(3), 2)
    with pytest.raises(ValueError, match=words):
        check_measurement(example(3) | {name: value}, 2)
