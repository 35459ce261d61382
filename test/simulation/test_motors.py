# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Revolve's motor, by numbers worked out from its source (PositionMotor.cpp, Motor.cpp).

Its PID has P = 0.9 and a command within +-1 (CreatePid's default). The command is a velocity of
ODE's joint motor, which has the joint's effort limit, 0.17658 N m, as fmax.
"""

from __future__ import annotations

import re
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from bea_ros.robots import load_robot, robot_names
from bea_ros.robots.cpg import CommandLimiter, CpgNetwork
from bea_ros.robots.motors import motor_of, revolve_velocity
from bea_ros.simulation.metered import MeteredWorld
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import drive, samples
from bea_ros.simulation.world import World

PERIOD = 0.05  # s


@pytest.fixture
def floating() -> World:
    """A spider that hangs in the air, where nothing but its motors moves its joints."""
    world = World(load_robot("spider9"), Physics(gravity=1e-9), "revolve")
    world.data.qpos[2] = 1.0
    return world


@pytest.mark.parametrize(
    ("error", "velocity"),
    [(0.0, 0.0), (0.1, 0.09), (-0.5, -0.45), (1.0, 0.9), (1.2, 1.0), (-1.570765, -1.0)],
)
def test_velocity_is_nine_tenths_of_the_error_and_at_most_one(error, velocity):
    assert revolve_velocity(error) == pytest.approx(velocity)


def test_a_joint_goes_where_the_source_says(floating):
    """From 0 to 0.7 rad: each command moves a joint 0.9 x 0.05 of the way that is left."""
    target = np.full(8, 0.7)
    for tick in range(1, 41):
        floating.step(target, PERIOD)
        left = 0.7 * (1 - 0.9 * PERIOD) ** tick
        assert 0.7 - floating.joint_positions == pytest.approx(np.full(8, left), abs=2e-3)


def test_a_joint_far_from_its_target_turns_by_one_radian_a_second(floating):
    floating.data.qpos[floating._qpos] = -0.7853
    before = floating.joint_positions.copy()
    for _ in range(8):  # until 1 / 0.9 rad are left: the clip's 1.5708 less 0.4
        floating.step(np.full(8, 0.7853), PERIOD)
        assert floating.joint_velocities == pytest.approx(np.ones(8), abs=0.01)
    assert floating.joint_positions - before == pytest.approx(np.full(8, 0.4), abs=0.005)


@pytest.mark.parametrize(("load", "held"), [(0.16, True), (0.25, False)])
def test_the_motor_bears_its_effort_limit_and_no_more(floating, load, held):
    floating.data.qfrc_applied[floating._qvel[0]] = load
    floating.step(np.zeros(8), PERIOD)
    assert abs(floating.motors.torques(floating.data)).max() <= 0.17658 + 1e-9
    assert bool(abs(floating.joint_velocities[0]) < 0.01) is held


@pytest.mark.parametrize("name", robot_names())
def test_no_joint_turns_faster_than_one_radian_a_second(name):
    """But for a time step at a time, where the floor pushes harder than the motor bears."""
    robot = load_robot(name)
    world = MeteredWorld(robot, "revolve")
    rng = np.random.default_rng(7)
    speeds = []

    for _ in range(3):
        cpg = CpgNetwork(robot, rng.random(len(robot.parameter_names)), output="clip")
        limiter = CommandLimiter(robot.joints, "revolve")
        world.reset()
        for tick in range(200):
            command = limiter.limit(cpg.output(tick * PERIOD), PERIOD)
            world.motors.drive(world.data, command)
            for _ in range(10):
                mujoco.mj_step(world.model, world.data)
                speeds.append(abs(world.joint_velocities).max())
    assert np.quantile(speeds, 0.998) < 1.01
    assert max(speeds) < 1.3
    assert np.median(speeds) > 0.8  # bang-bang: mostly one goes as fast as it may


def test_the_profiles_of_the_paper_have_the_paper_s_motor():
    assert [motor_of(name) for name in ("default", "paper", "released")] == [
        "servo",
        "revolve",
        "revolve",
    ]


def test_published_commands_leap():
    robot = load_robot("gecko7")
    far = np.array([joint.upper for joint in robot.joints])
    assert (CommandLimiter(robot.joints, "revolve").limit(far, PERIOD) == far).all()
    assert (CommandLimiter(robot.joints).limit(far, PERIOD) < far).all()


def test_shaped_commands_move_as_the_motor_would(floating):
    """Where servos drive the joints, from 0 to 0.7 rad and then, from far off, by 1 rad/s."""
    limiter = CommandLimiter(floating.robot.joints, "revolve", shaped=True)
    for _ in range(40):
        floating.step(np.full(8, 0.7), PERIOD)
        command = limiter.limit(np.full(8, 0.7), PERIOD)
        assert floating.joint_positions == pytest.approx(command, abs=2e-3)
    limiter.reset(np.full(8, -0.78))
    before = limiter.command
    assert limiter.limit(np.full(8, 0.78), PERIOD) - before == pytest.approx(np.full(8, 0.05))
    limiter.reset(np.full(8, 0.04))
    assert (limiter.limit(np.zeros(8), PERIOD, direct=True) == 0.0).all(), "it comes to rest"


def test_a_servo_keeps_its_velocity_limit_without_damping_in_the_urdf():
    robot = load_robot("spider9")
    bare = replace(robot, urdf=re.sub(r'damping="[^"]*"', 'damping="0"', robot.urdf))
    world = World(bare, Physics(gravity=1e-9))
    world.data.qpos[2] = 1.0
    fastest = 0.0
    for tick in range(200):
        world.step(np.full(8, 0.6 * (-1) ** (tick // 20)), 0.01)
        fastest = max(fastest, np.abs(world.joint_velocities).max())
    assert fastest < 1.01 * robot.joints[0].velocity


def test_unknown_motor_is_refused_by_name():
    with pytest.raises(
        ValueError, match="unknown motor 'steam': allowed is one of servo, revolve"
    ):
        World(load_robot("gecko7"), motor="steam")


@pytest.mark.parametrize("delay", [0.0, 0.02])
def test_the_same_calls_give_the_same_numbers(delay):
    robot = load_robot("gecko7")
    world = World(robot, Physics(servo_delay=delay), "revolve")
    cpg = CpgNetwork(robot, np.full(13, 0.8), output="clip")
    first = samples(world, cpg, 3.0)
    assert (samples(world, cpg, 3.0) == first).all()


def test_what_motors_put_in_and_contacts_take_is_kept_apart():
    robot = load_robot("gecko7")
    world = MeteredWorld(robot, "revolve")
    cpg = CpgNetwork(robot, np.random.default_rng(3).random(13), output="clip")
    for _ in drive(world, cpg, 5.0):
        pass
    assert world.work["motors"] > 0.0 > world.work["contacts"]
    assert world.work["damping"] == 0.0
    assert world.work["motors"] + world.work["contacts"] == pytest.approx(0.0, abs=0.05)
