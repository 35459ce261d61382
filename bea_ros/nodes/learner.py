# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Lets a robot learn: asks for a candidate, has it tried and measured, tells the fitness."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bea_ros_interfaces.msg import LearnerStatus
from nav_msgs.msg import Path as PathMessage
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from bea_ros.nodes.learning_parameters import PARAMETERS, optimizer_options, request_of, versions
from bea_ros.nodes.parameters import ParameterError, declare
from bea_ros.nodes.pose_messages import path_of
from bea_ros.nodes.process import run_node
from bea_ros.nodes.progress import Progress
from bea_ros.nodes.qos import LATCHED
from bea_ros.nodes.robot_client import Interrupted, Measurement, RobotClient, RobotError
from bea_ros.nodes.robot_parameters import robot_of
from bea_ros.optimizers import create
from bea_ros.robots.cpg import to_weights
from bea_ros.run_folder import RunFolder, RunFolderError, read_trajectories
from bea_ros.tasks import Trajectory, find_task

WINDOW = 10  # evaluations over which the gain per second is measured (paper: k + 10 = i)
FAILED = 1  # exit code when the robot's side fails


class Learner(Node):
    """Publishes `cpg_parameters`, `learner/status` and `learner/best_path`.

    Calls `reset` and `evaluate_fitness`.
    """

    def __init__(self) -> None:
        super().__init__("learner")
        values = declare(self, PARAMETERS)
        self.values = values
        self.robot = robot_of(values)
        self.task = find_task(values["task"])
        self.duration = values["duration"] or self.task.duration
        self.budget = values["evaluations"]
        self.optimizer = create(
            values["algorithm"],
            len(self.robot.parameter_names),
            seed=values["seed"],
            budget=self.budget,
            profile=values["profile"],
            **optimizer_options(values["options"]),
        )
        if not values["output"]:
            raise ParameterError("parameter output is empty: name a folder for the run")
        request = request_of(values, self.duration, self.optimizer.options)
        self.folder = RunFolder(Path(values["output"]), request, versions())
        self.replay()
        so_far = self.optimizer.best[1] if self.optimizer.best else None
        done = len(self.folder.evaluations)
        self.progress = Progress(self.budget, done, so_far, self.task.unit)
        self.status = LearnerStatus(
            state=LearnerStatus.STATE_WAITING,
            robot=self.robot.name,
            task=self.task.name,
            budget=self.budget,
            fitness=math.nan,
            best_fitness=math.nan,
            step_size_factor=1.0,
        )
        self.statuses = self.create_publisher(LearnerStatus, "learner/status", LATCHED)
        self.best_path = self.create_publisher(PathMessage, "learner/best_path", LATCHED)
        if self.folder.evaluations:
            fittest = max(self.folder.evaluations, key=lambda record: record["fitness"])
            self.write_best(fittest)  # a kill may have come between the log and best.yaml
            trajectories = read_trajectories(self.folder.path)
            if fittest["evaluation"] in trajectories:
                self.show_best(trajectories[fittest["evaluation"]])

    def replay(self) -> None:
        """Tell the optimizer the evaluations the run folder has already."""
        for record in self.folder.evaluations:
            x = self.optimizer.ask()
            if self.weights(x) != record["parameters"]:
                raise RunFolderError(
                    f"{self.folder.path} cannot be resumed: evaluation {record['evaluation']} has "
                    "other parameters than this version of bea_ros would try there"
                )
            self.tell(x, record["fitness"], record["time"]["overhead"])

    def tell(self, x: Any, fitness: float, overhead: float) -> None:
        """Tell the optimizer an evaluation.

        What it took counts in the robot's time, which does not depend on how fast it is simulated.
        """
        self.optimizer.tell(x, fitness, evaluation_time=self.duration, overhead_time=overhead)

    def weights(self, x: Any) -> dict[str, float]:
        """The CPG weights (1/s) by name of a candidate in [0, 1]^d."""
        names = self.robot.parameter_names
        weights = to_weights(x, self.values["weight_range"]).tolist()
        return dict(zip(names, weights, strict=True))

    def learn(self, executor: SingleThreadedExecutor) -> int:
        """Learn until the budget is spent; returns the exit code."""
        done = len(self.folder.evaluations)
        self.progress.began(self.robot.name, self.task.name, self.folder.path)
        client = RobotClient(self, executor, self.robot.name)
        try:
            if done < self.budget:
                client.connect(self.progress.note)
            for evaluation in range(done + 1, self.budget + 1):
                self.evaluate(client, evaluation)
            client.stop()
        except (RobotError, RunFolderError) as error:
            self.report(LearnerStatus.STATE_PAUSED, str(error))
            self.progress.failed(str(error))
            return FAILED
        except (KeyboardInterrupt, ExternalShutdownException):
            self.progress.interrupted()
            raise
        self.report(LearnerStatus.STATE_FINISHED)
        self.progress.finished(self.folder.path, self.write_report())
        return 0

    def write_report(self) -> Path | None:
        """Write report.html; a run is no worse for lack of one."""
        from bea_ros.report import write_report  # takes its time to load: at the end, not before

        try:
            return write_report(self.folder.path)
        except (OSError, ValueError) as error:
            self.progress.note(f"no report: {error}")
            return None

    def evaluate(self, client: RobotClient, evaluation: int) -> None:
        """One candidate: ask, try, log, tell."""
        asked = time.perf_counter()
        x = self.optimizer.ask()
        stage = self.optimizer.stage
        overhead = time.perf_counter() - asked
        weights = self.weights(x)
        self.status.stage = stage
        self.report(LearnerStatus.STATE_LEARNING)

        tried = time.perf_counter()
        measurement, attempts, interruptions = self.measure(client, evaluation, weights)
        took = time.perf_counter() - tried

        told = time.perf_counter()
        self.tell(x, measurement.fitness, overhead)
        overhead += time.perf_counter() - told
        record = {
            "evaluation": evaluation,
            "stage": stage,
            "parameters": weights,
            "fitness": measurement.fitness,
            "terms": measurement.terms,
            "attempts": attempts,
            "time": {
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "overhead": overhead,
                "evaluation": took,
                "interruptions": interruptions,
            },
        }
        assert measurement.trajectory is not None
        self.folder.append(record, measurement.trajectory)
        self.publish_progress(record, measurement.trajectory)

    def measure(
        self, client: RobotClient, evaluation: int, weights: Mapping[str, float]
    ) -> tuple[Measurement, int, int]:
        """A measurement that can be trusted, and the attempts and interruptions it took."""
        attempt, interruptions = 1, 0
        while True:
            client.reset()
            try:
                measurement = client.evaluate(
                    evaluation, attempt + interruptions, weights, self.task.name, self.duration
                )
            except Interrupted as why:
                interruptions += 1
                self.progress.note(f"evaluation {evaluation} is repeated: {why}")
                if interruptions > self.values["attempts"]:
                    raise RobotError(f"evaluation {evaluation}: {why}, again and again") from None
                continue
            if measurement.success:
                return measurement, attempt, interruptions
            reason = f"evaluation {evaluation} cannot be trusted: {measurement.message}"
            if attempt >= self.values["attempts"]:
                raise RobotError(f"{reason} (attempt {attempt} of {attempt})")
            self.progress.note(f"{reason}; trying again")
            attempt += 1

    def publish_progress(self, record: Mapping[str, Any], trajectory: Trajectory) -> None:
        """Status, best.yaml and the line on the terminal after an evaluation."""
        assert self.optimizer.best is not None
        best, best_fitness = self.optimizer.best
        records = self.folder.evaluations
        if record["fitness"] == best_fitness and self.weights(best) == record["parameters"]:
            self.write_best(record)
            self.show_best(trajectory)
        earlier = records[max(0, len(records) - 1 - WINDOW)]
        until_then = max(r["fitness"] for r in records[: max(1, len(records) - WINDOW)])
        spent = sum(
            r["time"]["overhead"] + r["time"]["evaluation"]
            for r in records[earlier["evaluation"] :]
        )
        self.status.evaluation = record["evaluation"]
        self.status.fitness = record["fitness"]
        self.status.best_fitness = best_fitness
        self.status.overhead_time = record["time"]["overhead"]
        self.status.evaluation_time = record["time"]["evaluation"]
        self.status.gain_per_second = (best_fitness - until_then) / spent if spent else 0.0
        self.status.step_size_factor = self.optimizer.step_size_factor
        self.report(LearnerStatus.STATE_LEARNING)
        self.progress.evaluated(
            record["evaluation"], record["stage"], record["fitness"], best_fitness
        )

    def write_best(self, record: Mapping[str, Any]) -> None:
        self.folder.write_best(
            {
                "evaluation": record["evaluation"],
                "attempt": 1,
                "robot": self.robot.name,
                "names": list(record["parameters"]),
                "values": list(record["parameters"].values()),
            },
            f"{self.task.name}: {record['fitness']:.4f} {self.task.unit} in evaluation "
            f"{record['evaluation']}",
        )

    def show_best(self, trajectory: Trajectory) -> None:
        """Publish the best candidate's path; its stamps count from the evaluation's start."""
        self.best_path.publish(path_of(trajectory, start=0))

    def report(self, state: str, message: str = "") -> None:
        """Publish the status."""
        self.status.state, self.status.message = state, message
        self.status.header.stamp = self.get_clock().now().to_msg()
        self.statuses.publish(self.status)


def main(args: list[str] | None = None) -> int:
    """Learn until the budget is spent or the node is shut down."""
    return run_node(Learner, args, work=lambda node, executor: node.learn(executor))


if __name__ == "__main__":
    sys.exit(main())
