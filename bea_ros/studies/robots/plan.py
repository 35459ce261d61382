# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of the study of the robots."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from bea_ros.optimizers import Optimizer, create
from bea_ros.optimizers.paper.bea import seeds
from bea_ros.report.paper import ROBOTS, TASKS
from bea_ros.robots import load_robot, robot_names
from bea_ros.robots.motion import CommandedMotion
from bea_ros.robots.motors import check_motor, motor_of
from bea_ros.studies.engine import plan
from bea_ros.studies.engine.ablation import without
from bea_ros.studies.robots.pycma import PycmaOptimizer
from bea_ros.tasks import find_task

ALGORITHMS = ("bo", "ea", "bea", "cma")
LONGEST = 3600.0  # s of an evaluation


@dataclass(frozen=True)
class Run(plan.Run):
    """One run of an algorithm.

    `switch` is that of BEA, 0 for its own way. `duration` is that of an evaluation (s), 0 for the
    task's own. With `noise`, poses have errors like the overhead camera's. `motor` is the motor
    model.
    """

    KEY: ClassVar = ("robot", "task", "algorithm", "repetition")

    robot: str
    task: str
    algorithm: str
    repetition: int
    evaluations: int
    switch: int
    profile: str
    duration: float = 0.0
    noise: bool = False
    motor: str = "servo"
    options: str = ""

    @property
    def seed(self) -> int:
        """Seed of all draws, from case, algorithm and repetition alone.

        BO has the seed of the first stage of the same repetition's BEA. So both have the same
        first evaluations, and differ only in what follows.
        """
        if self.algorithm == "bo":
            return seeds(replace(self, algorithm="bea").seed)[0]
        return zlib.crc32(self.name.encode())

    @property
    def head(self) -> dict[str, Any]:
        """The fields that identify the run in its file; motor and options only if unusual."""
        usual = {"motor": "servo", "options": ""}
        about = {**asdict(self), "seed": self.seed}
        return {name: v for name, v in about.items() if usual.get(name) != v}

    def path(self, folder: Path) -> Path:
        """The run's file in a folder, which grows by evaluation: see `store`."""
        return folder / f"{self.name}.run"

    @property
    def noise_seed(self) -> int:
        """Seed of the poses' errors; BO and BEA share it, like their first evaluations."""
        return replace(self, algorithm="bea").seed if self.algorithm == "bo" else self.seed

    @property
    def without(self) -> str | None:
        """The heuristic that the option `without` switches off; see `ablation`."""
        return plan.options_of(self.options).get("without")

    @property
    def evaluation_duration(self) -> float:
        """Duration of an evaluation in s of simulated time."""
        return self.duration or find_task(self.task).duration

    def optimizer(self, clock: Callable[[], float]) -> Optimizer:
        """The run's optimizer at its start; `clock` (s) measures the overhead."""
        robot = load_robot(self.robot)
        dimension = len(robot.parameter_names)
        general: dict[str, Any] = {"seed": self.seed, "budget": self.evaluations, "clock": clock}
        if self.algorithm == "cma":
            return PycmaOptimizer(dimension, **general)
        if self.algorithm == "bea" and self.switch:
            general["switch"] = self.switch
            if self.profile == "default":
                general["turns"] = False  # until the switch it is BO
        features = CommandedMotion(robot, self.evaluation_duration)
        own = plan.options_of(self.options, self.algorithm, self.profile)
        chosen = {**general, **own}
        return create(self.algorithm, dimension, profile=self.profile, features=features, **chosen)


@dataclass(frozen=True)
class Plan(plan.Plan):
    """Robots, tasks, algorithms and length of runs."""

    LISTS: ClassVar = ("robots", "tasks", "algorithms")
    DECISIVE: ClassVar = (
        "evaluations", "switch", "profile", "duration", "noise", "motor", "options",
    )  # fmt: skip
    ALGORITHMS: ClassVar = ALGORITHMS
    MORE_OPTIONS: ClassVar = ("without",)

    robots: tuple[str, ...] = ROBOTS
    tasks: tuple[str, ...] = TASKS
    algorithms: tuple[str, ...] = ("bo", "ea", "bea")
    repetitions: int = 10
    evaluations: int = 1500
    switch: int = 300
    profile: str = "default"
    duration: float = 0.0
    noise: bool = False
    motor: str = ""  # empty: the profile's
    options: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "motor", check_motor(self.motor or motor_of(self.profile)))
        plan.check_known("robot", self.robots, robot_names())
        for task in self.tasks:
            find_task(task)
        if self.duration and not 1.0 <= self.duration <= LONGEST:
            raise ValueError(
                f"duration={self.duration:g}: 1 to {LONGEST:g} s, or 0 for each task's own"
            )
        if self.runs()[0].without and self.profile != "default":
            raise ValueError(f"without: the profile {self.profile} has no heuristics")
        for run in self.runs()[: len(self.algorithms)]:
            if installed(run.algorithm):  # raises ValueError for bad options before any run starts
                with without(run.without):
                    run.optimizer(float)

    @property
    def cases(self) -> list[tuple[str, str]]:
        """Pairs of robot and task, in the order of the paper's table."""
        return [(robot, task) for task in self.tasks for robot in self.robots]

    def runs(self) -> list[Run]:
        return [
            Run(robot, task, algorithm, repetition, **self.decisive)
            for repetition in self.numbers
            for robot, task in self.cases
            for algorithm in self.algorithms
        ]


def installed(algorithm: str) -> bool:
    """Whether an algorithm can run here; pycma is optional."""
    return algorithm != "cma" or find_spec("cma") is not None
