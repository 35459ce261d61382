# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What pages say that no run decides."""

from __future__ import annotations

import numpy as np
import pytest

from bea_ros.report import pages
from bea_ros.report.happened import facts_of
from bea_ros.report.interactive import rhythm
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork


@pytest.mark.parametrize("speed", [0.45, 1.0, 2.0, 7.0])  # rad/s
def test_the_rhythm_is_that_of_a_single_oscillator(speed: float) -> None:
    robot = load_robot("spider9")
    weights = dict.fromkeys(robot.parameter_names, 0.0)
    weights[robot.joints[0].name] = speed
    period = rhythm(CpgNetwork.from_weights(robot, weights))
    assert period == pytest.approx(2 * np.pi / speed, rel=0.005)


def test_a_robot_that_stands_still_has_no_rhythm() -> None:
    robot = load_robot("spider9")
    still = CpgNetwork.from_weights(robot, dict.fromkeys(robot.parameter_names, 0.0))
    assert rhythm(still) == 60.0


def test_few_runs_prove_nothing() -> None:
    assert "At most 2 runs of each method" in pages.caution(2)
    assert "proves nothing" in pages.caution(1)
    assert not pages.caution(20)


def test_what_was_skipped_is_no_sample() -> None:
    time = {"overhead": 0.1, "evaluation": 30.0}
    records = [
        {"evaluation": n, "stage": "initial", "fitness": f, "given_up": f == 0,
         "attempts": 1, "time": time}
        for n, f in enumerate((0.02, 0.04, 0.06, 0.0, 0.0), 1)
    ]  # fmt: skip
    facts, _ = facts_of(records, records[2], "m/s", {})
    assert facts["best / median initial sample"] == "1.5"
