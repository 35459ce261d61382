# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Lets a robot learn: takes candidates from the optimizer and reports their fitness to it."""

from __future__ import annotations

import contextlib
import sys
import time
from functools import partial

import rclpy
from bea_ros_interfaces.msg import LearnerStatus
from nav_msgs.msg import Path as PathMessage
from rclpy.executors import SingleThreadedExecutor

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.learner.assignment import GONE, Assignment
from bea_ros.nodes.learner.attempts import Attempts
from bea_ros.nodes.learner.operator import Aborted, Operator, RepeatRequest, leave_address
from bea_ros.nodes.learner.parameters import PARAMETERS, with_operator
from bea_ros.nodes.learner.status import StatusPublisher
from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.parameters import declare
from bea_ros.nodes.shared.pose_messages import path_of
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot.answers import Interrupted, RobotSilent
from bea_ros.nodes.shared.robot.client import RobotClient, nothing
from bea_ros.nodes.shared.robot.whereabouts import Whereabouts
from bea_ros.robots.cpg import output_of
from bea_ros.robots.reach import Reach
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.learning import Trial

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
        self.assignment = Assignment(values)
        self.robot, self.folder = self.assignment.robot, self.assignment.folder
        self.run, self.progress = self.assignment.run, self.assignment.progress
        self.arena = load_arena(self.robot, values["arena"])
        task = self.assignment.task.name
        self.status = StatusPublisher(self, self.robot.name, task, values["evaluations"])
        if self.run.evaluations:
            self.status.measured(self.run, self.run.evaluations[-1])
        self.best_path = self.create_publisher(PathMessage, "learner/best_path", LATCHED)
        self.operator = Operator(self, repeat=self.run.correct)
        self.whereabouts: Whereabouts | None = None
        if values["reset"] != "service":
            self.whereabouts = Whereabouts(self, self.arena, values["margin"])
        self.show_best()

    def learn(self, executor: SingleThreadedExecutor) -> int:
        """Learn until the budget is spent; returns the exit code."""
        try:
            return self.go_on(executor)
        except Exception:
            if not rclpy.ok():  # Ctrl-C: what is raised then depends on what it came in between
                self.assignment.stopped()
            raise

    def go_on(self, executor: SingleThreadedExecutor) -> int:
        """Learn from the current state of the run; returns the exit code."""
        self.assignment.begin()
        self.status.status.header.frame_id = leave_address(self.folder.path, self)
        self.status.publish()  # nothing was refused: the page tells its address
        patience = {name: self.values[name] for name in ("patience", "reset_patience")}
        output = output_of(self.values["profile"])
        self.client = RobotClient(
            self,
            executor,
            Reach(self.robot, self.values["motor"], output, self.values["gain"]),
            self.arena,
            **patience,
            resets=self.values["reset"] != "operator",
            tell=self.say_waiting,
        )
        self.assignment.breathe = partial(executor.spin_once, timeout_sec=0.0)
        self.attempts = Attempts(
            self.assignment, self.client, self.operator, self.whereabouts, self.status
        )
        try:
            if self.run.next():
                self.client.connect()
            self.finish_run()
        except Aborted:
            self.client.give_up()
            return self.end("by the operator", 0)
        except (RobotSilent, RunFolderError) as error:
            self.client.give_up()
            return self.end(str(error), FAILED)
        if not self.folder.kept:
            return self.end(GONE, FAILED)
        self.status.say(LearnerStatus.STATE_FINISHED)
        self.assignment.finish()
        return 0

    def finish_run(self) -> None:
        """Evaluate all that is left, and stop the robot."""
        left = True
        while left:
            while trial := self.run.next():
                self.evaluate(trial)
            with contextlib.suppress(Interrupted):  # nothing moves: it has been told to stop
                self.client.stop()
            left = self.run.next() is not None  # the operator may have doubted the last one

    def end(self, reason: str, code: int) -> int:
        """Print why the run ends early; returns the exit code."""
        self.status.say(LearnerStatus.STATE_STOPPED, reason)
        self.assignment.stopped(reason)
        return code

    def evaluate(self, trial: Trial) -> None:
        """Evaluate a candidate, record it and tell the optimizer; or repeat the last one."""
        self.status.status.stage = trial.stage
        self.status.say(LearnerStatus.STATE_LEARNING)
        tried = time.monotonic() - self.attempts.paused
        self.client.check = self.operator.check
        try:
            measurement = self.attempts.measure(trial)
        except RepeatRequest:
            number = self.run.correct()
            self.progress.note(f"evaluation {number} is measured again: the operator doubts it")
            return
        finally:
            self.client.check = nothing
        spent = time.monotonic() - self.attempts.paused - tried
        times = {"evaluation": spent, "interruptions": self.attempts.interruptions}
        if measurement.late:
            times["late pulses"] = round(measurement.late, 3)
        record = self.assignment.take(trial, measurement, self.attempts.attempts, times)
        self.show_best()
        self.status.measured(self.run, record)
        self.status.say(LearnerStatus.STATE_LEARNING)
        self.assignment.tell_progress(trial, record)

    def say_waiting(self, text: str) -> None:
        self.progress.note(text)
        self.status.say(LearnerStatus.STATE_WAITING, text)

    def show_best(self) -> None:
        """Write best.yaml and publish its path, if the best or its mean has changed."""
        if trajectory := self.assignment.write_best():  # its stamps count from the start
            self.best_path.publish(path_of(trajectory, start=0))


main = partial(run_node, Learner, work=Learner.learn)


if __name__ == "__main__":
    sys.exit(main())
