# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What was learned in a run: its best candidate, and for which robot and task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import CpgNetwork, output_of
from bea_ros.runs.folder.head import REQUEST, RunFolderError, read_request, read_surroundings
from bea_ros.runs.folder.run_folder import LOG, check_best, read_best, read_evaluations
from bea_ros.tasks import Task, find_task


@dataclass(frozen=True)
class Learned:
    """The best candidate of a run: CPG weights (1/s) by name, and the fitness it had.

    `surroundings` are what the run was started with besides what decided its log, by argument.
    """

    folder: Path
    request: dict[str, Any]
    evaluation: int
    weights: dict[str, float]
    fitness: float | None
    surroundings: dict[str, Any]

    @property
    def arena(self) -> str:
        """File of the arena it was learned in; empty: the one that comes with the package."""
        return str(self.surroundings.get("arena", ""))

    @property
    def config(self) -> str:
        """The ROS parameter file it was learned with; empty: none."""
        return str(self.surroundings.get("config", ""))

    @property
    def motor(self) -> str:
        """The motor model that the robot learned with; once there were servos alone."""
        return str(self.request.get("motor", "servo"))

    @property
    def task(self) -> Task:
        """The task it was learned for."""
        return find_task(self.request["task"])

    @property
    def duration(self) -> float:
        """Of each of its evaluations (s)."""
        return float(self.request.get("duration") or self.task.duration)

    @property
    def platform(self) -> dict[str, str]:
        """The arguments of the graph that runs can only share if they are equal."""
        published = self.request["profile"] != "default"
        return {
            **{name: self.request[name] for name in ("robot", "generation", "masses")},
            "profile": "paper" if published else "default",
            "motor": self.motor,
            "arena": self.arena,
        }

    def robot(self) -> Robot:
        """The robot that learned; raises RobotError."""
        return load_robot(*(self.platform[name] for name in ("robot", "generation", "masses")))

    def network(self, robot: Robot) -> CpgNetwork:
        """Its controller."""
        return self.controller(robot, self.weights)

    def controller(self, robot: Robot, weights: Mapping[str, float]) -> CpgNetwork:
        """The controller of any of the run's candidates."""
        return CpgNetwork.from_weights(robot, weights, output_of(self.request["profile"]))


def read_learned(folder: Path) -> Learned:
    """The best candidate of a run's folder; raises RunFolderError."""
    request = read_request(folder)
    if request is None:
        raise RunFolderError(f"{folder} is not the folder of a run")
    for name in ("robot", "generation", "masses", "profile", "task"):
        if not isinstance(request.get(name), str):
            raise RunFolderError(f"{folder}: its {REQUEST} does not say which {name} it was of")
    surroundings = read_surroundings(folder)
    if not isinstance(arena := surroundings.get("arena", ""), str):
        raise RunFolderError(f"{folder}: its {REQUEST} has no possible arena: {arena!r}")
    best, evaluations = read_best(folder), read_evaluations(folder)
    if (folder / LOG).exists():  # somebody may pass on a gait alone
        check_best(folder, best, evaluations)
    fitness = {record["evaluation"]: record["fitness"] for record in evaluations}
    weights = dict(zip(best["names"], best["values"], strict=True))
    number = best["evaluation"]
    return Learned(folder, request, number, weights, fitness.get(number), surroundings)


def by_platform(runs: Iterable[Learned]) -> list[list[Learned]]:
    """The runs in groups of which each can be tried by one graph."""
    groups: dict[tuple[str, ...], list[Learned]] = {}
    for run in runs:
        groups.setdefault(tuple(run.platform.values()), []).append(run)
    return list(groups.values())
