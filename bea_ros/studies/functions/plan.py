# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which runs the study of the functions consists of."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bea_ros.optimizers import PROFILES, Optimizer, create
from bea_ros.studies.functions import problems
from bea_ros.studies.study_files import united

ALGORITHMS = ("bo", "ea", "bea")
TRANSFERS = {"bea-s1": "S1", "bea-s2": "S2", "bea-s3": "S3", "bea": "S4"}
LABELS = {
    "bo": "BO",
    "ea": "EA",
    "bea": "BEA",
    "bea-s1": "BEA, S1",
    "bea-s2": "BEA, S2",
    "bea-s3": "BEA, S3",
}


@dataclass(frozen=True)
class Run:
    """One run of an algorithm on a function."""

    function: str
    algorithm: str
    repetition: int
    dimension: int
    evaluations: int
    switch: int
    profile: str

    @property
    def name(self) -> str:
        """Name of the run's file."""
        return f"{self.function}-{self.algorithm}-{self.repetition}"

    @property
    def key(self) -> tuple[str, str, int]:
        """Function, algorithm and repetition."""
        return self.function, self.algorithm, self.repetition

    @property
    def seed(self) -> int:
        """Seed of the optimizer: all transfers of a repetition start from the same BO."""
        return zlib.crc32(f"{self.function}-{self._family}-{self.repetition}".encode())

    @property
    def head(self) -> dict[str, Any]:
        """What the run's file says it is of."""
        return asdict(self) | self._published

    @property
    def _family(self) -> str:
        return self.algorithm.split("-")[0]

    @property
    def _published(self) -> dict[str, Any]:
        return problems.published_options(self.function, self._family, self.profile)

    def objective(self) -> problems.Function:
        """The function, whose shift and rotation the repetition decides, for all algorithms."""
        return problems.create(self.function, self.dimension, self.repetition)

    def optimizer(self, clock: Callable[[], float]) -> Optimizer:
        """The run's optimizer at its start; `clock` (s) is what overhead is measured by."""
        own = self._published
        if self.algorithm in TRANSFERS:
            own |= {"switch": self.switch, "transfer": TRANSFERS[self.algorithm]}
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
class Plan:
    """What is studied. Raises ValueError, in one line, for what there is not."""

    functions: tuple[str, ...] = problems.NAMES
    algorithms: tuple[str, ...] = tuple(LABELS)
    repetitions: int = 20
    dimension: int = 20
    evaluations: int = 1500
    switch: int = 250
    profile: str = "default"

    def __post_init__(self) -> None:
        if not self.functions or not self.algorithms:
            raise ValueError("no functions or no algorithms to study")
        for name in self.algorithms:
            if name not in LABELS:
                raise ValueError(f"unknown algorithm '{name}', only {', '.join(LABELS)}")
        if self.profile not in PROFILES:
            raise ValueError(f"unknown profile '{self.profile}', only {', '.join(PROFILES)}")
        if self.repetitions < 1:
            raise ValueError(f"repetitions={self.repetitions}: at least 1 is needed")
        if self.evaluations <= self.switch:
            raise ValueError(
                f"switch={self.switch} with {self.evaluations} evaluations: BEA never switches"
            )
        for run in self.runs()[: len(self.algorithms) * len(self.functions)]:
            run.objective()
            run.optimizer(float)  # refuses what an optimizer refuses, before anything runs

    @property
    def decisive(self) -> dict[str, Any]:
        """What makes the numbers of a run; runs that differ in it do not belong together."""
        names = ("dimension", "evaluations", "switch", "profile")
        found = {name: getattr(self, name) for name in names}
        if self.profile != "default":
            found["length_scales"] = problems.LENGTH_SCALES
        return found

    def including(self, settings: Mapping[str, Any]) -> Plan:
        """This plan and what an earlier one with these settings had besides."""
        return united(self, settings, ("functions", "algorithms"))

    def runs(self) -> list[Run]:
        """Every run: one repetition of everything after the other."""
        length = (self.dimension, self.evaluations, self.switch)
        return [
            Run(function, algorithm, repetition, *length, self.profile)
            for repetition in range(self.repetitions)
            for function in self.functions
            for algorithm in self.algorithms
        ]
