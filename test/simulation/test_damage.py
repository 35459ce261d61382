# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Broken joints."""

import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.robots.damage import DamageError, by_joint, damages_of
from bea_ros.simulation.rollout import samples
from bea_ros.simulation.world import World

ROBOT = load_robot("spider9")
NETWORK = CpgNetwork(ROBOT, np.random.default_rng(3).random(len(ROBOT.parameter_names)), 1.5)
JOINTS = [joint.name for joint in ROBOT.joints]


def angles(world, seconds=4.0):
    """Angles of all joints while the network drives them, by joint."""
    found = []
    world.reset()
    for tick in range(round(20 * seconds)):
        world.step(NETWORK.output(tick / 20), 0.05)
        found.append(world.joint_positions.copy())
    return dict(zip(JOINTS, np.array(found).T, strict=True))


def broken(text, motor="servo"):
    return World(ROBOT, motor=motor, damages=damages_of(by_joint(text), ROBOT))


@pytest.mark.parametrize("motor", ["servo", "revolve"])
def test_a_stuck_joint_stays_at_its_angle_and_the_others_move(motor):
    moved = angles(broken("leg_00=stuck:0.5,leg_10=stuck", motor))
    assert np.abs(moved["leg_00"] - 0.5).max() < 0.03
    assert np.abs(moved["leg_10"]).max() < 0.03
    assert np.ptp(moved["leg_20"]) > 0.2


@pytest.mark.parametrize("motor", ["servo", "revolve"])
def test_a_limp_joint_gives_no_torque(motor):
    world = broken("leg_00=limp,leg_01=limp", motor)
    angles(world)
    torques = dict(zip(JOINTS, world.motors.torques(world.data), strict=True))
    assert torques["leg_00"] == torques["leg_01"] == 0.0
    assert torques["leg_10"] != 0.0


def test_what_is_missing_neither_weighs_nor_is_seen():
    whole, world = World(ROBOT), broken("leg_00=missing")
    leg = sum(whole.model.body(f"leg_0{i}_servo").mass[0] for i in (0, 1))
    lost = whole.model.body_mass.sum() - world.model.body_mass.sum()
    assert lost == pytest.approx(leg, rel=1e-3)
    seen = [bool(np.abs(pose[:3, :3]).max()) for pose in world.module_poses()]
    assert 0 < seen.count(False) < len(seen) / 3
    assert all(np.abs(pose[:3, :3]).max() for pose in whole.module_poses())


def test_damage_may_come_and_go_while_the_robot_moves():
    world = World(ROBOT)
    for tick in range(20):
        world.step(NETWORK.output(tick / 20), 0.05)
    world.damage(damages_of({"leg_00": "stuck:-0.4"}, ROBOT))
    for tick in range(20, 60):
        world.step(NETWORK.output(tick / 20), 0.05)
    assert world.joint_positions[JOINTS.index("leg_00")] == pytest.approx(-0.4, abs=0.03)
    world.damage({})
    assert np.array_equal(samples(world, NETWORK, 2.0), samples(World(ROBOT), NETWORK, 2.0))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("leg_00", "JOINT=limp"),
        ("leg_00=limp,leg_00=stuck", "each once"),
        ("arm=limp", "no joint 'arm' to damage, only leg_01"),
        ("leg_00=gone", "'gone': allowed is one of none, limp, stuck, missing"),
        ("leg_00=limp:0.1", "allowed is one of"),
        ("leg_00=stuck:2", "from -0.785 to 0.785 rad"),
        ("leg_00=stuck:nan", "allowed is one of"),
    ],
)
def test_a_damage_that_there_is_not_is_told_in_a_line(text, reason):
    with pytest.raises(DamageError, match=reason) as told:
        damages_of(by_joint(text), ROBOT)
    assert "\n" not in str(told.value)


def test_a_joints_name_may_have_a_blank():
    words = by_joint(" left knee = limp, leg_00=stuck: 0.5 ")
    assert words == {"left knee": "limp", "leg_00": "stuck:0.5"}


def test_none_is_no_damage():
    assert damages_of({"leg_00": "none"}, ROBOT) == {}
    assert by_joint("") == {}
