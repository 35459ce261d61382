# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""In-process evaluation: its noise, its arena, and what cannot be trusted."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bea_ros.localization.arena import load_arena
from bea_ros.localization.window import Untrusted
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.evaluation import Evaluator, _endless
from bea_ros.simulation.observed import PoseNoise
from bea_ros.simulation.rollout import rollout
from bea_ros.tasks import find_task

ROBOT = load_robot("gecko7")
GAIT, ROTATING = find_task("gait"), find_task("rotating")
CANDIDATE = np.random.default_rng(4).uniform(0, 1, len(ROBOT.parameter_names))


def test_fitness_is_that_of_the_rollout():
    evaluator = Evaluator(ROBOT, GAIT, 4.0)
    path = rollout(evaluator.world, CpgNetwork(ROBOT, CANDIDATE), 4.0)
    moved = math.hypot(path.x[-1] - path.x[0], path.y[-1] - path.y[0])
    assert evaluator.fitness_or_none(CANDIDATE) == pytest.approx(moved / 4.0)


def test_published_output_goes_with_the_published_profiles():
    clipped = CpgNetwork(ROBOT, CANDIDATE, output="clip")
    evaluator = Evaluator(ROBOT, GAIT, 4.0, profile="paper")
    path = rollout(evaluator.world, clipped, 4.0)
    assert (evaluator.trajectory(CANDIDATE).x == path.x).all()
    assert (Evaluator(ROBOT, GAIT, 4.0).trajectory(CANDIDATE).x != path.x).any()


def test_noise_is_as_large_as_said_and_belongs_to_the_candidate():
    true = Evaluator(ROBOT, GAIT, 30.0).trajectory(CANDIDATE)
    noisy = Evaluator(ROBOT, GAIT, 30.0, noise=PoseNoise(0.01, 0.1))
    seen = noisy.trajectory(CANDIDATE)
    assert len(seen.t) == 121  # four poses a second, as the camera's
    error = seen.x - np.interp(seen.t, true.t, true.x)
    turn = seen.yaw - np.interp(seen.t, true.t, true.yaw)
    assert error.std() == pytest.approx(0.01, rel=0.25)
    assert turn.std() == pytest.approx(0.1, rel=0.25)
    noisy.trajectory(1.0 - CANDIDATE)
    assert (noisy.trajectory(CANDIDATE).x == seen.x).all()
    other = Evaluator(ROBOT, GAIT, 30.0, noise=PoseNoise(0.01, 0.1), seed=1)
    assert (other.trajectory(CANDIDATE).x != seen.x).any()


def test_evaluation_ends_at_the_arenas_edge():
    free = Evaluator(ROBOT, GAIT, 20.0)
    path = free.trajectory(CANDIDATE)
    reach = np.maximum(np.abs(path.x), np.abs(path.y))
    edge = 0.9 * reach.max()
    at = path.t[np.argmax(reach > edge)]
    size = 2 * (edge + 0.15)  # an evaluation ends 0.15 m from the border
    arena = replace(load_arena(ROBOT), width=size, depth=size, floor_markers=())
    bounded = Evaluator(ROBOT, GAIT, 20.0, arena=arena).trajectory(CANDIDATE)
    assert bounded.t[-1] == pytest.approx(at)
    assert at < 20.0


def test_a_robot_that_falls_over_has_no_fitness():
    samples = np.zeros((5, 5))
    samples[:, 0] = np.arange(5) * 0.5
    samples[3, 4] = math.radians(80)
    with pytest.raises(Untrusted, match=r"fell over 1\.5 s"):
        _endless(samples)
