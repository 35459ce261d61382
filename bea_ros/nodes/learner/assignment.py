# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The run that a learner's parameters define: robot, task, optimizer and folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.learner.adaptation import ENDED, in_words
from bea_ros.nodes.learner.parameters import (
    files_of,
    fitness_before,
    optimizer_options,
    prior_of,
    request_of,
    start_of,
)
from bea_ros.nodes.learner.progress import MORE, Progress
from bea_ros.nodes.shared.parameters import ParameterError
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.nodes.shared.robot_parameters import robot_of
from bea_ros.optimizers import Optimizer, create
from bea_ros.repertoire.learned_world import LearnedWorld
from bea_ros.robots.cpg import to_weights
from bea_ros.robots.motion import CommandedMotion
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.budgets import budgets_of
from bea_ros.runs.folder.head import read_request
from bea_ros.runs.folder.inputs import inputs_of
from bea_ros.runs.folder.measurements import REPETITION, Record, measurements, spread
from bea_ros.runs.folder.records import as_stored
from bea_ros.runs.folder.run_folder import RunFolder, read_motions, read_trajectories
from bea_ros.runs.learning import LearningRun, Trial
from bea_ros.system.versions import commit_of_checkout, versions_of
from bea_ros.tasks import Trajectory, check_duration, find_task

LEARNED_WORLD = "learned_world.jsonl"  # in the folder of a run
GONE = "its folder or logs are gone"  # why a run that was measured whole is not finished


