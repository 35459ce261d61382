# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a run: its best candidate, robot and task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import CpgNetwork, output_of
from bea_ros.robots.damage import Damage, by_joint, damages_of
from bea_ros.runs.folder.best import check_best, read_best
from bea_ros.runs.folder.head import REQUEST, RunFolderError, read_request, read_surroundings
from bea_ros.runs.folder.run_folder import LOG, read_evaluations
from bea_ros.tasks import Task, find_task


@dataclass(frozen=True)
class Learned:
    """The best candidate of a run: CPG weights (1/s) by name, and its fitness.

    `surroundings` are further arguments of the run, which do not determine its log.
    """

    folder: Path
    request: dict[str, Any]
    evaluation: int
    weights: dict[str, float]
    fitness: float | None
    surroundings: dict[str, Any]

    @property
    def arena(self) -> str:
        """Arena file of the run; empty for the package's own arena."""
        return str(self.surroundings.get("arena", ""))

    @property
    def config(self) -> str:
        """ROS parameter file of the run; empty if there was none."""
        return str(self.surroundings.get("config", ""))

    @property
    def motor(self) -> str:
        """Motor model of the run. Older runs do not name it: they had servos."""
        return str(self.request.get("motor", "servo"))

    @property
    def damage(self) -> str:
        """Joints that were broken in the simulator, as `bea learn --damage` takes them."""
        return str(self.request.get("damage", ""))

    @property
    def task(self) -> Task:
        """Task of the run."""
        return find_task(self.request["task"])

    @property
    def duration(self) -> float:
        """Duration of an evaluation (s): the task's if the run does not name one."""
        return float(self.request.get("duration") or self.task.duration)

    @property
    def platform(self) -> dict[str, str]:
        """Arguments of the graph. Runs can share a graph only if these are equal."""
        published = self.request["profile"] != "default"
        return {
            **{name: self.request[name] for name in ("robot", "generation", "masses")},
            "profile": "paper" if published else "default",
            "motor": self.motor,
            "arena": self.arena,
        }

    def robot(self) -> Robot:
        """Load the robot of the run; raises RobotError."""
        return load_robot(*(self.platform[name] for name in ("robot", "generation", "masses")))

    def damages(self, robot: Robot) -> dict[str, Damage]:
        """Return the damages of the joints that were broken; raises DamageError."""
        return damages_of(by_joint(self.damage), robot)

    def network(self, robot: Robot) -> CpgNetwork:
        """Return the CPG network of the best candidate."""
        return self.controller(robot, self.weights)

    def controller(self, robot: Robot, weights: Mapping[str, float]) -> CpgNetwork:
        """Return the CPG network of any candidate of the run."""
        return CpgNetwork.from_weights(robot, weights, output_of(self.request["profile"]))


def read_learned(folder: Path) -> Learned:
    """Read the best candidate of a run; raises RunFolderError."""
    request = read_request(folder)
    if request is None:
        raise RunFolderError(f"{folder} is not the folder of a run")
    for name in ("robot", "generation", "masses", "algorithm", "profile", "task"):
        if not isinstance(request.get(name), str):
            raise RunFolderError(f"{folder}: its {REQUEST} does not say which {name} it was of")
    surroundings = read_surroundings(folder)
    if not isinstance(arena := surroundings.get("arena", ""), str):
        raise RunFolderError(f"{folder}: the arena in its {REQUEST} is not a path: {arena!r}")
    best, evaluations = read_best(folder), read_evaluations(folder)
    if (folder / LOG).exists():  # a folder with best.yaml and run.yaml is enough to try a gait
        check_best(folder, best, evaluations)
    fitness = {record["evaluation"]: record["fitness"] for record in evaluations}
    weights = dict(zip(best["names"], best["values"], strict=True))
    number = best["evaluation"]
    return Learned(folder, request, number, weights, fitness.get(number), surroundings)


def names_of(folders: Iterable[Path]) -> dict[Path, str]:
    """The name of each run by its folder, or the path where runs share a name."""
    runs = set(folders)
    named = Counter(run.name for run in runs)
    return {run: run.name if named[run.name] == 1 else str(run) for run in runs}


def by_platform(runs: Iterable[Learned]) -> list[list[Learned]]:
    """Group the runs by platform and damage, so that one graph can try all runs of a group."""
    groups: dict[tuple[str, ...], list[Learned]] = {}
    for run in runs:
        groups.setdefault((*run.platform.values(), run.damage), []).append(run)
    return list(groups.values())
