# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Lets a robot learn: asks for a candidate, has it tried and measured, tells the fitness."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import rclpy
from bea_ros_interfaces.msg import LearnerStatus
from nav_msgs.msg import Path as PathMessage
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from bea_ros.nodes.learner.attempts import Attempts
from bea_ros.nodes.learner.operator import Aborted, Operator, RepeatRequest, leave_address
from bea_ros.nodes.learner.parameters import (
    PARAMETERS,
    optimizer_options,
    request_of,
    start_of,
    with_operator,
)
from bea_ros.nodes.learner.progress import Progress
from bea_ros.nodes.learner.results import write_best, write_report
from bea_ros.nodes.learner.status import StatusPublisher
from bea_ros.nodes.shared.arena_parameters import arena_of
from bea_ros.nodes.shared.measurement import Measurement
from bea_ros.nodes.shared.parameters import ParameterError, declare
from bea_ros.nodes.shared.pose_messages import path_of
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot_client import RobotClient, RobotSilent, nothing
from bea_ros.nodes.shared.robot_parameters import robot_of
from bea_ros.nodes.shared.whereabouts import Whereabouts
from bea_ros.optimizers import Optimizer, create
from bea_ros.robots.cpg import to_weights
from bea_ros.robots.motion import CommandedMotion
from bea_ros.runs.folder import RunFolder, RunFolderError, read_trajectories
from bea_ros.runs.learning import LearningRun, Trial
from bea_ros.runs.measurements import Record, measurements
from bea_ros.runs.versions import versions_of
from bea_ros.tasks import Trajectory, check_duration, find_task

FAILED = 1  # exit code when the robot's side fails and nobody is there to help


