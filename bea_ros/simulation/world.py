# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot on a flat floor, in MuJoCo, made from its URDF."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.description import Robot

PROPORTIONAL_BAND = (
    0.196  # rad of error at which a servo gives full torque (Revolve: 0.17658 N m, P 0.9)
)
ARMATURE_PER_EFFORT = (
    0.0021  # s^2; rotor inertia seen at the joint (revolve2: 0.002 kg m^2 for 0.948 N m)
)
SETTLING_TIME = 2.0  # s in which the robot comes to rest before its pose is taken as home

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Physics:
    """What may differ between worlds, so that a gait can be tried under other physics."""

    timestep: float = 0.005  # s
    friction: float = 1.0  # coefficient of sliding friction of every contact
    mass_scale: float = 1.0
    torque_scale: float = 1.0  # of the servos' full torque, and with it their gain
    servo_delay: float = 0.0  # s from a command to its effect
    gravity: float = 9.81  # m/s^2


class World:
    """One robot on the floor of the arena; poses are in `map` (z up, floor at 0), joints in the
    robot's order.

    The same calls after a `reset` give the same numbers, bit for bit.
    """

    def __init__(self, robot: Robot, physics: Physics | None = None) -> None:
        self.robot = robot
        self.physics = physics or Physics()
        self.model = build_model(robot, self.physics)
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(joint.name) for joint in robot.joints]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        self._qvel = np.array([joint.dofadr[0] for joint in joints])
        anchors = robot.tree.anchors()
        self._base = self.model.body(robot.tree.root).id
        self._boxes = np.array([self.model.body(anchors[box.link][0]).id for box in robot.modules])
        self._box_poses = np.array([anchors[box.link][1] @ box.pose for box in robot.modules])
        self._neutral = np.array([(joint.lower + joint.upper) / 2 for joint in robot.joints])
        self._delay_steps = round(self.physics.servo_delay / self.physics.timestep)
        self._home = self._settled()
        self.reset()

    def reset(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """The robot at rest on the floor, joints neutral, base_link at x, y (m) heading `yaw`
        (rad); time is 0.
        """
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self._home
        self.data.qpos[:2] = x, y
        if yaw != 0.0:
            turn = np.array([math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)])
            mujoco.mju_mulQuat(self.data.qpos[3:7], turn, self._home[3:7])
        self.data.ctrl[:] = self._neutral
        self._pending = deque([self._neutral] * self._delay_steps)
        self._owed = 0.0
        mujoco.mj_forward(self.model, self.data)

    def step(self, targets: Array, duration: float) -> None:
        """Command the joints to `targets` (rad), shape (n,), and let `duration` s pass.

        A part of a time step that is left over is made up for in the next call.
        """
        steps = (self._owed + duration) / self.model.opt.timestep
        whole = math.floor(steps + 1e-6)
        self._owed = (steps - whole) * self.model.opt.timestep
        if self._delay_steps == 0:
            self.data.ctrl[:] = targets
            mujoco.mj_step(self.model, self.data, whole)
            return
        command = np.array(targets, dtype=float)
        for _ in range(whole):
            self._pending.append(command)
            self.data.ctrl[:] = self._pending.popleft()
            mujoco.mj_step(self.model, self.data)

    @property
    def time(self) -> float:
        """Seconds since the last reset."""
        return float(self.data.time)

    @property
    def joint_positions(self) -> Array:
        """Angles (rad), shape (n,)."""
        return self.data.qpos[self._qpos]

    @property
    def joint_velocities(self) -> Array:
        """Velocities (rad/s), shape (n,)."""
        return self.data.qvel[self._qvel]

    def base_pose(self) -> Array:
        """Pose (4, 4) of base_link in map."""
        mujoco.mj_kinematics(self.model, self.data)
        return self._body_poses(np.array([self._base]))[0]

    def marker_pose(self) -> Array:
        """Pose (4, 4) of the robot's marker in map."""
        return self.base_pose() @ self.robot.marker.pose

    def module_poses(self) -> Array:
        """Poses (len(robot.modules), 4, 4) in map of the boxes to draw."""
        mujoco.mj_kinematics(self.model, self.data)
        return self._body_poses(self._boxes) @ self._box_poses

    @property
    def tilt(self) -> float:
        """Angle (rad) between the vertical and base_link's z axis."""
        return math.acos(min(1.0, max(-1.0, float(self.base_pose()[2, 2]))))

    def _body_poses(self, bodies: NDArray[np.int_]) -> Array:
        poses = np.zeros((len(bodies), 4, 4))
        poses[:, :3, :3] = self.data.xmat[bodies].reshape(-1, 3, 3)
        poses[:, :3, 3] = self.data.xpos[bodies]
        poses[:, 3, 3] = 1.0
        return poses

    def _settled(self) -> Array:
        """Positions (nq,) of the robot at rest on the floor at the origin, heading along x."""
        self.data.qpos[2] = self.robot.spawn_height
        self.data.ctrl[:] = self._neutral
        mujoco.mj_step(self.model, self.data, round(SETTLING_TIME / self.model.opt.timestep))
        home = self.data.qpos.copy()
        rotation = self.base_pose()
        back = -math.atan2(rotation[1, 0], rotation[0, 0]) / 2
        mujoco.mju_mulQuat(
            home[3:7], np.array([math.cos(back), 0.0, 0.0, math.sin(back)]), home[3:7].copy()
        )
        home[:2] = 0.0
        return home


def build_model(robot: Robot, physics: Physics) -> mujoco.MjModel:
    """The robot's URDF on a floor, with a free joint and a position servo per joint.

    A servo's torque is proportional to its error up to the joint's effort limit, less the joint's
    damping, which brings it to rest at the velocity limit. Modules joined by a hinge do not
    collide.
    """
    spec = mujoco.MjSpec.from_string(robot.urdf)
    option = spec.option
    option.timestep = physics.timestep
    option.gravity = [0.0, 0.0, -physics.gravity]
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.body(robot.tree.root).add_freejoint()
    for body in spec.bodies[1:]:
        body.mass *= physics.mass_scale
        body.inertia *= physics.mass_scale
    for geom in spec.geoms:
        geom.friction[0] = physics.friction
    floor = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.friction[0] = physics.friction
    for joint in robot.joints:
        effort = joint.effort * physics.torque_scale
        hinge = spec.joint(joint.name)
        hinge.armature = ARMATURE_PER_EFFORT * joint.effort
        hinge.actfrcrange = [-effort, effort]
        servo = spec.add_actuator(
            name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT
        )
        servo.set_to_position(kp=effort / PROPORTIONAL_BAND)
        servo.forcerange = [-effort, effort]
        servo.forcelimited = True
        servo.ctrlrange = [joint.lower, joint.upper]
        servo.ctrllimited = True
    return spec.compile()
