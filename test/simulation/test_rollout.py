# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluation in the simulator alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bea_ros.robots.cpg import CommandLimiter, CpgNetwork
from bea_ros.robots.description import load_robot
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import rollout, ticks_in
from bea_ros.simulation.world import World
from bea_ros.tasks.trajectory import Trajectory


def random_cpg(world: World, seed: int, **options: object) -> CpgNetwork:
    parameters = np.random.default_rng(seed).random(len(world.robot.parameter_names))
    return CpgNetwork(world.robot, parameters, **options)


def displacement(trajectory: Trajectory) -> float:
    return math.dist(trajectory.positions[0], trajectory.positions[-1])


@pytest.fixture(scope="module")
def spider() -> World:
    return World(load_robot("spider9", masses="measured"))


def test_the_command_of_each_tick_holds_until_the_next(spider: World) -> None:
    cpg = random_cpg(spider, 1, weight_range=3.0)
    trajectory = rollout(spider, cpg, 2.0)
    limiter = CommandLimiter(spider.robot.joints)
    spider.reset()
    poses = [spider.base_pose()]
    for tick in range(40):
        command = limiter.limit(cpg.output(tick / 20), 0.05)
        for _ in range(10):
            spider.step(command, 0.005)
        poses.append(spider.base_pose())
    np.testing.assert_array_equal(trajectory.x, [pose[0, 3] for pose in poses])
    np.testing.assert_array_equal(trajectory.y, [pose[1, 3] for pose in poses])
    np.testing.assert_allclose(trajectory.t, np.arange(41) * 0.05, atol=1e-9)
    np.testing.assert_allclose(
        trajectory.yaw, [math.atan2(pose[1, 0], pose[0, 0]) for pose in poses]
    )


@pytest.mark.parametrize(
    ("duration", "ticks"), [(0.1, 2), (0.12, 3), (2.51, 51), (15.01, 301), (30.0, 600)]
)
def test_no_duration_ends_before_its_last_tick(duration: float, ticks: int) -> None:
    assert ticks_in(duration) == ticks


def test_starts_at_rest_at_the_origin_and_again(spider: World) -> None:
    cpg = random_cpg(spider, 2)
    first = rollout(spider, cpg, 5.0)
    assert (first.t[0], first.x[0], first.y[0]) == (0.0, 0.0, 0.0)
    assert first.t[-1] == pytest.approx(5.0)
    second = rollout(spider, cpg, 5.0)
    for name in ("t", "x", "y", "yaw"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_controllers_differ_and_a_still_one_stays(spider: World) -> None:
    moving = [displacement(rollout(spider, random_cpg(spider, seed), 10.0)) for seed in range(6)]
    assert len({round(d, 4) for d in moving}) == 6
    still = CpgNetwork(spider.robot, np.full(18, 0.5))
    assert displacement(rollout(spider, still, 10.0)) < 0.02
    assert max(moving) > 0.05


@pytest.mark.parametrize("name", ["spider9", "gecko7", "babyA"])
def test_halving_the_time_step_hardly_changes_a_gait(name: str) -> None:
    robot = load_robot(name)
    usual, fine = (World(robot, Physics(timestep=step)) for step in (0.005, 0.0025))
    gaits = [random_cpg(usual, seed, weight_range=3.0) for seed in range(8)]
    distances = [displacement(rollout(usual, gait, 10.0)) for gait in gaits]
    best = gaits[int(np.argmax(distances))]
    assert displacement(rollout(fine, best, 10.0)) == pytest.approx(max(distances), rel=0.15)


def test_published_output_shape_walks_too(spider: World) -> None:
    trajectory = rollout(spider, random_cpg(spider, 0, output="clip"), 10.0)
    assert displacement(trajectory) > 0.005
