# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The settings of an exploration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import LARGEST_WEIGHT, PUBLISHED_WEIGHT_RANGE
from bea_ros.simulation.physics import RANGES, Physics, spread_physics

SAMPLING = 1.5  # s between two poses of a path: a tenth of the shortest task
STEPS = 2**16 - 1  # of a stored parameter; candidates are rounded before they are evaluated
DRAWS_SEED = 100
TIMESTEP = 0.01  # s: twice the default, whose effect is far smaller than that of other physics
SMALLEST_RANGE = 0.01  # 1/s, of the weights


@dataclass(frozen=True)
class Plan:
    """All settings that determine the result, except for the number of evaluations.

    Attributes:
        robot: name of the robot, or path of its file.
        weight_range: CPG weights lie within +- this (1/s).
        seed: seed of the search.
        duration: duration of an evaluation (s).
        draws: number of draws of physics per candidate.
        batch: number of candidates per batch.
        kept_duration: duration of the final trials of the elites (s).
        kept_draws: number of draws of physics in these trials; the first ones are the search's.

    Raises:
        ValueError: a value is out of range.
    """

    robot: str = "spider9"
    generation: str = "small"
    masses: str = "nominal"
    weight_range: float = PUBLISHED_WEIGHT_RANGE
    seed: int = 1
    duration: float = 15.0
    draws: int = 2
    batch: int = 24
    kept_duration: float = 30.0
    kept_draws: int = 4

    def __post_init__(self) -> None:
        if not SMALLEST_RANGE <= self.weight_range <= LARGEST_WEIGHT:
            raise ValueError(
                f"a weight range of {self.weight_range} /s is not within {SMALLEST_RANGE} to "
                f"{LARGEST_WEIGHT:g}"
            )
        if self.seed < 0:
            raise ValueError(f"seed {self.seed} is below 0")

    def load_robot(self) -> Robot:
        """Load the robot; raises RobotError."""
        return load_robot(self.robot, self.generation, self.masses)


@lru_cache(maxsize=8)
def physics_of(draws: int) -> tuple[Physics, ...]:
    """Return draws of physics.

    The first is in the middle of the ranges. The second differs from it by the heaviest robot with
    the weakest motors. Then come points around the middle.
    """
    middle, *around = spread_physics(max(draws - 1, 1), np.random.default_rng(DRAWS_SEED))
    weak = replace(
        middle, mass_scale=RANGES["mass_scale"][1], torque_scale=RANGES["torque_scale"][0]
    )
    chosen = [middle, weak, *around][:draws]
    return tuple(replace(p, timestep=TIMESTEP) for p in chosen)


def poses_of(duration: float) -> int:
    """Return the number of poses in a path over `duration` (s), with the start."""
    return round(duration / SAMPLING) + 1