class Learner(Node):
    """Publishes `cpg_parameters`, `learner/status`, `learner/best_path` and `/diagnostics`.

    Calls `reset` and `evaluate_fitness`; serves `learner/pause`, `resume`, `skip`,
    `repeat_last` and `abort`. With an operator it subscribes `pose`.
    """

    def __init__(self) -> None:
        super().__init__("learner")
        simulated = bool(self.get_parameter("use_sim_time").value)
        self.values = values = with_operator(declare(self, PARAMETERS), simulated)
        self.robot = robot_of(values)
        self.task = find_task(values["task"])
        self.duration = check_duration(values["duration"] or self.task.duration)
        if not values["output"]:
            raise ParameterError("parameter output is empty: name a folder for the run")
        self.start = start_of(values, self.robot.parameter_names)
        self.motion = CommandedMotion(self.robot, self.duration, values["weight_range"])
        options = self.make_optimizer().options
        request = request_of(values, self.duration, options, self.start)
        surroundings = optimizer_options(values["surroundings"])
        versions = versions_of("numpy", "scipy", "scikit-learn", "mujoco")
        self.folder = RunFolder(Path(values["output"]), request, versions, surroundings)
        if known := len(self.folder.evaluations):  # of many, on a small computer, it takes minutes
            print(f"the optimizer learns again from {known} evaluations ...", flush=True)
        self.run = LearningRun(
            self.folder, self.make_optimizer, self.weights, self.duration, values["confirm"]
        )
        best = self.run.best
        self.progress = Progress(
            values["evaluations"],
            self.run.done,
            best["fitness"] if best else None,
            self.task.unit,
        )
        self.status = StatusPublisher(self, self.robot.name, self.task.name, values["evaluations"])
        if self.run.evaluations:
            self.status.measured(self.run, self.run.evaluations[-1])
        self.best_path = self.create_publisher(PathMessage, "learner/best_path", LATCHED)
        self.shown: tuple[int, list[float]] | None = None  # the best: its number and measurements
        self.latest: tuple[int, Trajectory] | None = None  # the last evaluation that was measured
        self.operator = Operator(self, can_repeat=lambda: bool(self.run.evaluations))
        self.whereabouts: Whereabouts | None = None
        if values["reset"] != "service":
            self.whereabouts = Whereabouts(self, arena_of(values, self.robot), values["margin"])
        self.show_best()

    def make_optimizer(self) -> Optimizer:
        """An optimizer as the parameters want it, that was told nothing."""
        options = optimizer_options(self.values["options"])
        if self.start and self.values["algorithm"] != "ea":  # in place of random samples
            options = {"initial_samples": len(self.start), **options}
        return create(
            self.values["algorithm"],
            len(self.robot.parameter_names),
            seed=self.values["seed"],
            budget=self.values["evaluations"],
            profile=self.values["profile"],
            start=self.start,
            features=self.motion,
            **options,
        )

    def weights(self, x: Any) -> dict[str, float]:
        """The CPG weights (1/s) by name of a candidate in [0, 1]^d."""
        names = self.robot.parameter_names
        weights = to_weights(x, self.values["weight_range"]).tolist()
        return dict(zip(names, weights, strict=True))

    def learn(self, executor: SingleThreadedExecutor) -> int:
        """Learn until the budget is spent; returns the exit code."""
        try:
            return self.go_on(executor)
        except Exception:
            if not rclpy.ok():  # Ctrl-C: what is raised then depends on what it came in between
                self.progress.stopped(self.folder.path)
            raise

    def go_on(self, executor: SingleThreadedExecutor) -> int:
        """Learn from where the run was left; returns the exit code."""
        self.progress.began(self.robot.name, self.task.name, self.folder.path)
        leave_address(self.folder.path, self)
        patience = {name: self.values[name] for name in ("patience", "reset_patience")}
        self.client = RobotClient(
            self,
            executor,
            self.robot,
            arena_of(self.values, self.robot),
            **patience,
            resets=self.values["reset"] != "operator",
            tell=self.say_waiting,
        )
        self.attempts = Attempts(
            self.client,
            self.operator,
            self.whereabouts,
            self.status,
            self.progress,
            self.values,
            self.folder.path,
            simulated=bool(self.get_parameter("use_sim_time").value),
        )
        try:
            if self.run.next():
                self.client.connect()
            while trial := self.run.next():
                self.evaluate(trial)
            self.client.stop()
        except Aborted:
            self.client.give_up()
            return self.end("by the operator", 0)
        except (RobotSilent, RunFolderError) as error:
            self.client.give_up()
            return self.end(str(error), FAILED)
        self.status.say(LearnerStatus.STATE_FINISHED)
        self.progress.finished(
            self.folder.path, write_report(self.folder.path, self.progress.note)
        )
        return 0

    def end(self, reason: str, code: int) -> int:
        """Say why the run ends before its time; returns the exit code."""
        self.status.say(LearnerStatus.STATE_STOPPED, reason)
        self.progress.stopped(self.folder.path, reason)
        return code

    def evaluate(self, trial: Trial) -> None:
        """Try, measure, log and tell one candidate; or turn to the last one again."""
        self.status.status.stage = trial.stage
        self.status.say(LearnerStatus.STATE_LEARNING)
        tried = time.monotonic() - self.attempts.paused
        self.client.check = self.operator.check
        try:
            measurement = self.attempts.measure(trial, self.task.name, self.duration)
        except RepeatRequest:
            self.client.command_stop()  # waiting for a node to come back may take a while
            number = self.run.correct()
            self.progress.note(f"evaluation {number} is measured again: the operator doubts it")
            return
        finally:
            self.client.check = nothing
        spent = time.monotonic() - self.attempts.paused - tried
        times = {"evaluation": spent, "interruptions": self.attempts.interruptions}
        record = self.take(trial, measurement, times)
        self.show_best()
        self.status.measured(self.run, record)
        self.status.say(LearnerStatus.STATE_LEARNING)
        self.tell_progress(trial, record)

    def take(self, trial: Trial, measurement: Measurement, times: dict[str, float]) -> Record:
        """Log and tell what was measured, or that it cannot be."""
        attempts = self.attempts.attempts
        if not measurement.success:
            self.progress.note(
                f"evaluation {trial.evaluation}: {measurement.message}; it counts as the worst"
            )
            return self.run.give_up(trial, attempts, times)
        fitness, terms, trajectory = measurement.fitness, measurement.terms, measurement.trajectory
        assert trajectory is not None
        self.latest = (trial.evaluation, trajectory)
        return self.run.take(trial, fitness, terms, trajectory, attempts, times)

    def say_waiting(self, text: str) -> None:
        self.progress.note(text)
        self.status.say(LearnerStatus.STATE_WAITING, text)

    def tell_progress(self, trial: Trial, record: Record) -> None:
        """The line on the terminal."""
        best, known = self.run.best, measurements(record)
        if trial.kind:
            self.progress.note(
                f"{trial.kind} of evaluation {trial.evaluation}: {known[-1]:.4f}, mean of "
                f"{len(known)} {record['fitness']:.4f} {self.task.unit}"
            )
        elif self.run.done < trial.evaluation:
            self.progress.note(
                f"evaluation {trial.evaluation} may be the best, {known[-1]:.4f}: it is repeated"
            )
        if self.run.done == trial.evaluation:
            reached = best["fitness"] if best else None
            self.progress.evaluated(trial.evaluation, trial.stage, record["fitness"], reached)

    def show_best(self) -> None:
        """Write best.yaml and publish the path, if there is another best or one better known."""
        best = self.run.best
        if best is None:
            return
        shown = (best["evaluation"], measurements(best))
        if shown == self.shown:
            return
        self.shown = shown
        write_best(self.folder, best, self.robot.name, self.task)
        if self.latest and self.latest[0] == best["evaluation"]:
            trajectory: Trajectory | None = self.latest[1]
        else:
            trajectory = read_trajectories(self.folder.path).get(best["evaluation"])
        if trajectory:  # its stamps count from the evaluation's start
            self.best_path.publish(path_of(trajectory, start=0))


def main(args: list[str] | None = None) -> int:
    """Learn until the budget is spent or the node is shut down."""
    return run_node(Learner, args, work=lambda node, executor: node.learn(executor))


if __name__ == "__main__":
    sys.exit(main())
