# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gain per second of a run."""

from __future__ import annotations

import pytest

from bea_ros.runs.efficiency import gains_per_second


def test_gain_per_second_of_the_last_evaluations_or_of_what_there_are(monkeypatch):
    monkeypatch.setattr("bea_ros.runs.efficiency.WINDOW", 2)
    evaluations = [
        {"fitness": fitness, "time": {"overhead": 0.5, "evaluation": 1.5}}
        for fitness in (1.0, 0.0, 2.0, 5.0, 4.0)
    ]
    assert gains_per_second(evaluations) == pytest.approx([0.0, 0.0, 1 / 4, 4 / 4, 3 / 4])
    assert gains_per_second([]) == []


def test_the_first_measured_fitness_is_no_gain_over_a_candidate_that_was_given_up():
    time = {"overhead": 0.5, "evaluation": 1.5}
    given_up = {"fitness": 0.0, "given_up": True, "time": time}
    evaluations = [{"fitness": fitness, "time": time} for fitness in (-0.3, -0.4, -0.1)]
    assert gains_per_second([given_up, *evaluations]) == pytest.approx([0.0, 0.0, 0.0, 0.2 / 6])
    assert gains_per_second([given_up]) == [0.0]
