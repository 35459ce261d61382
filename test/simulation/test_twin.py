# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A hand that carries the robot by 5 cm is told from a gait, also where the simulator is wrong."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE, CpgNetwork
from bea_ros.robots.reach import Reach
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import rollout
from bea_ros.simulation.twin import Expected, Twin
from bea_ros.simulation.world import World
from bea_ros.tasks.trajectory import Trajectory

USUAL = Physics()
OTHER = Physics(friction=0.85, mass_scale=1.15, torque_scale=0.9, gain_scale=0.85)
ROBOTS = ("spider9", "gecko7", "babyA")


def weights_of(name: str, seed: int) -> Mapping[str, float]:
    names, rng = load_robot(name).parameter_names, np.random.default_rng(seed)
    drawn = PUBLISHED_WEIGHT_RANGE * (2 * rng.random(len(names)) - 1)
    return dict(zip(names, drawn.tolist(), strict=True))


def walked(name: str, weights: Mapping[str, float], physics: Physics, seed: int) -> Trajectory:
    """A trajectory of 30 s with the camera's errors, 4 poses a second."""
    robot, rng = load_robot(name), np.random.default_rng(seed)
    all_of = rollout(World(robot, physics), CpgNetwork.from_weights(robot, weights), 30.0)
    t, x, y, yaw = (part[::5] for part in (all_of.t, all_of.x, all_of.y, all_of.yaw))
    x, y = (part + 0.002 * rng.standard_normal(len(t)) for part in (x, y))
    return Trajectory(t, x, y, yaw + 0.01 * rng.standard_normal(len(t)))


def by_hand(trajectory: Trajectory, way: float, since: float, takes: float = 1.0) -> Trajectory:
    """The same robot, carried to the right by `way` (m)."""
    share: NDArray[np.float64] = np.clip((trajectory.t - since) / takes, 0.0, 1.0)
    y = trajectory.y - way * share**2 * (3 - 2 * share)
    return Trajectory(trajectory.t, trajectory.x, y, trajectory.yaw)


@pytest.mark.parametrize("physics", [USUAL, OTHER], ids=["usual", "other"])
@pytest.mark.parametrize("name", ROBOTS)
def test_a_hand_is_told_from_a_gait(name: str, physics: Physics) -> None:
    twin = Twin(Reach(load_robot(name)), real=False)
    for seed in range(4):
        weights = weights_of(name, seed)
        own = walked(name, weights, physics, seed)
        with twin.expecting(weights, 30.0) as expected:
            assert expected.objection(own) == ""
            carried = expected.objection(by_hand(own, 0.05, since=4.0 + 6 * seed))
        assert "unlike its simulated twin" in carried
        when = float(carried.split(" s after the start")[0].split()[-1])
        assert when == pytest.approx(4.0 + 6 * seed, abs=1.5)


def test_a_robot_that_the_simulator_does_not_know_is_not_carried() -> None:
    twin = Twin(Reach(load_robot("spider9")), real=True)
    for seed in range(4):
        with twin.expecting(weights_of("spider9", seed), 30.0) as expected:
            strange = walked("spider9", weights_of("spider9", seed + 10), USUAL, seed)
            assert expected.objection(strange) == ""


def test_what_happens_again_at_the_next_attempt_was_no_hand() -> None:
    twin, weights = Twin(Reach(load_robot("gecko7")), real=False), weights_of("gecko7", 1)
    slips = [by_hand(walked("gecko7", weights, USUAL, seed), 0.06, since=12.0) for seed in (1, 2)]
    later = by_hand(walked("gecko7", weights, USUAL, 3), 0.06, since=20.0)
    with twin.expecting(weights, 30.0) as expected:
        assert expected.objection(slips[0])
    with twin.expecting(weights, 30.0) as expected:
        assert expected.objection(later)
        assert expected.objection(slips[1]) == ""
    with twin.expecting(weights_of("gecko7", 2), 30.0):  # another candidate
        pass
    with twin.expecting(weights, 30.0) as expected:
        assert expected.objection(slips[1])


def test_a_robot_that_left_the_arena_is_compared_until_then() -> None:
    twin, weights = Twin(Reach(load_robot("babyA")), real=False), weights_of("babyA", 3)
    own = walked("babyA", weights, USUAL, 1)
    early = Trajectory(own.t[:60], own.x[:60], own.y[:60], own.yaw[:60])
    with twin.expecting(weights, 30.0) as expected:
        assert expected.objection(early) == ""
        assert expected.objection(by_hand(early, 0.05, since=8.0))


def test_an_interrupted_evaluation_ends_its_simulation() -> None:
    robot = load_robot("spider9")
    twin = Twin(Reach(robot), real=True)
    expected = Expected(twin, CpgNetwork.from_weights(robot, weights_of("spider9", 1)), 1e6)
    expected.cancelled.set()
    ended = threading.Event()
    twin.submit(0, Expected(twin, expected.network, 0.5)).add_done_callback(lambda _: ended.set())
    assert ended.wait(60)
