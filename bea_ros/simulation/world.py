# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo world: a robot, made from its URDF, on a flat floor."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.damage import Damage
from bea_ros.robots.description import Robot
from bea_ros.simulation.motors import Damages, Motors, add_locks, addresses, kind_of
from bea_ros.simulation.physics import Physics

# Ratio of the stiffness of friction to that of contact; with 1 a robot creeps down a slope.
IMPEDANCE_RATIO = 5.0
CONTACT_TIME = 0.01  # s in which a penetration decays; at least two time steps
SETTLING_TIME = 2.0  # s in which the robot comes to rest; then its pose is home

Array = NDArray[np.float64]

# By default MuJoCo writes MUJOCO_LOG.TXT to the working directory; `World.step` raises instead.
mujoco.set_mju_user_warning(lambda warning: None)


class SimulationError(RuntimeError):
    """The simulation became unstable."""


class World:
    """One robot on the floor of the arena.

    Poses are in `map` (z up, floor at 0), joints in the robot's order. The same calls after a
    `reset` give the same numbers, bit for bit. `motor` is one of bea_ros.robots.motors.MOTORS.
    `damages` has damages by name of joint.
    """

    def __init__(
        self,
        robot: Robot,
        physics: Physics | None = None,
        motor: str = "servo",
        damages: Mapping[str, Damage] | None = None,
    ) -> None:
        self.robot, self.motor = robot, motor
        self.physics = physics or Physics()
        try:
            self.model = build_model(robot, self.physics, motor)
        except (ValueError, mujoco.FatalError) as error:  # of several lines
            reason = " ".join(str(error).split())
            raise ValueError(f"MuJoCo cannot load {robot.name}: {reason}") from error
        self.data = mujoco.MjData(self.model)
        self._qpos, self._qvel = addresses(self.model, robot)
        anchors = robot.tree.anchors()
        self._bodies = np.array(
            [self.model.body(anchors[box.link][0]).id for box in robot.modules]
        )
        self._boxes = np.array([anchors[box.link][1] @ box.pose for box in robot.modules])
        self._neutral = np.array([joint.neutral for joint in robot.joints])
        self.motors: Motors = kind_of(motor)(self.model, robot, self.physics)
        self._delay_steps = round(self.physics.servo_delay / self.physics.timestep)
        self._damages = Damages(self.model)
        self._home: Array | None = None
        if damages:
            self.damage(damages)
        self.reset()

    def damage(self, damages: Mapping[str, Damage]) -> None:
        """Set the damages by name of joint; all other joints are undamaged."""
        self._damages.set(damages)
        self.data.eq_active[:] = self.model.eq_active0
        self._home = None

    def reset(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """Put the robot at rest on the floor at x, y (m), heading `yaw` (rad), at time 0."""
        if self._home is None:
            self._home = self._settled()
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self._home
        self.data.qpos[:2] = x, y
        if yaw != 0.0:
            mujoco.mju_mulQuat(self.data.qpos[3:7], _turn(yaw), self._home[3:7])
        self.motors.drive(self.data, self._neutral)
        self._pending: deque[tuple[int, Array]] = deque()  # first step of each command, command
        self._steps = 0
        self._owed = 0.0
        mujoco.mj_forward(self.model, self.data)

    def step(self, targets: Array, duration: float) -> None:
        """Command the joints to `targets` (rad), shape (n,), and simulate `duration` (s).

        The rest of the duration below a time step is added to the next call. Raises
        SimulationError.
        """
        timestep = self.model.opt.timestep
        owed = (self._owed + duration) / timestep
        whole = math.floor(owed + 1e-6)
        self._owed = (owed - whole) * timestep
        end = self.data.time + whole * timestep
        command = np.array(targets, dtype=float)
        self._pending.append((self._steps + self._delay_steps, command))
        last = self._steps + whole
        while self._steps < last:
            while self._pending and self._pending[0][0] <= self._steps:
                self.motors.drive(self.data, self._pending.popleft()[1])
            next_change = self._pending[0][0] if self._pending else last
            steps = min(next_change, last) - self._steps
            mujoco.mj_step(self.model, self.data, steps)
            self._steps += steps
        if self.data.time < end - timestep / 2:  # MuJoCo resets after a non-finite number
            raise SimulationError(f"simulation of {self.robot.name} unstable near {end:.2f} s")

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
        pose = np.eye(4)
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, self.data.qpos[3:7])
        pose[:3, :3] = rotation.reshape(3, 3)
        pose[:3, 3] = self.data.qpos[:3]
        return pose

    def marker_pose(self) -> Array:
        """Pose (4, 4) of the robot's marker in map."""
        return self.base_pose() @ self.robot.marker.pose

    def module_poses(self) -> Array:
        """Poses (len(robot.modules), 4, 4) in map of the boxes to draw.

        The axes of missing modules are 0, so they have no extent.
        """
        mujoco.mj_kinematics(self.model, self.data)
        poses = np.zeros((len(self._bodies), 4, 4))
        poses[:, :3, :3] = self.data.xmat[self._bodies].reshape(-1, 3, 3)
        poses[:, :3, 3] = self.data.xpos[self._bodies]
        poses[:, 3, 3] = 1.0
        poses = poses @ self._boxes
        missing = np.isin(self._bodies, self._damages.missing)
        poses[missing, :3, :3], poses[missing, :3, 3] = 0.0, self.data.qpos[:3]
        return poses

    def scene(self) -> tuple[Array, Array]:
        """What a camera draws now: `module_poses` and `marker_pose`."""
        return self.module_poses(), self.marker_pose()

    @property
    def tilt(self) -> float:
        """Angle (rad) between the vertical and base_link's z axis."""
        return math.acos(min(1.0, max(-1.0, float(self.base_pose()[2, 2]))))

    def _settled(self) -> Array:
        """Positions (nq,) of the robot at rest on the floor at the origin, heading along x."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[2] = self.robot.spawn_height
        for _ in range(round(SETTLING_TIME / self.model.opt.timestep)):
            self.motors.drive(self.data, self._neutral)
            mujoco.mj_step(self.model, self.data)
        home = self.data.qpos.copy()
        pose = self.base_pose()
        turn = _turn(-math.atan2(pose[1, 0], pose[0, 0]))
        mujoco.mju_mulQuat(home[3:7], turn, self.data.qpos[3:7])
        home[:2] = 0.0
        return home


def build_model(robot: Robot, physics: Physics, motor: str) -> mujoco.MjModel:
    """The robot's URDF on a floor, with a free joint and a motor per joint.

    Modules joined by a hinge do not collide.
    """
    spec = mujoco.MjSpec.from_string(robot.urdf)
    option = spec.option
    option.timestep = physics.timestep
    option.gravity = [0.0, 0.0, -physics.gravity]
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC  # a pyramid's friction depends on direction
    option.impratio = IMPEDANCE_RATIO
    spec.body(robot.tree.root).add_freejoint()
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    for geom in spec.geoms:
        geom.friction[0] = physics.friction
        geom.solref[0] = CONTACT_TIME
    kind_of(motor).add(spec, robot, physics)
    add_locks(spec, robot)
    model = spec.compile()
    factors = np.full(model.nbody, physics.mass_scale)
    factors[model.body(robot.tree.root).id] *= physics.base_mass_scale
    model.body_mass *= factors
    model.body_inertia *= factors[:, None]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def _turn(yaw: float) -> Array:
    """Quaternion (w, x, y, z) of a turn about the vertical."""
    return np.array([math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)])
