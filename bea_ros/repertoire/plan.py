# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an exploration is of, and how it tries candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import LARGEST_WEIGHT, PUBLISHED_WEIGHT_RANGE
from bea_ros.simulation.physics import Physics, spread_physics

SAMPLING = 1.5  # s between two poses of a path: a tenth of the shortest task
STEPS = 2**16 - 1  # in which a parameter is stored: what is tried is what is stored
DRAWS_SEED = 100
TIMESTEP = 0.01  # s: twice the usual, which moves a gait far less than other physics does
SMALLEST_RANGE = 0.01  # 1/s, of the weights


@dataclass(frozen=True)
class Plan:
    """Everything that decides what is found, but for the number of evaluations.

    Raises ValueError for what cannot be.

    Attributes:
        robot: its name, or the path of its file.
        weight_range: CPG weights lie within +- this (1/s).
        seed: of the search.
        duration: of an evaluation (s).
        draws: of physics that each candidate is tried under.
        batch: candidates asked before the next look at what they came to.
        kept_duration: for which each is tried that is kept in the end (s).
        kept_draws: of physics that each of these is tried under, the search's first.
    """

    robot: str = "spider9"
    generation: str = "small"
    masses: str = "nominal"
    weight_range: float = PUBLISHED_WEIGHT_RANGE
    seed: int = 1
    duration: float = 15.0
    draws: int = 1
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
        """Its robot; raises RobotError."""
        return load_robot(self.robot, self.generation, self.masses)


@lru_cache(maxsize=8)
def physics_of(draws: int) -> tuple[Physics, ...]:
    """The physics that candidates are tried under: the middle of all, then around it."""
    return tuple(replace(p, timestep=TIMESTEP) for p in spread_physics(draws, DRAWS_SEED))


def poses_of(duration: float) -> int:
    """Number of poses in a path over `duration` (s), the first at its start."""
    return round(duration / SAMPLING) + 1
