# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The motor models of bea_ros.robots.motors in MuJoCo, and damaged joints."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.damage import Damage
from bea_ros.robots.description import Robot
from bea_ros.robots.motors import REVOLVE_GAIN, check_motor, revolve_velocity
from bea_ros.simulation.physics import Physics

# Error (rad) at which a servo gives its full torque: Revolve's 0.17658 N m and 0.9 as N m/rad.
PROPORTIONAL_BAND = 0.196
# Rotor inertia seen at the joint per full torque (s^2): revolve2, 0.002 kg m^2 for 0.948 N m.
ARMATURE_PER_EFFORT = 0.0021
WHEEL = 1000.0  # kg m^2, so large that a joint does not slow it down
# MuJoCo's impedance of the coupling. A joint under a load that the motor can bear keeps
# 1 - IMPEDANCE of its own acceleration.
IMPEDANCE = 0.999
NOTHING = 1e-6  # share of its mass that a missing part keeps; MuJoCo needs a mass above 0

Array = NDArray[np.float64]


class Motors(Protocol):
    """The motors of a robot's joints in a compiled model."""

    def drive(self, data: mujoco.MjData, targets: Array) -> None:
        """Command the joints to `targets` (rad), shape (n,), until the next call."""

    def torques(self, data: mujoco.MjData) -> Array:
        """Torques of the motors on the joints in the last time step (N m), shape (n,)."""


class Servos:
    """Position servos: torque is proportional to the error, up to the joint's effort limit.

    The joint's damping takes up the full torque at the velocity limit, if the URDF names none.
    """

    def __init__(self, model: mujoco.MjModel, robot: Robot, physics: Physics) -> None:
        self._velocities = addresses(model, robot)[1]
        given = model.dof_damping[self._velocities]
        usual = [joint.effort / joint.velocity for joint in robot.joints]
        model.dof_damping[self._velocities] = np.where(given > 0, given, usual)

    @staticmethod
    def add(spec: mujoco.MjSpec, robot: Robot, physics: Physics) -> None:
        """Put them into a world before it is compiled."""
        for joint in robot.joints:
            effort = joint.effort * physics.torque_scale
            hinge = spec.joint(joint.name)
            hinge.armature = ARMATURE_PER_EFFORT * joint.effort
            hinge.actfrcrange = [-effort, effort]
            servo = spec.add_actuator(
                name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT
            )
            gain = effort / PROPORTIONAL_BAND * physics.gain_scale
            servo.gainprm[0] = gain
            servo.biastype = mujoco.mjtBias.mjBIAS_AFFINE
            servo.biasprm[1] = -gain
            servo.forcerange = [-effort, effort]
            servo.forcelimited = True
            servo.ctrlrange = [joint.lower, joint.upper]
            servo.ctrllimited = True

    def drive(self, data: mujoco.MjData, targets: Array) -> None:
        data.ctrl[:] = targets

    def torques(self, data: mujoco.MjData) -> Array:
        return data.qfrc_actuator[self._velocities]


class RevolveMotors:
    """Velocity motors: each command sets a velocity, held with at most the joint's effort limit.

    Revolve uses ODE, whose motors are constraints of the solver. Here, friction up to the effort
    limit couples each joint to a wheel that turns with the commanded velocity and is too heavy to
    slow down. Joints have no damping. A joint gives way to a load above the limit.
    """

    def __init__(self, model: mujoco.MjModel, robot: Robot, physics: Physics) -> None:
        self._positions, self._velocities = addresses(model, robot)
        self._wheels = np.array([model.joint(_wheel(j.name)).dofadr[0] for j in robot.joints])
        self._first = model.tendon(robot.joints[0].name).id
        self._gain = REVOLVE_GAIN * physics.gain_scale
        self._lower = np.array([joint.lower for joint in robot.joints])
        self._upper = np.array([joint.upper for joint in robot.joints])
        model.dof_damping[self._velocities] = 0.0

    @staticmethod
    def add(spec: mujoco.MjSpec, robot: Robot, physics: Physics) -> None:
        """Put them into a world before it is compiled."""
        for joint in robot.joints:
            spec.joint(joint.name).armature = ARMATURE_PER_EFFORT * joint.effort
            wheel = spec.worldbody.add_body(name=_wheel(joint.name))
            wheel.mass, wheel.inertia, wheel.explicitinertial = 1.0, [WHEEL] * 3, True
            wheel.add_joint(name=_wheel(joint.name), type=mujoco.mjtJoint.mjJNT_HINGE)
            coupling = spec.add_tendon(name=joint.name)
            coupling.wrap_joint(joint.name, 1.0)
            coupling.wrap_joint(_wheel(joint.name), -1.0)
            coupling.frictionloss = joint.effort * physics.torque_scale
            coupling.solref_friction = [2.0 * physics.timestep, 1.0]  # the stiffest possible
            coupling.solimp_friction = [IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0]

    def drive(self, data: mujoco.MjData, targets: Array) -> None:
        within = np.clip(targets, self._lower, self._upper)
        error = within - data.qpos[self._positions]
        data.qvel[self._wheels] = revolve_velocity(error, self._gain)

    def torques(self, data: mujoco.MjData) -> Array:
        torques = np.zeros(len(self._wheels))
        mine = data.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON
        torques[data.efc_id[mine] - self._first] = data.efc_force[mine]
        return torques


