# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far joints can move a robot: gaits of the simulator stay within it, hands do not."""

from __future__ import annotations

import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork, output_of
from bea_ros.robots.reach import Reach
from bea_ros.simulation.rollout import samples
from bea_ros.simulation.world import World

ROBOTS = ("spider9", "gecko7", "babyA")
DURATION = 12.0  # s
SEEN = 5  # every so many control ticks


def gait(name: str, motor: str, seed: int, scale: float = 1.0) -> tuple[dict[str, float], tuple]:
    """A candidate's weights, and t, x, y, yaw of the robot that it drives."""
    world = World(load_robot(name), motor=motor)
    names = world.robot.parameter_names
    drawn = scale * np.random.default_rng(seed).uniform(-1.5, 1.5, len(names))
    weights = dict(zip(names, drawn.tolist(), strict=True))
    output = output_of("default" if motor == "servo" else "paper")
    network = CpgNetwork.from_weights(world.robot, weights, output)
    t, x, y, yaw, _ = samples(world, network, DURATION)[::SEEN].T
    return weights, (t, x, y, np.unwrap(yaw))


def reach_of(name: str, motor: str) -> Reach:
    return Reach(load_robot(name), motor, output_of("default" if motor == "servo" else "paper"))


@pytest.mark.parametrize("motor", ["servo", "revolve"])
@pytest.mark.parametrize("name", ROBOTS)
def test_no_gait_goes_further_than_its_joints_allow(name: str, motor: str) -> None:
    reach = reach_of(name, motor)
    for seed in range(3):
        weights, seen = gait(name, motor, seed, scale=(1.0, 0.3, 2.0)[seed])
        assert reach.objection(reach.network_of(weights), *seen) == ""


def test_servos_that_overshoot_after_the_papers_commands_are_no_hand() -> None:
    """These jump from limit to limit: the body came 27 mm further than the joints' targets say."""
    robot = load_robot("gecko7")
    candidate = np.random.default_rng(1).random(len(robot.parameter_names))
    network = CpgNetwork(robot, candidate, 1.5, "clip")
    t, x, y, yaw, _ = samples(World(robot), network, DURATION)[::SEEN].T
    assert Reach(robot, "servo", "clip").objection(network, t, x, y, np.unwrap(yaw)) == ""


@pytest.mark.parametrize("name", ROBOTS)
def test_a_hand_is_told_from_the_joints(name: str) -> None:
    reach = reach_of(name, "servo")
    weights, (t, x, y, yaw) = gait(name, "servo", 1, scale=0.3)
    for direction in np.arange(4) * np.pi / 2:
        way = 0.15 * np.clip((t - 4.0) / 0.5, 0.0, 1.0)
        moved = (x + way * np.cos(direction), y + way * np.sin(direction))
        words = reach.objection(reach.network_of(weights), t, *moved, yaw)
        assert "it was carried" in words
        since = float(words.split(" s after the start")[0].rsplit(" ", 1)[-1])
        assert 3.0 <= since <= 4.5


def test_a_robot_whose_joints_stand_still_goes_nowhere() -> None:
    robot = load_robot("gecko7")
    still = dict.fromkeys(robot.parameter_names, 0.0)
    t = np.arange(0.0, 12.0, 0.25)
    place, reach = np.zeros_like(t), Reach(robot)
    assert reach.objection(reach.network_of(still), t, place, place, place) == ""
    assert reach.objection(reach.network_of(still), t, 0.03 * (t > 5.0), place, place)
    assert reach.objection(reach.network_of(still), t, place, -0.03 * (t > 5.0), place)
    assert reach.objection(reach.network_of(still), t, place, place, 1.5 * (t > 5.0)) == "", (
        "it may turn on the spot"
    )
