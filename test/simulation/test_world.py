# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo world: made from the URDF, deterministic, and free of contact artefacts."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from bea_ros.robots.cpg import CommandLimiter, CpgNetwork
from bea_ros.robots.description import Robot, load_robot
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.world import SimulationError, World

ROBOTS = ("spider9", "gecko7", "babyA")
PERIOD = 0.05


def random_cpg(
    robot: Robot, seed: int, weight_range: float = 3.0, output: str = "tanh"
) -> CpgNetwork:
    parameters = np.random.default_rng(seed).random(len(robot.parameter_names))
    return CpgNetwork(robot, parameters, weight_range, output)


def bang_bang(world: World, tick: int) -> np.ndarray:
    """All joints from one limit to the other and back, in step, every half second."""
    limit = world.robot.joints[0].upper
    return np.full(len(world.robot.joints), limit if tick // 10 % 2 else -limit)


def tilt_gravity(world: World, degrees: float, heading: float) -> None:
    """Turn the floor into a slope of that many degrees down towards `heading`."""
    g, slope = world.physics.gravity, math.radians(degrees)
    down = g * math.sin(slope)
    world.model.opt.gravity[:] = [
        down * math.cos(heading),
        down * math.sin(heading),
        -g * math.cos(slope),
    ]


def distance(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.linalg.norm(second[:2, 3] - first[:2, 3]))


@pytest.mark.parametrize("name", ROBOTS)
def test_model_has_the_masses_and_limits_of_the_urdf(name: str) -> None:
    robot = load_robot(name, masses="measured")
    world = World(robot)
    assert world.model.body_mass.sum() == pytest.approx(robot.mass)
    assert world.model.nu == len(robot.joints)
    for index, joint in enumerate(robot.joints):
        hinge = world.model.joint(joint.name)
        np.testing.assert_allclose(hinge.range, (joint.lower, joint.upper))
        np.testing.assert_allclose(
            world.model.actuator_forcerange[index], (-joint.effort, joint.effort)
        )
        assert world.model.actuator_trnid[index, 0] == hinge.id
        assert hinge.damping[0] == pytest.approx(joint.effort / joint.velocity, rel=1e-4)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("generation", ["small", "large"])
def test_robot_rests_where_a_reset_puts_it(name: str, generation: str) -> None:
    world = World(load_robot(name, generation))
    start = world.base_pose()
    np.testing.assert_allclose(start[:2, 3], 0, atol=1e-12)
    assert math.atan2(start[1, 0], start[0, 0]) == pytest.approx(0, abs=1e-9)
    assert world.tilt < math.radians(3)
    world.step(np.zeros(len(world.robot.joints)), 10.0)
    assert distance(start, world.base_pose()) < 1e-4
    assert np.abs(world.data.qvel).max() < 1e-3
    assert world.data.contact.dist.min() > -3e-4, "sinks into the floor"


@pytest.mark.parametrize("name", ROBOTS)
def test_same_commands_give_the_same_motion_bit_for_bit(name: str) -> None:
    def motion(world: World, look: bool) -> np.ndarray:
        world.reset()
        limiter = CommandLimiter(world.robot.joints)
        cpg = random_cpg(world.robot, 2)
        states = []
        for tick in range(100):
            world.step(limiter.limit(cpg.output(tick * PERIOD), PERIOD), PERIOD)
            if look:
                world.scene(), world.tilt
            states.append(np.concatenate([world.data.qpos, world.data.qvel]))
        return np.array(states)

    world = World(load_robot(name))
    first = motion(world, look=False)
    np.testing.assert_array_equal(motion(world, look=True), first)
    np.testing.assert_array_equal(motion(World(load_robot(name)), look=False), first)


def test_reset_elsewhere_moves_the_whole_motion() -> None:
    world = World(load_robot("gecko7"))
    x, y, yaw = 0.7, -0.4, 2.1
    place = np.eye(4)
    place[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    place[:2, 3] = x, y
    poses = []
    for start in ((0.0, 0.0, 0.0), (x, y, yaw)):
        world.reset(*start)
        world.step(np.full(6, 0.5), 0.3)
        poses.append(world.base_pose())
    np.testing.assert_allclose(poses[1], place @ poses[0], atol=1e-5)


def test_module_and_marker_poses_follow_the_kinematic_tree() -> None:
    world = World(load_robot("babyA"))
    robot, tree = world.robot, world.robot.tree
    world.step(np.linspace(-0.6, 0.6, len(robot.joints)), 0.5)
    angles = dict(zip((j.name for j in robot.joints), world.joint_positions, strict=True))
    poses = {tree.root: world.base_pose()}
    for joint in tree.joints:
        turn = np.eye(4)
        if joint.kind == "revolute":
            c, s = math.cos(angles[joint.name]), math.sin(angles[joint.name])
            turn[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
        poses[joint.child] = poses[joint.parent] @ joint.origin @ turn
    expected = np.array([poses[box.link] @ box.pose for box in robot.modules])
    np.testing.assert_allclose(world.module_poses(), expected, atol=1e-9)
    np.testing.assert_allclose(world.marker_pose(), poses["marker"], atol=1e-9)


@pytest.mark.parametrize("name", ROBOTS)
def test_gaits_neither_sink_nor_fly_nor_tip(name: str) -> None:
    world = World(load_robot(name, masses="measured"))
    depths = []
    for seed in range(3):
        world.reset()
        cpg = random_cpg(world.robot, seed)
        limiter = CommandLimiter(world.robot.joints)
        for tick in range(200):
            world.step(limiter.limit(cpg.output(tick * PERIOD), PERIOD), PERIOD)
            depths.append(-min(world.data.contact.dist, default=0.0))
            assert 0.0 < world.module_poses()[:, 2, 3].min() < 0.04
            assert world.tilt < math.radians(45)
    assert np.mean(depths) < 0.5e-3
    assert np.percentile(depths, 99) < 2e-3
    assert max(depths) < 5e-3, "even where it lands hard"


@pytest.mark.parametrize("name", ROBOTS)
def test_motion_has_no_more_energy_than_the_servos_put_in(name: str) -> None:
    world = World(load_robot(name), Physics(timestep=0.001))
    world.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    world.reset()
    joints = world.model.jnt_dofadr[1:]
    start = world.data.energy.sum()
    work = 0.0
    for tick in range(100):
        target = bang_bang(world, tick)
        for _ in range(50):
            before = world.data.qvel[joints].copy()
            world.step(target, 0.001)
            power = world.data.qfrc_actuator[joints] @ (before + world.data.qvel[joints]) / 2
            work += power * 0.001
        mujoco.mj_forward(world.model, world.data)
        assert world.data.energy.sum() - start <= work + 0.002, f"at {world.time:.2f} s"
    assert work > 0.05, "the robot was to do something"


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("heading", [0.0, math.pi / 4, math.pi / 2])
def test_friction_holds_in_every_direction_up_to_its_cone(name: str, heading: float) -> None:
    world = World(load_robot(name))
    neutral = np.zeros(len(world.robot.joints))
    for degrees, holds in ((20, True), (40, True), (50, False)):
        world.reset()
        tilt_gravity(world, degrees, heading)
        world.step(neutral, 0.5)
        start = world.base_pose()
        world.step(neutral, 1.0)
        slid = distance(start, world.base_pose())
        assert slid < 0.001 if holds else slid > 0.3, f"{degrees} degrees: {slid} m"


def test_friction_is_a_parameter() -> None:
    world = World(load_robot("spider9"), Physics(friction=0.3))
    tilt_gravity(world, 25, 0.0)
    world.step(np.zeros(8), 1.0)
    assert world.base_pose()[0, 3] > 0.1


@pytest.mark.parametrize("generation", ["small", "large"])
def test_free_servos_keep_to_their_torque_and_velocity(generation: str) -> None:
    world = World(load_robot("spider9", generation), Physics(gravity=1e-6))
    world.data.qpos[2] = 1.0
    joint = world.robot.joints[0]
    fastest = 0.0
    for tick in range(60):
        for _ in range(10):
            world.step(bang_bang(world, tick), 0.005)
            fastest = max(fastest, np.abs(world.joint_velocities).max())
            assert np.abs(world.data.actuator_force).max() <= joint.effort + 1e-12
    assert 0.7 * joint.velocity < fastest < 1.02 * joint.velocity


def test_servos_reach_what_they_are_told() -> None:
    world = World(load_robot("spider9", masses="measured"))
    world.step(np.full(8, 0.5), 2.0)
    np.testing.assert_allclose(world.joint_positions, 0.5, atol=0.1)
    weak = World(load_robot("spider9", masses="measured"), Physics(torque_scale=0.1))
    weak.step(np.full(8, 0.5), 2.0)
    assert weak.base_pose()[2, 3] < world.base_pose()[2, 3] - 0.01, "cannot lift itself"


def test_delayed_servos_move_the_delay_later() -> None:
    prompt, late = (World(load_robot("gecko7"), Physics(servo_delay=d)) for d in (0.0, 0.12))
    late.step(np.full(6, 0.5), 0.12)
    np.testing.assert_allclose(late.joint_positions, prompt.joint_positions, atol=1e-6)
    for duration in (0.02, 0.1):
        late.step(np.full(6, 0.5), duration)
        prompt.step(np.full(6, 0.5), duration)
        np.testing.assert_allclose(late.joint_positions, prompt.joint_positions, atol=1e-4)
    assert late.joint_positions.min() > 0.1


def test_masses_are_scaled() -> None:
    robot = load_robot("spider9")
    heavy = World(robot, Physics(mass_scale=1.5))
    assert heavy.model.body_mass.sum() == pytest.approx(1.5 * robot.mass)
    ratio = heavy.model.body_inertia[1:] / World(robot).model.body_inertia[1:]
    np.testing.assert_allclose(ratio, 1.5)
    neutral = np.zeros(8)
    weights = []
    for world in (World(robot), heavy):
        world.step(neutral, 1.0)
        weights.append(world.data.qfrc_constraint[2])
    np.testing.assert_allclose(weights, [9.81 * robot.mass, 1.5 * 9.81 * robot.mass], rtol=1e-3)


def test_time_that_is_no_whole_step_is_made_up_for() -> None:
    world = World(load_robot("spider9"))
    for _ in range(30):
        world.step(np.zeros(8), 1 / 30)
    assert world.time == pytest.approx(1.0, abs=0.0051)
    world.reset()
    assert world.time == 0.0


def test_an_unstable_simulation_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    world = World(load_robot("spider9"))
    world.step(np.zeros(8), 0.5)
    world.data.qvel[0] = np.nan
    with pytest.raises(SimulationError, match="spider9 unstable"):
        world.step(np.zeros(8), 0.05)
    assert not list(tmp_path.iterdir())  # MuJoCo would leave its log in the working directory


@pytest.mark.parametrize(
    "wrong", [{"timestep": 0.0}, {"friction": -1.0}, {"servo_delay": -0.1}, {"gravity": math.nan}]
)
def test_physics_refuses_nonsense(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"physics {next(iter(wrong))} must be"):
        Physics(**wrong)
