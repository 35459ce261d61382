# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of the study of the functions."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from bea_ros.optimizers import Optimizer, create
from bea_ros.studies.engine import plan
from bea_ros.studies.functions import problems

TRANSFERS = {"bea-s1": "S1", "bea-s2": "S2", "bea-s3": "S3", "bea": "S4"}
EVERY = 10  # evaluations between points of a curve
ALGORITHMS = ("bo", "ea", "bea", "bea-s1", "bea-s2", "bea-s3")


@dataclass(frozen=True)
class Run(plan.Run):
    """One run of an algorithm on a function."""

    KEY: ClassVar = ("function", "algorithm", "repetition")

    function: str
    algorithm: str
    repetition: int
    dimension: int
    evaluations: int
    switch: int
    profile: str
    options: str = ""

    @property
    def seed(self) -> int:
        """Seed of the optimizer; all transfers of a repetition start from the same BO."""
        return zlib.crc32(f"{self.function}-{self._family}-{self.repetition}".encode())

    @property
    def head(self) -> dict[str, Any]:
        """The fields that identify the run in the head of its file."""
        about = {name: v for name, v in asdict(self).items() if (name, v) != ("options", "")}
        return about | self._published

    @property
    def _family(self) -> str:
        return self.algorithm.split("-")[0]

    @property
    def _published(self) -> dict[str, Any]:
        theirs = problems.published_options(self.function, self._family, self.profile)
        return theirs | plan.options_of(self.options, self._family, self.profile)

    def objective(self) -> problems.Function:
        """The function; the repetition determines its shift and rotation, for all algorithms."""
        return problems.create(self.function, self.dimension, self.repetition)

    def optimizer(self, clock: Callable[[], float]) -> Optimizer:
        """The run's optimizer at its start; `clock` (s) measures the overhead."""
        own = self._published
        if self.algorithm in TRANSFERS:
            own |= {"switch": self.switch, "transfer": TRANSFERS[self.algorithm]}
            if self.profile == "default":
                own.setdefault("turns", False)  # compared transfers start from the same BO
        return create(
            self._family,
            self.dimension,
            seed=self.seed,
            budget=self.evaluations,
            profile=self.profile,
            clock=clock,
            **own,
        )


@dataclass(frozen=True)
class Plan(plan.Plan):
    """Functions, algorithms and length of runs."""

    LISTS: ClassVar = ("functions", "algorithms")
    DECISIVE: ClassVar = ("dimension", "evaluations", "switch", "profile", "options")
    ALGORITHMS: ClassVar = ALGORITHMS
    SET_BY: ClassVar = {**plan.Plan.SET_BY, "transfer": "--algorithms"}

    functions: tuple[str, ...] = problems.NAMES
    algorithms: tuple[str, ...] = ALGORITHMS
    repetitions: int = 20
    dimension: int = 20
    evaluations: int = 1500
    switch: int = 250
    profile: str = "default"
    options: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "functions", problems.select(self.functions))
        if self.evaluations <= self.switch:
            raise ValueError(
                f"switch={self.switch} with {self.evaluations} evaluations: BEA never switches"
            )
        for run in self.runs()[: len(self.algorithms) * len(self.functions)]:
            run.objective()
            run.optimizer(float)  # raises ValueError for bad options before any run starts

    @property
    def decisive(self) -> dict[str, Any]:
        published = {"length_scales": problems.LENGTH_SCALES} if self.profile != "default" else {}
        return super().decisive | published

    @property
    def cases(self) -> list[tuple[str]]:
        """The functions in the order of the page."""
        return [(name,) for name in problems.NAMES if name in self.functions]

    def runs(self) -> list[Run]:
        rest = (self.dimension, self.evaluations, self.switch, self.profile, self.options)
        return [
            Run(function, algorithm, repetition, *rest)
            for repetition in self.numbers
            for function in self.functions
            for algorithm in self.algorithms
        ]
