# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a candidate commands its joints to do, against the published equations integrated."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import INITIAL_A, INITIAL_B, CpgNetwork
from bea_ros.robots.motion import SAMPLING, CommandedMotion

DURATION = 20.0


def moments(robot, x):
    """Mean, covariances and enclosed areas of the joints, from an integrator and pair by pair."""
    n, matrix = len(robot.joints), CpgNetwork(robot, x).matrix
    start = [INITIAL_A] * n + [INITIAL_B] * n
    times = np.arange(0.0, DURATION, SAMPLING)
    solved = solve_ivp(
        lambda _, state: matrix @ state,
        (0, DURATION),
        start,
        t_eval=times,
        method="DOP853",
        rtol=1e-11,
        atol=1e-11,
    ).y
    position = np.tanh(solved[:n])
    velocity = (matrix @ solved)[:n] / np.cosh(solved[:n]) ** 2
    still = [position[i].mean() for i in range(n)]
    centred = [position[i] - still[i] for i in range(n)]
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    return np.array(
        still
        + [np.mean(centred[i] * centred[j]) for i, j in pairs]
        + [np.mean(velocity[i] * velocity[j]) for i, j in pairs]
        + [
            np.mean(centred[i] * velocity[j] - centred[j] * velocity[i])
            for i, j in pairs
            if i != j
        ]
    )


@pytest.mark.parametrize("name", ["spider9", "gecko7", "babyA"])
def test_features_are_moments_of_the_integrated_motion(name):
    robot = load_robot(name)
    features = CommandedMotion(robot, DURATION)
    x = np.random.default_rng(5).random((6, len(robot.parameter_names)))
    seen, d = features(x), x.shape[1]
    np.testing.assert_allclose(seen[:, -d:], x / np.sqrt(2.0))
    ratio = seen[:, :-d] / np.array([moments(robot, one) for one in x])
    # Each feature has a unit of its own, the same for all candidates.
    np.testing.assert_allclose(ratio, np.tile(ratio[0], (6, 1)), rtol=1e-5)
    assert (ratio > 0.0).all()


def test_random_candidates_are_as_far_apart_in_features_as_in_parameters():
    robot = load_robot("spider9")
    x = np.random.default_rng(6).random((600, len(robot.parameter_names)))
    spread = CommandedMotion(robot, DURATION)(x).var(axis=0).sum()
    assert spread == pytest.approx(x.var(axis=0).sum(), rel=0.15)


def test_joints_in_phase_enclose_no_area_and_joints_without_weights_stay():
    robot = load_robot("gecko7")
    n = len(robot.joints)
    x = np.full(len(robot.parameter_names), 0.5)
    x[:n] = 0.8  # own weights alone: every joint by itself, all in phase
    alone = CommandedMotion(robot, DURATION)(x[None, :])[0, : -len(x)]
    areas = alone[-n * (n - 1) // 2 :]
    np.testing.assert_allclose(areas, 0.0, atol=1e-9)
    still = CommandedMotion(robot, DURATION)(np.full((1, len(x)), 0.5))[0, : -len(x)]
    np.testing.assert_allclose(still[n:], 0.0, atol=1e-9)
    assert abs(still[:n]).min() > 0.0, "without weights the joints stay where they start"


def test_rounding_is_no_feature_of_a_motion_that_is_too_short_to_show_one():
    robot = load_robot("spider9")
    x = np.random.default_rng(6).random((40, len(robot.parameter_names)))
    features = CommandedMotion(robot, 0.2)
    np.testing.assert_allclose(features(x + 1e-9), features(x), atol=1e-6)


@pytest.mark.parametrize("dimension", [13, 20])
def test_candidates_of_another_robot_are_refused(dimension):
    motion = CommandedMotion(load_robot("spider9"), 30.0)
    words = f"candidates have {dimension} parameters, but spider9 has 18"
    with pytest.raises(ValueError, match=words):
        motion(np.full((1, dimension), 0.5))