class Assignment:
    """A run with the parameters `values`, new or resumed from its folder.

    `extra` holds further entries of the request. Raises ValueError with a message of one line.
    """

    def __init__(self, values: dict[str, Any], extra: Mapping[str, Any] | None = None) -> None:
        self.values = values
        self.robot = robot_of(values)
        self.task = find_task(values["task"])
        self.duration = check_duration(values["duration"] or self.task.duration)
        if not values["output"]:
            raise ParameterError("parameter output is empty: name a folder for the run")
        before = read_request(Path(values["output"]))
        if before is not None and "learned_world" not in before:
            self.values = values = {**values, "learned_world": False}  # as it was begun
        self.before = fitness_before(values, self.duration, before)
        self.start = start_of(values, self.robot.parameter_names, before)
        self.prior = prior_of(values, self.robot, self.task, self.duration)
        self.budget = budgets_of({**values, **(before or {})})[0][1]  # as it was begun
        self.motion = CommandedMotion(self.robot, self.duration, values["weight_range"])
        self.motions: dict[int, Trajectory] = {}  # as first measured, if it `simulates`
        self.breathe: Callable[[], object] = lambda: None  # called while the optimizer simulates
        self.note: Callable[[str], None] = print  # until there is a progress
        self.folder = self._open_folder(before, extra or {})
        if self.folder.lines and self.simulates:
            self.motions.update(read_motions(self.folder.path))
        self.run = LearningRun(
            self.folder,
            self.make_optimizer,
            self.weights,
            self.duration,
            values["confirm"],
            values["enough"],
            self.before,
        )
        best = self.run.best
        self.progress = Progress(
            values["evaluations"],
            self.run.done,
            best["fitness"] if best else None,
            self.task.unit,
        )
        self.note = self.progress.note
        self._shown: tuple[int, list[float]] | None = None  # the best: its number, measurements
        self._latest: tuple[int, Trajectory] | None = None  # the last evaluation measured

    def _open_folder(self, before: Record | None, extra: Mapping[str, Any]) -> RunFolder:
        """Open the folder of the run, which has the request `before` if it is resumed."""
        values, options = self.values, self.make_optimizer().options
        request = request_of(values, self.duration, options, self.start, self.before, before)
        request |= extra
        if self.prior:
            request["repertoire"] = self.prior.check
        surroundings = optimizer_options(values["surroundings"])
        versions = versions_of("numpy", "scipy", "scikit-learn", "mujoco")
        if commit := commit_of_checkout():
            versions["commit"] = commit
        files = inputs_of(self.robot, files_of(values, surroundings))
        return RunFolder(
            Path(values["output"]), request, versions, surroundings, files, values["changed"]
        )

    def make_optimizer(self) -> Optimizer:
        """Create the optimizer of the parameters, without evaluations."""
        options = optimizer_options(self.values["options"])
        if self.start and not self.prior and self.values["algorithm"] != "ea":
            # in place of random samples
            options = {"initial_samples": len(self.start), **options}
        dimension = len(self.robot.parameter_names)
        make: Callable[..., Optimizer] = partial(
            create, self.values["algorithm"], dimension, profile=self.values["profile"]
        )
        if self.prior:
            from bea_ros.optimizers.prior.optimizer import PriorOptimizer  # few runs have a prior

            world = self._learned_world() if self.simulates else None
            make = partial(PriorOptimizer, dimension, prior=self.prior, simulation=world)
        return make(
            seed=self.values["seed"],
            budget=self.budget,
            start=self.start,
            features=self.motion,
            **options,
        )

    @property
    def simulates(self) -> bool:
        """Whether a simulation that learns the robot's world searches before each evaluation."""
        return self.prior is not None and self.values["learned_world"]

    def _learned_world(self) -> LearnedWorld:
        return LearnedWorld(
            self.robot,
            self.task,
            self.duration,
            self.motion,
            self.motions,
            weight_range=self.values["weight_range"],
            arena=load_arena(self.robot, self.values["arena"]),
            memory=Path(self.values["output"]) / LEARNED_WORLD,
            breathe=lambda: self.breathe(),
            tell=lambda words: self.note(words),
        )

    def weights(self, x: Any) -> dict[str, float]:
        """Return the CPG weights (1/s) by name of a candidate in [0, 1]^d."""
        names = self.robot.parameter_names
        weights = to_weights(x, self.values["weight_range"]).tolist()
        return dict(zip(names, weights, strict=True))

    def begin(self) -> None:
        """Print the run's settings, and start the clock of the remaining time."""
        self.progress.began(self.robot.name, self.task.name, self.folder.path)
        if self.simulates:
            self.progress.note(
                "before each evaluation but the first a simulation searches, often for half a "
                "minute: it learns this robot's physics"
            )
        for change in self.folder.changes:
            self.progress.note(f"from evaluation {self.run.done + 1} on, {change}")

    def stopped(self, reason: str = "") -> None:
        """Print that the run was stopped."""
        self.progress.stopped(self.folder.path, reason, self.folder.kept)

    def finish(self) -> None:
        """Write report.html and print the result. The run is valid without a report."""
        from bea_ros.report.page import write_report  # takes its time to load: not before the end

        report = None
        try:
            report = write_report(self.folder.path)
        except (OSError, ValueError) as error:
            self.progress.note(f"no report: {error}")
        best, satisfied = self.run.best, self.run.satisfied
        if self.before is not None and best is not None:
            first = self.run.evaluations[0]
            told = in_words(self.before, first, best, self.task.unit)
            self.progress.note(told if self._latest else f"{ENDED} {told}")
        elif satisfied:
            self.progress.note(
                f"after {self.run.done} evaluation{'s' * (self.run.done != 1)} the best is at "
                f"least {self.run.enough:g} of what any other is expected to be: that is enough"
            )
        further: tuple[str, ...] = ("--evaluations", str(MORE * self.values["evaluations"]))
        if satisfied:  # with more evaluations it would end at once again
            further = ("--enough", "0") if self.run.enough else ()
        self.progress.finished(self.folder.path, report, further)

    def take(
        self, trial: Trial, measurement: Measurement, attempts: int, times: Mapping[str, float]
    ) -> Record:
        """Record a measurement, or a skipped candidate, and tell the optimizer."""
        if not measurement.success:
            self.progress.note(
                f"evaluation {trial.evaluation}: {measurement.message}; it counts as the worst"
            )
            self.motions.pop(trial.evaluation, None)
            return self.run.give_up(trial, attempts, times)
        fitness, terms, trajectory = measurement.fitness, measurement.terms, measurement.trajectory
        assert trajectory is not None
        self._latest = (trial.evaluation, trajectory)
        if self.simulates and trial.kind != REPETITION:
            self.motions[trial.evaluation] = as_stored(trajectory)
        return self.run.take(trial, fitness, terms, trajectory, attempts, times)

    def tell_progress(self, trial: Trial, record: Record) -> None:
        """Update the line on the terminal."""
        best, known = self.run.best, measurements(record)
        if trial.kind and not record.get("given_up", False):
            mean = f", mean of {len(known)} {record['fitness']:.4f}" if len(known) > 1 else ""
            self.progress.note(
                f"{trial.kind} of evaluation {trial.evaluation}: {known[-1]:.4f}{mean} "
                f"{self.task.unit}"
            )
        elif self.run.done < trial.evaluation:
            self.progress.note(
                f"evaluation {trial.evaluation} may be the best, {known[-1]:.4f}: it is repeated"
            )
        if self.run.done == trial.evaluation:
            reached = best["fitness"] if best else None
            self.progress.evaluated(trial.evaluation, trial.stage, record["fitness"], reached)

    def write_best(self) -> Trajectory | None:
        """Write best.yaml if it is not there, or the best or its mean has changed; remove it if
        there is no best.

        Returns the trajectory of the best if it was written.
        """
        best = self.run.best
        if best is None:
            self.folder.remove_best()  # that of a candidate which was skipped since
            return None
        number, known = best["evaluation"], measurements(best)
        if (number, known) == self._shown and os.path.exists(self.folder.path / BEST):
            return None
        self._shown = (number, known)
        sure = f", mean of {len(known)}, spread {spread(best):.4f}" if len(known) > 1 else ""
        fitness, weights = f"{best['fitness']:.4f} {self.task.unit}", best["parameters"]
        self.folder.write_best(
            {
                "evaluation": number, "attempt": 1, "robot": self.robot.name,
                "names": list(weights), "values": list(weights.values()),
            },
            f"{self.task.name}: {fitness} in evaluation {number}{sure}",
        )  # fmt: skip
        if self._latest and self._latest[0] == number:
            return self._latest[1]
        return read_trajectories(self.folder.path).get(number)
