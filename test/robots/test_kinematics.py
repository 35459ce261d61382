# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Links are where the simulator has them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.kinematics import collision_corners
from bea_ros.simulation.world import World


@pytest.mark.parametrize("name", ["spider9", "gecko7", "babyA"])
def test_corners_are_those_of_the_simulator(name: str) -> None:
    world = World(load_robot(name))
    model, data = world.model, world.data
    angles = np.random.default_rng(2).uniform(-0.7, 0.7, (4, len(world.robot.joints)))
    found = collision_corners(world.robot, angles)
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    boxes = [g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX]
    for row, corners in zip(angles, found, strict=True):
        data.qpos[:7] = 0, 0, 0, 1, 0, 0, 0
        data.qpos[[model.joint(joint.name).qposadr[0] for joint in world.robot.joints]] = row
        mujoco.mj_kinematics(model, data)
        simulated = np.concatenate([
            data.geom_xpos[g] + signs * model.geom_size[g] @ data.geom_xmat[g].reshape(3, 3).T
            for g in boxes
        ])  # fmt: skip
        apart = np.linalg.norm(simulated[:, None] - corners[None], axis=2)
        assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-9
