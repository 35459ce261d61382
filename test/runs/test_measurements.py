# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a log put together to evaluations: repetitions, corrections, what was told."""

import math

import pytest

from bea_ros.runs.folder.measurements import (
    evaluations_of,
    measurements,
    spread,
    told,
    told_measurements,
)


def line(number, fitness, kind=None):
    record = {
        "evaluation": number,
        "fitness": fitness,
        "attempts": 2,
        "time": {"at": f"{fitness}", "overhead": 1.0, "evaluation": 30.0},
    }
    return {**record, "kind": kind} if kind else record


def test_a_log_of_single_measurements_is_its_lines():
    lines = [line(1, 0.1), line(2, 0.2)]
    assert evaluations_of(lines) == lines
    assert measurements(lines[0]) == told_measurements(lines[0]) == [0.1]
    assert told(lines[1]) == 0.2
    assert math.isnan(spread(lines[0]))


def test_repetitions_are_averaged_and_their_times_added_up():
    lines = [line(1, 0.1), line(2, 0.2), line(2, 0.4, "repetition"), line(3, 0.0)]
    first, second, third = evaluations_of(lines)
    assert (first, third) == (lines[0], lines[3])
    assert second["fitness"] == told(second) == pytest.approx(0.3)
    assert spread(second) == pytest.approx(math.sqrt(0.02))
    assert second["attempts"] == 4
    assert second["time"] == {"at": "0.4", "overhead": 2.0, "evaluation": 60.0}


def test_times_that_only_some_measurements_have_are_added_up_as_well():
    lines = [line(1, 0.1), line(1, 0.2, "repetition"), line(1, 0.3, "repetition")]
    lines[0]["time"]["interruptions"] = 2
    lines[1]["time"]["late pulses"] = 0.25
    (only,) = evaluations_of(lines)
    assert only["time"] == {
        "at": "0.3", "overhead": 3.0, "evaluation": 90.0, "interruptions": 2, "late pulses": 0.25
    }  # fmt: skip


def test_a_correction_replaces_what_was_measured_before():
    lines = [line(1, 0.9), line(1, 0.8, "repetition"), line(1, 0.2, "correction")]
    lines += [line(1, 0.4, "repetition"), line(2, 0.1)]
    first, _ = evaluations_of(lines)
    assert measurements(first) == told_measurements(first) == [0.2, 0.4]
    assert first["doubted"] == [0.9, 0.8]


def test_what_is_repeated_at_the_end_counts_but_was_not_told():
    lines = [line(1, 0.6), line(2, 0.1), line(1, 0.2, "repetition"), line(1, 0.4, "repetition")]
    first, _ = evaluations_of(lines)
    assert told(first) == 0.6
    assert first["fitness"] == pytest.approx(0.4)
