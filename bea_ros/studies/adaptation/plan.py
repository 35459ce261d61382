# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of the study of adaptation."""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bea_ros.report.paper import ROBOTS, TASKS
from bea_ros.robots import Robot, load_robot, robot_names
from bea_ros.robots.damage import Damage, damages_of
from bea_ros.simulation.physics import Physics
from bea_ros.studies.engine import plan
from bea_ros.tasks import find_task

FRESH = "fresh"  # BEA without prior knowledge
WARM_START = "warm"
ALGORITHMS = (FRESH, "prior", "unsimulated", "ordered", "nature", WARM_START, "misled")
CHANGES = ("physics", "limp", "stuck")
DAMAGED_TASK = "gait"
# Ranges of uniform draws, which reach lower than those of exploring.
RANGES = {
    "friction": (0.4, 1.2),
    "torque_scale": (0.5, 1.2),
    "gain_scale": (0.5, 1.5),
    "servo_delay": (0.0, 0.06),  # s
}


def drawn_world(name: str, rng: np.random.Generator) -> tuple[Robot, Physics]:
    """A robot as heavy as the real one, and physics drawn within RANGES."""
    drawn = {key: rng.uniform(low, high) for key, (low, high) in RANGES.items()}
    return load_robot(name, masses="measured"), Physics(**drawn)


def damages_by(change: str, robot: Robot) -> dict[str, Damage]:
    """The damages of a change JOINT.KIND, or JOINT.stuck:ANGLE (rad); raises ValueError."""
    joint, kind = change.split(".", 1)
    return damages_of({joint: kind}, robot)


def broken_of(robot: str) -> list[str]:
    """The changes JOINT.limp and JOINT.stuck of a robot."""
    joints = [joint.name for joint in load_robot(robot).joints]
    return [f"{joint}.{kind}" for joint in joints for kind in CHANGES if kind != "physics"]


def _fits(change: str, robot: str) -> bool:
    """Whether a change is a damage of a robot."""
    with suppress(ValueError):
        return bool(damages_by(change, load_robot(robot)))
    return False


@dataclass(frozen=True)
class Run(plan.Run):
    """One run in a changed world.

    `change` is "physics" (the repetition is the number of the draw; masses are the measured ones),
    or a damage under the usual physics (see `damages_by`).
    """

    KEY: ClassVar = ("robot", "task", "change", "algorithm", "repetition")

    robot: str
    task: str
    change: str
    algorithm: str
    repetition: int
    evaluations: int
    duration: float
    prior: str
    draws_seed: int

    @property
    def seed(self) -> int:
        """Seed of the optimizer and of the camera's noise."""
        return zlib.crc32(self.name.encode())

    @property
    def seconds(self) -> float:
        """Duration of an evaluation (s)."""
        return self.duration or find_task(self.task).duration

    def world(self) -> tuple[Robot, Physics, dict[str, Damage]]:
        """The robot, its physics, and its damages by joint."""
        if self.change != "physics":
            robot = load_robot(self.robot)
            return robot, Physics(), damages_by(self.change, robot)
        rng = np.random.default_rng([self.draws_seed, self.repetition])
        return *drawn_world(self.robot, rng), {}


@dataclass(frozen=True)
class Plan(plan.Plan):
    """Robots, changes, methods, and lengths of runs."""

    LISTS: ClassVar = ("robots", "tasks", "changes", "algorithms")
    DECISIVE: ClassVar = ("evaluations", "trials", "duration", "prior", "draws_seed")
    ALGORITHMS: ClassVar = ALGORITHMS

    robots: tuple[str, ...] = tuple(ROBOTS)
    tasks: tuple[str, ...] = tuple(TASKS)
    changes: tuple[str, ...] = CHANGES
    algorithms: tuple[str, ...] = ALGORITHMS
    repetitions: int = 10
    evaluations: int = 150
    trials: int = 20
    duration: float = 0.0
    prior: str = "default"
    draws_seed: int = 1
    switch: int = 0
    profile: str = "default"
    options: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        plan.check_known("robot", self.robots, robot_names())
        for name in self.changes:
            if name not in CHANGES and not any(_fits(name, robot) for robot in self.robots):
                raise ValueError(
                    f"unknown change '{name}', only {', '.join(CHANGES)}, or one joint as in "
                    "leg_00.limp, leg_00.missing or leg_00.stuck:0.5"
                )
        for name in self.tasks:
            find_task(name)
        if FRESH not in self.algorithms:
            raise ValueError(f"algorithms without {FRESH}: the others are held against it")
        if self.trials < 1 or self.evaluations < self.trials:
            raise ValueError(
                f"trials={self.trials}: at least 1, at most evaluations={self.evaluations}"
            )

    @property
    def cases(self) -> list[tuple[str, str, str]]:
        """Robot, task and change of each case."""
        found = []
        for robot in self.robots:
            if "physics" in self.changes:
                found += [(robot, task, "physics") for task in self.tasks]
            damages = [one for one in broken_of(robot) if one.split(".")[1] in self.changes]
            damages += [one for one in self.changes if one not in damages and _fits(one, robot)]
            found += [(robot, DAMAGED_TASK, broken) for broken in damages]
        return found

    def runs(self) -> list[Run]:
        rest = (self.duration, self.prior, self.draws_seed)
        return [
            Run(*case, name, n, self.evaluations if name == FRESH else self.trials, *rest)
            for n in range(self.repetitions)
            for case in self.cases
            for name in self.algorithms
            if case[2] == "physics" or n == 0  # a broken joint has one repetition
        ]
