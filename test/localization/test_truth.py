# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fitness as the camera sees it against the simulator's own truth, over random controllers."""

import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.observed import Laboratory
from bea_ros.tasks import find_task

TOLERANCE = {  # relative, and absolute where the robot hardly moves
    "gait": (0.02, 0.002),
    "directed_locomotion": (0.03, 0.005),
    "rotating": (0.03, 0.03),
}


@pytest.mark.parametrize("name", ["spider9", "gecko7", "babyA"])
def test_fitness_agrees_with_the_truth(name):
    laboratory = Laboratory(load_robot(name))
    rng = np.random.default_rng(5)
    for _ in range(4):
        parameters = rng.uniform(0, 1, len(laboratory.robot.parameter_names))
        observed = laboratory.observe(CpgNetwork(laboratory.robot, parameters), 30.0)
        for task, (relative, absolute) in TOLERANCE.items():
            measured = find_task(task).evaluate(observed.seen).value
            actual = find_task(task).evaluate(observed.truth).value
            assert measured == pytest.approx(actual, rel=relative, abs=absolute), task
