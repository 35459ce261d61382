# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where candidates take the robot in the simulator: what workers do."""

from __future__ import annotations

import threading
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.window import Trust
from bea_ros.repertoire.plan import SAMPLING, Plan, physics_of, poses_of
from bea_ros.robots import Robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.observed import IMAGE_RATE
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import CONTROL_RATE, drive, sample
from bea_ros.simulation.world import SimulationError, World

Array = NDArray[np.float64]
Paths = NDArray[np.float32]

EVERY = round(SAMPLING * CONTROL_RATE)  # control ticks between two poses
LOOK = round(CONTROL_RATE / IMAGE_RATE)  # and between two looks, as the camera's

_MAKING = threading.Lock()  # xacro and MuJoCo's parser are not for several threads at once


def paths_of(candidate: Array, plan: Plan, draws: int, duration: float) -> Paths:
    """Poses (x, y in m, yaw in rad) of the robot every SAMPLING s, under each draw of physics.

    Of shape (draws, poses, 3); NaN from where the robot fell over or cannot be simulated.
    """
    thread = threading.get_ident()
    worlds = [_world(plan, physics, thread) for physics in physics_of(draws)]
    network = CpgNetwork(worlds[0].robot, candidate, plan.weight_range)
    paths = [_path(world, network, duration) for world in worlds]
    return np.array(paths, dtype=np.float32)


def _path(world: World, network: CpgNetwork, duration: float) -> Array:
    try:
        moved = np.array(
            [sample(world) for tick in drive(world, network, duration) if tick % LOOK == 0]
        )
    except SimulationError:
        return np.full((poses_of(duration), 3), np.nan)
    fallen = np.flatnonzero(moved[:, 4] > Trust().tilt)
    moved[:, 3] = np.unwrap(moved[:, 3])
    if fallen.size:
        moved[fallen[0] :, 1:] = np.nan
    return moved[:: EVERY // LOOK, 1:4]


@lru_cache(maxsize=1)
def _robot(plan: Plan) -> Robot:
    return plan.load_robot()


@lru_cache(maxsize=64)
def _world(plan: Plan, physics: Physics, thread: int) -> World:
    """The world of a thread: a worker of Dask has several, which must not move one robot."""
    with _MAKING:
        return World(_robot(plan), physics)
