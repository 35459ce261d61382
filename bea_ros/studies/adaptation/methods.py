# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The methods by which a robot adapts to an unknown world, with ask() and tell(), and their trials
in a changed world, measured by the camera.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.arena import load_arena
from bea_ros.optimizers import create
from bea_ros.optimizers.gaussian_process import matern52, squared_distances
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.optimizers.prior.optimizer import PriorOptimizer
from bea_ros.repertoire import Repertoire, load, path_of
from bea_ros.repertoire.learned_world import LearnedWorld
from bea_ros.repertoire.ranking import prior_for
from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE
from bea_ros.robots.damage import Damage
from bea_ros.robots.motion import CommandedMotion
from bea_ros.runs.warm_start import best_and_diverse
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.observed import PoseNoise
from bea_ros.simulation.physics import Physics
from bea_ros.studies.adaptation.plan import FRESH, WARM_START, Run
from bea_ros.tasks import Trajectory, find_task, worst_of

Array = NDArray[np.float64]

WARM, LEARNED = 5, 100  # candidates of a warm start, from a run of this many evaluations
# Cully et al., Nature 2015 (methods): kernel, acquisition function and noise.
LENGTH, KAPPA, NOISE = 0.4, 0.05, 0.001
END = 10  # pose of a path that is a behaviour: after 15 s


class Ordered:
    """The repertoire's best candidates in the order of expected fitness, without a model."""

    def __init__(self, prior: Prior) -> None:
        order = np.argsort(-prior.expected, kind="stable")
        self._left = iter(prior.candidates[order])
        self._asked = next(self._left)

    def ask(self) -> Array:
        return self._asked

    def tell(self, x: Array, fitness: float) -> None:
        self._asked = next(self._left, self._asked)


class NatureSettings:
    """Intelligent trial and error with the settings of the Nature paper.

    Behaviours are the robot's x, y and yaw at the `ends` (n, 3), scaled by the repertoire's
    ranges. The fitness is in units of the best expected fitness.
    """

    def __init__(self, prior: Prior, ends: Array) -> None:
        spread = np.ptp(ends, axis=0)
        self._at = (ends - ends.min(axis=0)) / np.where(spread > 0, spread, 1.0)
        self._unit = float(np.abs(prior.expected).max()) or 1.0
        self._mean = prior.expected / self._unit
        self._candidates = prior.candidates
        self._tried: list[int] = []
        self._y: list[float] = []

    def ask(self) -> Array:
        mean, variance = self._mean, np.ones(len(self._mean))
        if self._tried:
            known = self._at[self._tried]
            noise = NOISE * np.eye(len(known))
            within = matern52(squared_distances(known, known) / LENGTH**2) + noise
            across = matern52(squared_distances(known, self._at) / LENGTH**2)
            weights = np.linalg.solve(within, across)
            mean = mean + weights.T @ (np.array(self._y) - self._mean[self._tried])
            variance = np.maximum(1.0 - (across * weights).sum(axis=0), 0.0)
        self._asked = int(np.argmax(mean + KAPPA * np.sqrt(variance)))
        return self._candidates[self._asked]

    def tell(self, x: Array, fitness: float) -> None:
        self._tried.append(self._asked)
        self._y.append(fitness / self._unit)


class Trials:
    """Trials of candidates by the camera in a changed world.

    `motions` has the trajectories by the number of the trial, from 1 on; none of a fall.
    """

    def __init__(
        self,
        robot: Robot,
        physics: Physics,
        damages: Mapping[str, Damage],
        task: str,
        seconds: float,
        seed: int,
    ) -> None:
        self._evaluator = Evaluator(
            robot,
            find_task(task),
            seconds,
            physics=physics,
            damages=damages,
            arena=load_arena(robot),
            noise=PoseNoise(),
            seed=seed,
        )
        self._count = 0
        self.motions: dict[int, Trajectory] = {}

    def __call__(self, x: Array) -> float | None:
        """Return the fitness of a candidate in [0, 1]^d; None if the robot fell over."""
        self._count += 1
        trajectory = self._evaluator.attempt(x)
        if trajectory is None:
            return None
        self.motions[self._count] = trajectory
        return self._evaluator.fitness_of(trajectory)


def method_of(run: Run, motions: Mapping[int, Trajectory]) -> Any:
    """The method of a run, with ask() and tell(); it may use the motions of its trials."""
    robot = load_robot(run.robot)
    d, motion = len(robot.parameter_names), CommandedMotion(robot, run.seconds)
    shared: dict[str, Any] = {"seed": run.seed, "budget": run.evaluations, "features": motion}
    if run.algorithm == FRESH:
        return create("bea", d, **shared)
    if run.algorithm == WARM_START:
        start = _learned_before(run.robot, run.task, run.seconds)
        return create("bea", d, start=start, initial_samples=WARM, **shared)
    repertoire, prior = _known(run.prior, run.robot, run.task, run.seconds)
    if run.algorithm == "ordered":
        return Ordered(prior)
    if run.algorithm == "nature":
        return NatureSettings(prior, np.nanmean(repertoire.paths[:, :, END], axis=1))
    if run.algorithm == "misled":  # each candidate has the fitness of another
        order = np.random.default_rng(run.seed).permutation(len(prior.candidates))
        prior = Prior(prior.candidates, prior.fitness[order])
    if run.algorithm != "unsimulated":
        shared["simulation"] = LearnedWorld(
            robot,
            find_task(run.task),
            run.seconds,
            motion,
            motions,
            arena=load_arena(robot),
            tell=lambda words: None,
        )
    return PriorOptimizer(d, prior=prior, **shared)


def repertoire_of(prior: str, robot: Robot) -> Repertoire:
    """The repertoire of a robot.

    `prior` is `default`, a folder of `bea explore`, or a folder with one for each robot. Raises
    RepertoireError if there is none, or one of another robot.
    """
    own = Path(prior) / robot.name
    if prior != "default" and own.exists():
        prior = str(own)
    file = own.with_suffix(".npz")
    found = load(file if file.exists() else path_of(prior, robot.name, "small"))
    found.check(robot, "small", PUBLISHED_WEIGHT_RANGE)
    return found


@lru_cache(maxsize=8)
def _known(prior: str, robot: str, task: str, seconds: float) -> tuple[Repertoire, Prior]:
    """The repertoire, and its prior for the task."""
    own = load_robot(robot)
    repertoire = repertoire_of(prior, own)
    return repertoire, prior_for(repertoire, find_task(task), seconds, load_arena(own))


@lru_cache(maxsize=8)
def _learned_before(robot: str, task: str, seconds: float) -> Array:
    """The best candidates of a run under the usual physics, shape (WARM, d)."""
    own = load_robot(robot)
    d, motion = len(own.parameter_names), CommandedMotion(own, seconds)
    bea = create("bea", d, seed=1, budget=LEARNED, features=motion)
    fitness = learn(bea, Trials(own, Physics(), {}, task, seconds, 1), LEARNED)
    return best_and_diverse(np.array([record.x for record in bea.history]), fitness, WARM)


def learn(method: Any, trials: Callable[[Array], float | None], count: int) -> Array:
    """Fitness of each of `count` evaluations, shape (count,); a fall gets the worst so far."""
    found: list[float] = []
    for _ in range(count):
        x = method.ask()
        fitness = trials(x)
        found.append(worst_of(found) if fitness is None else fitness)
        method.tell(x, found[-1])
    return np.array(found)
