# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the best candidate of a run again and says what fitness it gets."""

from __future__ import annotations

import sys
from pathlib import Path

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from bea_ros.nodes.parameters import Parameter, declare
from bea_ros.nodes.process import run_node
from bea_ros.nodes.robot_client import Interrupted, RobotClient, RobotError
from bea_ros.nodes.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.run_folder import RunFolderError, read_best, read_evaluations
from bea_ros.tasks import TASKS, find_task

PARAMETERS = [
    *ROBOT_PARAMETERS,
    Parameter("task", "gait", "what to measure", choices=tuple(TASKS)),
    Parameter("duration", 0.0, "s of an evaluation, 0: the task's own", 0.0, 3600.0),
    Parameter("run", "", "folder of the run whose best candidate is run"),
]


class Replayer(Node):
    """Publishes `cpg_parameters` once; calls `reset` and `evaluate_fitness`."""

    def __init__(self) -> None:
        super().__init__("replayer")
        values = declare(self, PARAMETERS)
        self.robot = robot_of(values)
        self.task = find_task(values["task"])
        self.duration = values["duration"] or self.task.duration
        folder = Path(values["run"])
        self.best = read_best(folder)
        if self.best["robot"] != self.robot.name:
            raise RunFolderError(f"{folder} is of robot {self.best['robot']}")
        learned = {record["evaluation"]: record for record in read_evaluations(folder)}
        self.learned = learned.get(self.best["evaluation"])

    def replay(self, executor: SingleThreadedExecutor) -> int:
        """Run the candidate; returns the exit code."""
        client = RobotClient(self, executor, self.robot.name)
        weights = dict(zip(self.best["names"], self.best["values"], strict=True))
        try:
            client.connect(print)
            client.reset()
            measured = client.evaluate(
                self.best["evaluation"], 1, weights, self.task.name, self.duration
            )
            client.reset()
        except (RobotError, Interrupted) as error:
            print(f"stopped: {error}", flush=True)
            return 1
        if not measured.success:
            print(f"the measurement cannot be trusted: {measured.message}", flush=True)
            return 1
        then = f" ({self.learned['fitness']:.4f} when it was learned)" if self.learned else ""
        print(
            f"evaluation {self.best['evaluation']}: fitness {measured.fitness:.4f} "
            f"{self.task.unit}{then}",
            flush=True,
        )
        for name, value in measured.terms.items():
            print(f"  {name:<14} {value:8.4f}", flush=True)
        return 0


def main(args: list[str] | None = None) -> int:
    """Run the node until the candidate was measured."""
    return run_node(Replayer, args, work=lambda node, executor: node.replay(executor))


if __name__ == "__main__":
    sys.exit(main())