def kind_of(name: str) -> type[Servos] | type[RevolveMotors]:
    """The class of motors with this name; raises ValueError."""
    return Servos if check_motor(name) == "servo" else RevolveMotors


def _wheel(joint: str) -> str:
    return f"{joint} wheel"


def addresses(model: mujoco.MjModel, robot: Robot) -> tuple[Array, Array]:
    """Indices of the joints in qpos and in qvel, each shape (n,)."""
    joints = [model.joint(joint.name) for joint in robot.joints]
    positions = np.array([joint.qposadr[0] for joint in joints])
    return positions, np.array([joint.dofadr[0] for joint in joints])


def add_locks(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Add a constraint that can lock each joint; it is inactive until the joint is stuck."""
    for joint in robot.joints:
        lock = spec.add_equality(name=f"{joint.name} stuck", active=False)
        lock.type, lock.objtype = mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT
        lock.name1 = joint.name


class Damages:
    """Applies damages to a model and undoes them; the model must be as compiled."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._whole = copy(model)
        self.missing: NDArray[np.intp] = np.empty(0, np.intp)  # bodies

    def set(self, damages: Mapping[str, Damage]) -> None:
        """Set the damages by name of joint; all other joints are undamaged."""
        model, whole = self._model, self._whole
        for name in ("actuator_gainprm", "actuator_biasprm", "tendon_frictionloss", "dof_damping",
                     "body_mass", "body_inertia", "geom_contype", "geom_conaffinity", "eq_data",
                     "eq_active0"):  # fmt: skip
            getattr(model, name)[:] = getattr(whole, name)
        self.missing = np.empty(0, np.intp)
        for joint, damage in damages.items():
            if damage.kind != "missing":
                self._disconnect(joint)
            if damage.kind == "stuck":
                lock = model.equality(f"{joint} stuck")
                lock.data[0] = damage.angle
                lock.active0[0] = 1
            if damage.kind == "missing":
                self._remove(model.joint(joint).bodyid[0])
        mujoco.mj_setConst(model, mujoco.MjData(model))

    def _disconnect(self, joint: str) -> None:
        """Remove all torque of a joint's motor, also its damping."""
        model = self._model
        model.dof_damping[model.joint(joint).dofadr[0]] = 0.0
        if model.nu:
            servo = model.actuator(joint)
            servo.gainprm[:], servo.biasprm[:] = 0.0, 0.0
        if model.ntendon:
            model.tendon_frictionloss[model.tendon(joint).id] = 0.0

    def _remove(self, body: int) -> None:
        """Remove a body and its children: hardly any mass, and no contacts."""
        model, gone = self._model, {body}
        for other in range(body + 1, model.nbody):  # parents have lower indices
            if model.body_parentid[other] in gone:
                gone.add(other)
        parts = np.array(sorted(gone))
        model.body_mass[parts] *= NOTHING
        model.body_inertia[parts] *= NOTHING
        touching = np.isin(model.geom_bodyid, parts)
        model.geom_contype[touching], model.geom_conaffinity[touching] = 0, 0
        self.missing = np.union1d(self.missing, parts)
