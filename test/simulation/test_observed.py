# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot under the camera in one process, and errors like the camera's without one."""

import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.observed import IMAGE_RATE, Laboratory, PoseNoise


@pytest.fixture(scope="module")
def laboratory():
    return Laboratory(load_robot("gecko7"))


def network(robot, seed=0):
    parameters = np.random.default_rng(seed).uniform(0, 1, len(robot.parameter_names))
    return CpgNetwork(robot, parameters)


def test_assumed_noise_is_that_of_the_camera(laboratory):
    errors = []
    for seed in range(3):
        observed = laboratory.observe(network(laboratory.robot, seed), 20.0)
        true, seen = observed.truth, observed.seen
        for values, truth in ((seen.x, true.x), (seen.y, true.y), (seen.yaw, true.yaw)):
            errors.append((values - np.interp(seen.t, true.t, truth)).std())
    x, y, yaw = np.reshape(errors, (3, 3)).mean(0)
    assumed = PoseNoise()
    assert 0.5 < x / assumed.position < 2
    assert 0.5 < y / assumed.position < 2
    assert 0.5 < yaw / assumed.yaw < 2


def test_the_camera_sees_start_and_end(laboratory):
    cpg = network(laboratory.robot)
    for duration in (3.0, 3.1, 2.51):
        observed = laboratory.observe(cpg, duration)
        assert observed.seen.t[0] == 0.0
        assert observed.seen.t[-1] == duration
        assert observed.truth.t[-1] == pytest.approx(duration, abs=0.05)
        assert observed.truth.t[-1] > duration - 1e-9
        inside = observed.seen.t[observed.seen.t < duration]
        assert np.allclose(np.diff(inside), 1 / IMAGE_RATE)


def test_start_elsewhere_and_another_seed_of_the_noise(laboratory):
    cpg = network(laboratory.robot)
    observed = laboratory.observe(cpg, 2.0, start=(0.5, -0.4, 2.0))
    assert (observed.seen.x[0], observed.seen.y[0]) == pytest.approx((0.5, -0.4), abs=0.01)
    assert observed.seen.yaw[0] == pytest.approx(2.0, abs=0.02)
    again = laboratory.observe(cpg, 2.0, start=(0.5, -0.4, 2.0))
    assert (again.seen.x == observed.seen.x).all()
    other = Laboratory(laboratory.robot, seed=2).observe(cpg, 2.0, start=(0.5, -0.4, 2.0))
    assert (other.truth.x == observed.truth.x).all()
    assert (other.seen.x != observed.seen.x).any()
