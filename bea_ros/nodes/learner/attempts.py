# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Repeats an evaluation until its measurement is valid."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from bea_ros_interfaces.msg import LearnerStatus

from bea_ros.nodes.learner.assignment import Assignment
from bea_ros.nodes.learner.operator import Operator, PauseRequest, SkipRequest
from bea_ros.nodes.learner.status import StatusPublisher
from bea_ros.nodes.shared.robot.answers import Interrupted, NotPutBack, RobotSilent
from bea_ros.nodes.shared.robot.client import PATIENCE_WHEN_BUSY, RobotClient
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.nodes.shared.robot.whereabouts import Whereabouts
from bea_ros.runs.learning import Trial


class NeedsOperator(RuntimeError):
    """A problem that only the operator can solve; the message says which."""


@dataclass
class Attempts:
    """Evaluates the candidates of an assignment, each until its measurement is valid.

    With `whereabouts` the robot must be at a place where an evaluation can begin.
    """

    assignment: Assignment
    client: RobotClient
    operator: Operator
    whereabouts: Whereabouts | None
    status: StatusPublisher
    last: tuple[int, int] = field(default=(0, 0), init=False)  # evaluation, its attempts so far
    # Of the last candidate: what could not be trusted and a last one, and what came in between.
    attempts: int = field(default=0, init=False)
    interruptions: int = field(default=0, init=False)
    paused: float = field(default=0.0, init=False)  # s (wall clock) that the operator took in all

    def measure(self, trial: Trial) -> Measurement:
        """Return a valid measurement of a candidate.

        A measurement without success means that the operator skipped the candidate, or that a
        simulated robot fell in each attempt. Any other failure is repeated. If that does not help,
        the learner waits for the operator, then repeats the candidate. Raises RobotSilent if there
        is no operator, and RepeatRequest or Aborted on the operator's request.
        """
        self.interruptions = 0
        try:
            return self._until_trusted(trial)
        except SkipRequest:
            return Measurement(False, "skipped by the operator", 0.0, {}, None)
        finally:
            self.operator.done_with()

    def _until_trusted(self, trial: Trial) -> Measurement:
        values, note = self.assignment.values, self.assignment.progress.note
        failed = interrupted = 0  # since somebody resumed
        failures: list[Measurement] = []
        name = f"evaluation {trial.evaluation}"
        while True:
            limit, busy = values["attempts"], False
            self.attempts = len(failures) + 1
            self.status.status.attempt = self.attempts + self.interruptions
            try:
                measurement = self._attempt(trial)
                if measurement.success:
                    return measurement
                failures.append(measurement)
                tumbles = len(failures) >= limit and all(failure.tumbled for failure in failures)
                if tumbles and self.client.simulated and values["operator"] == "none":
                    return replace(measurement, message=f"{measurement.message} at each attempt")
                problem = f"{name} cannot be trusted: {measurement.message}"
            except PauseRequest:
                self.interruptions += 1
                self._pause(f"{name} is interrupted by the operator")
                failed = interrupted = 0
                continue
            except NeedsOperator as why:
                self._wait(f"{name} cannot begin: {why}")
                failed = interrupted = 0
                continue
            except (Interrupted, RobotSilent) as why:
                self.interruptions += 1
                problem = f"{name}: {why}"
                busy = isinstance(why, Interrupted)
                if not busy and self.client.presence.trouble.text:
                    limit = failed + 1  # it was waited for, and is waited for no more
            interrupted, failed = interrupted + busy, failed + (not busy)
            count = interrupted if busy else failed
            if busy:
                limit = max(limit, PATIENCE_WHEN_BUSY)
            if count < limit:
                note(f"{problem}; trying again")
            else:
                hint = "; is this machine too busy?" if busy else ""
                fails = len(failures) >= values["attempts"]
                self._wait(f"{problem} (attempt {count} of {limit}{hint})", fails)
                failed = interrupted = 0

    def _attempt(self, trial: Trial) -> Measurement:
        self._prepare()
        if self.status.status.state == LearnerStatus.STATE_WAITING:
            self.status.say(LearnerStatus.STATE_LEARNING)
        evaluation, count = self.last  # no two attempts at an evaluation have the same number
        self.last = (trial.evaluation, count + 1 if evaluation == trial.evaluation else 1)
        self.operator.tried()
        task, duration = self.assignment.task.name, self.assignment.duration
        return self.client.evaluate(*self.last, trial.weights, task, duration)

    def _prepare(self) -> None:
        """Bring the robot to a place where an evaluation can begin; raises NeedsOperator."""
        self.client.reconnect()
        if self.client.resets:
            try:
                self.client.reset()
            except NotPutBack as why:
                if self.assignment.values["operator"] == "none":
                    raise  # it may do at the next attempt
                raise NeedsOperator(str(why)) from why
        elif unarmed := self.client.unarmed:
            raise NeedsOperator(unarmed)
        else:
            self.client.stop()
        if self.whereabouts is None:
            return
        self.client.spin(self.assignment.values["settle"])
        if objection := self.whereabouts.objection(self.client.spin):
            raise NeedsOperator(objection)

    def _wait(self, reason: str, fails: bool = False) -> None:
        """Wait for the operator; raises RobotSilent if there is none.

        If the candidate `fails` in each attempt, the message says that it can be skipped.
        """
        if self.assignment.values["operator"] == "none":
            raise RobotSilent(reason)
        self._pause(reason, fails)

    def _pause(self, reason: str, fails: bool = False) -> None:
        """Wait, while the robot stands still, until the operator resumes."""
        self.status.say(LearnerStatus.STATE_PAUSED, reason)
        progress, folder = self.assignment.progress, self.assignment.folder.path
        progress.paused(reason, self.operator.resume_service, folder, fails)
        began = time.monotonic()
        try:
            self.operator.wait(lambda: self.client.spin(0.1))
        finally:
            stood = time.monotonic() - began
            self.paused += stood
            progress.stood(stood)
        progress.note("resumed")
        self.status.say(LearnerStatus.STATE_LEARNING)
