# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts and energy of a gait, and that measuring changes nothing."""

import mujoco
import numpy as np
import pytest

from bea_ros.robots import load_robot, robot_names
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.metered import MeteredWorld
from bea_ros.simulation.rollout import rollout
from bea_ros.simulation.world import World


def energy_of(world: World) -> float:
    """Kinetic and potential energy now (J); only valid with motor "servo"."""
    mujoco.mj_energyPos(world.model, world.data)
    mujoco.mj_energyVel(world.model, world.data)
    return float(np.sum(world.data.energy))


@pytest.mark.parametrize("name", robot_names())
def test_energy_is_accounted_for_and_contacts_only_take(name):
    robot = load_robot(name)
    cpg = CpgNetwork(robot, np.random.default_rng(3).random(len(robot.parameter_names)))
    world = MeteredWorld(robot)
    at_rest = energy_of(world)
    measured = rollout(world, cpg, 10.0)
    assert np.array_equal(measured.x, rollout(World(robot), cpg, 10.0).x)
    gained = energy_of(world) - at_rest
    assert world.work["motors"] > 10 * abs(gained)
    assert sum(world.work.values()) == pytest.approx(gained, abs=0.01 * world.work["motors"])
    assert world.work["damping"] < 0
    assert world.work["contacts"] < 0
    assert len(world.penetrations) == 2000
    assert np.mean(world.penetrations) < 0.0005
    assert world.airborne < 200
    world.reset()
    assert (world.penetrations, world.airborne, world.work["motors"]) == ([], 0, 0.0)


def test_what_flies_is_seen_to_and_what_rests_to_touch():
    robot = load_robot("gecko7")
    world = MeteredWorld(robot)
    neutral = np.zeros(len(robot.joints))
    world.step(neutral, 0.5)
    assert (world.airborne, len(world.penetrations)) == (0, 100)
    assert min(world.penetrations) > 0
    world.reset()
    world.data.qpos[2] += 1.0
    world.step(neutral, 0.1)
    assert world.airborne == 20
    assert max(world.penetrations) == 0
