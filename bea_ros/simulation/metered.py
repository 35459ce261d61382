# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A world that measures contacts and energy, to test whether the simulator creates energy."""

from __future__ import annotations

from bea_ros.robots.description import Robot
from bea_ros.simulation.world import Array, World


class MeteredWorld(World):
    """Records every time step since the last reset.

    Attributes:
        penetrations: depth of the deepest contact with the floor at each step (m), 0 without any.
        airborne: steps without contact with the floor.
        work: energy (J) put into the robot by "motors", by "damping" of the joints and by
            "contacts" (and joint limits), which may only dissipate it.
    """

    def __init__(self, robot: Robot, motor: str = "servo") -> None:
        self._clear()
        super().__init__(robot, motor=motor)
        self._floor = self.model.geom("floor").id

    def _clear(self) -> None:
        self.penetrations: list[float] = []
        self.airborne = 0
        self.work = {"motors": 0.0, "damping": 0.0, "contacts": 0.0}

    def reset(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        super().reset(x, y, yaw)
        self._clear()

    def step(self, targets: Array, duration: float) -> None:
        """As `World.step`, measuring each time step; `duration` (s) is a multiple of it."""
        timestep = self.model.opt.timestep
        for _ in range(round(duration / timestep)):
            before = self.data.qvel.copy()
            super().step(targets, timestep)
            # Forces are those at the step's start; their work is force times mean velocity.
            self._measure((before + self.data.qvel) / 2 * timestep)

    def _measure(self, moved: Array) -> None:
        data = self.data
        floor = (data.contact.geom == self._floor).any(axis=1)
        depth = -data.contact.dist[floor]
        self.penetrations.append(max(0.0, float(depth.max(initial=0.0))))
        self.airborne += not floor.any()
        self.work["motors"] += (motors := float(self.motors.torques(data) @ moved[self._qvel]))
        self.work["damping"] += float(data.qfrc_passive @ moved)
        forces = data.qfrc_actuator + data.qfrc_constraint
        robot = slice(None, 6 + len(self._qvel))  # without the motors' auxiliary wheels
        self.work["contacts"] += float(forces[robot] @ moved[robot]) - motors
