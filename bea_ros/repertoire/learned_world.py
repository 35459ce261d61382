# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated world that becomes like the robot's, in which candidates are tried beforehand."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.arena import Arena
from bea_ros.optimizers import create
from bea_ros.optimizers.inputs import Features
from bea_ros.optimizers.prior.simulation import Simulated
from bea_ros.repertoire.diagnosis import diagnosed, in_words
from bea_ros.robots import Robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE
from bea_ros.robots.damage import by_joint, damages_of
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.identification import Identification
from bea_ros.simulation.moves import FITTED, STEP, Moves, median_distance, moves_of
from bea_ros.simulation.physics import Physics
from bea_ros.system.files import open_own, read_whole
from bea_ros.tasks import Task, Trajectory

Array = NDArray[np.float64]

SEED = 7
GENERATIONS, REMEMBERED = 2, 2  # of the identification: per evaluation, and evaluations compared
BUDGET = 60  # candidates that BO tries beyond the starts
KEPT, FOUND = 6, 20  # of a search: where the next one starts as well, and what it returns


class LearnedWorld:
    """Finds the robot's physics and a broken joint from its motion; searches in that world by BO.

    Args:
        robot: the robot, whole.
        task: its task.
        duration: duration of an evaluation (s).
        features: of candidates, as the robot's optimizer has them.
        motions: the trajectory of each evaluation, by its number from 1 on; none of a fall.
        weight_range: CPG weights lie within +- this (1/s).
        arena: where an evaluation ends at the edge; without, the floor is endless.
        memory: file in which the searches are kept, so that a resumed run need not repeat them.
        breathe: called before each simulation.
        tell: called with words where another joint seems to be broken.
    """

    def __init__(
        self,
        robot: Robot,
        task: Task,
        duration: float,
        features: Features,
        motions: Mapping[int, Trajectory],
        *,
        weight_range: float = PUBLISHED_WEIGHT_RANGE,
        arena: Arena | None = None,
        memory: Path | None = None,
        breathe: Callable[[], object] = lambda: None,
        tell: Callable[[str], None] = print,
    ) -> None:
        self._robot, self._task, self._duration = robot, task, duration
        self._features, self._motions, self._weight_range = features, motions, weight_range
        self._arena, self._memory = arena, memory
        self._breathe, self._tell = breathe, tell
        self._evaluators: dict[tuple[Physics, str, bool], Evaluator] = {}

    @cached_property
    def _searched(self) -> dict[int, dict[str, Any]]:
        """Searches by the number of evaluations."""
        return _read(self._memory) if self._memory else {}

    def search(self, tried: Array, fitness: Array, starts: Array) -> Simulated:
        """Learn from the last evaluation, and search; see `Simulation`."""
        number = len(tried)
        check = self._check(tried)
        known = self._searched.get(number)
        if known is None or known["check"] != check:
            known = self._search_anew(tried, fitness, starts)
            self._searched[number] = {"evaluation": number, "check": check, **known}
            self._write(self._searched[number])
        return Simulated(*(np.array(known[name]) for name in ("again", "candidates", "fitness")))

    def _search_anew(self, tried: Array, fitness: Array, starts: Array) -> dict[str, Any]:
        number = len(tried)
        before = self._searched.get(number - 1, {})
        found, broken = self._learn(tried, before.get("identified"), before.get("broken", ""))
        self._evaluators.clear()
        evaluator = self._in(found.worlds[0], broken, self._arena)
        worst = min(0.0, float(fitness.min()))
        again = [self._fitness(evaluator, x, worst) for x in tried]
        first = np.vstack([starts, *before.get("candidates", [])[:KEPT]])
        first = first[np.sort(np.unique(first, axis=0, return_index=True)[1])]
        count = len(first) + BUDGET
        optimizer = create(
            "bo",
            tried.shape[1],
            seed=number,
            budget=count,
            features=self._features,
            start=first,
            initial_samples=len(first),
        )
        for _ in range(count):
            x = optimizer.ask()
            optimizer.tell(x, self._fitness(evaluator, x, worst))
        new = [record for record in optimizer.history if not (record.x == tried).all(1).any()]
        best = sorted(new, key=lambda record: -record.fitness)[:FOUND]
        return {
            "identified": found.state(),
            "broken": broken,
            "again": again,
            "candidates": [record.x.tolist() for record in best],
            "fitness": [record.fitness for record in best],
        }

    def _learn(
        self, tried: Array, state: Mapping[str, Any] | None, broken: str
    ) -> tuple[Identification, str]:
        """Make worlds of a state more like the robot's, and find what is broken.

        This follows from its last evaluations, and from what was `broken` before.
        """
        found = self._continued(len(tried), state)
        if len(tried) not in self._motions or self._duration < FITTED * STEP:
            return found, broken  # nothing is learned from a fall, nor from less than is compared
        last = range(max(len(tried) - REMEMBERED, 0), len(tried))
        motions = [
            (tried[n], _moves(self._motions[n + 1])) for n in last if n + 1 in self._motions
        ]

        @cache
        def error(world: Physics, broken: str) -> float:
            return float(np.mean([self._error(world, broken, x, moves) for x, moves in motions]))

        def improve(identification: Identification, broken: str) -> float:
            """Return the difference (m) from the best world."""
            for _ in range(GENERATIONS):
                errors = [error(world, broken) for world in identification.worlds]
                identification.learn(np.array(errors))
            return min(errors)

        def unlike(broken: str) -> float:
            usual = [] if broken else self._continued(1, None).worlds
            return min(error(world, broken) for world in [known, *usual])

        known = found.worlds[0]
        left = improve(found, broken)
        if len(tried) > 1:
            known = found.worlds[0]
        now = diagnosed(broken, left, unlike, self._robot)
        if now != broken:
            self._tell(f"it moves as if {in_words(now)}")
            found = self._continued(len(tried), None)
            improve(found, now)
        return found, now

    @staticmethod
    def _continued(number: int, state: Mapping[str, Any] | None) -> Identification:
        return Identification(np.random.default_rng([SEED, number]), state)

    def _error(self, world: Physics, broken: str, x: Array, moves: Moves) -> float:
        """How much the robot moved unlike a candidate in a world (m)."""
        evaluator = self._in(world, broken)
        self._breathe()
        trajectory = evaluator.attempt(x)
        return np.inf if trajectory is None else median_distance(moves, _moves(trajectory))

    def _fitness(self, evaluator: Evaluator, x: Array, worst: float) -> float:
        """Fitness in a world; `worst` if the robot falls over, or the task gives NaN."""
        self._breathe()
        fitness = evaluator.fitness_or_none(x)
        return fitness if fitness is not None and np.isfinite(fitness) else worst

    def _in(self, world: Physics, broken: str, arena: Arena | None = None) -> Evaluator:
        """The evaluator of a robot that is broken so in a world, on an endless floor or not."""
        key = world, broken, arena is not None
        if key not in self._evaluators:
            self._evaluators[key] = Evaluator(
                self._robot,
                self._task,
                self._duration,
                weight_range=self._weight_range,
                physics=world,
                arena=arena,
                damages=damages_of(by_joint(broken), self._robot),
            )
        return self._evaluators[key]

    def _check(self, tried: Array) -> str:
        """Checksum of what a search follows from, apart from earlier searches."""
        motion = self._motions.get(len(tried))
        poses = b"" if motion is None else motion.poses.tobytes()
        where = self._arena.frame if self._arena else ""
        return f"{zlib.crc32(poses + where.encode(), zlib.crc32(tried.tobytes())):08x}"

    def _write(self, searched: Mapping[str, Any]) -> None:
        """Add a search to the file. It is a copy of what can be found anew."""
        if self._memory is None:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with suppress(OSError), open_own(self._memory, flags) as file:
            line = json.dumps({**searched, "crc": _crc(searched)})
            file.write(f"\n{line}".encode())  # the last line may be cut


def _moves(trajectory: Trajectory) -> Moves:
    return moves_of(trajectory.t, trajectory.x, trajectory.y, trajectory.yaw)


def _crc(searched: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(searched).encode()):08x}"


def _read(memory: Path) -> dict[int, dict[str, Any]]:
    """Read searches by the number of evaluations; what is damaged is searched anew."""
    found = {}
    with suppress(OSError):
        for line in read_whole(memory).splitlines():
            with suppress(ValueError, TypeError, AttributeError, RecursionError):
                searched = json.loads(line)
                if searched.pop("crc", None) == _crc(searched):
                    found[searched["evaluation"]] = searched
    return found
