# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learner's access to any robot: reset it, run a candidate, measure the fitness."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from rclpy.client import Client
from rclpy.duration import Duration
from rclpy.executors import Executor
from rclpy.node import Node
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from bea_ros.localization.arena import Arena
from bea_ros.nodes.shared.qos import EACH, LATCHED
from bea_ros.nodes.shared.robot import in_charge
from bea_ros.nodes.shared.robot.answers import Interrupted, NotPutBack, RobotSilent, answer_to
from bea_ros.nodes.shared.robot.measurement import Measurement, measurement_of
from bea_ros.nodes.shared.robot.presence import TOLD, Presence
from bea_ros.nodes.shared.robot.requests import ARM, to_arm
from bea_ros.nodes.shared.robot.settings import Settings, world_in
from bea_ros.nodes.shared.sole_publisher import SolePublisher
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.robots.reach import Reach
from bea_ros.simulation.twin import Twin
from bea_ros.system.nanoseconds import SECOND

HEARTBEAT = 0.1  # s between repetitions of the candidate
DEADLINE = 10.0  # s (wall) for steps that should take milliseconds
PATIENCE = 60.0  # s (wall) for steps that take a simulator longer
PATIENCE_WHEN_BUSY = 20  # interruptions of a candidate by a busy computer, not the robot

Check = Callable[[], None]


def nothing() -> None:
    """The default of `check`."""


class RobotClient:
    """Talks to controller, localization and robot through a node; every wait has a deadline.

    The robot is in `arena` and moves within its `reach`. Waiting handles the node's messages, so
    never call this from a callback. If two nodes publish or serve the same, both are ignored.
    `patience` (s, wall clock) is the time that an evaluation may take beyond its duration in ROS
    time, `reset_patience` that for a reset. Without `resets`, the reset service is not needed.
    Waiting calls `check`, whose exceptions end it, and `tell` with what it waits for.
    """

    def __init__(
        self,
        node: Node,
        executor: Executor,
        reach: Reach,
        arena: Arena,
        patience: float = PATIENCE,
        reset_patience: float = PATIENCE,
        resets: bool = True,
        check: Check = nothing,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.node, self.executor = node, executor
        self.robot, self.arena = reach.robot, arena
        self.patience, self.reset_patience = patience, reset_patience
        self.resets, self.check, self.tell = resets, check, tell
        self.active = CpgParameters()
        self.settings = Settings(reach, arena)
        self.limp = False  # a real robot's driver reports that servos do not follow
        self.candidate = CpgParameters(robot=self.robot.name)
        self.parameters = node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
        self.learners = SolePublisher(node, "cpg_parameters")
        # A simulated robot is never armed: a foreign node's `armed` is ignored.
        self.simulated = bool(node.get_parameter("use_sim_time").value)
        self.twin = Twin(reach)
        self.evaluate_fitness: Client = node.create_client(EvaluateFitness, "evaluate_fitness")
        self.reset_robot: Client = node.create_client(Trigger, "reset")
        services = {"camera_localization": self.evaluate_fitness}
        services |= {"the robot (its reset service)": self.reset_robot} if resets else {}
        self.presence = Presence(node, services)
        self.presence.controller.subscribe(CpgParameters, self._on_active, EACH)
        self.presence.driver.subscribe(Bool, self._on_armed, EACH)
        self._beat = time.monotonic()

    def reconnect(self) -> None:
        """Call `connect` if a node is missing, exists twice or reports a problem."""
        if self.presence.missing() or self.presence.problem:
            self.connect()

    def connect(self) -> None:
        """Wait until the robot's nodes exist, each once, without a problem; raises RobotSilent."""
        self.presence.wait(PATIENCE, self._spin, self.tell)
        if self.learners not in self.presence.alone:  # later it is waited for
            self.presence.alone.append(self.learners)
            if self.learners.crowd:
                raise RobotSilent(
                    "somebody else publishes cpg_parameters for this robot: "
                    "stop that, or use another namespace or ROS_DOMAIN_ID"
                )

    @property
    def unarmed(self) -> str:
        """Says that servos are not armed, and what to type; empty if they are."""
        words = f"the servos are not armed; {to_arm(self.node.resolve_service_name(ARM))}"
        return words if self.limp else ""

    def reset(self) -> None:
        """Stop the robot and put it back to its start; raises RobotSilent, Interrupted."""
        self.stop()
        told = time.monotonic()

        def check() -> None:
            nonlocal told
            self._check_robot()
            if self.limp and time.monotonic() > told + TOLD:
                self.tell(f"waiting: {self.unarmed}")
                told = math.inf

        answer = self._call(
            self.reset_robot, Trigger.Request(), "the robot's reset", self.reset_patience, check
        )
        if not answer.success:
            self._check_robot()
            raise NotPutBack(f"the robot was not put back: {answer.message}")
        self.settings.check("the robot", answer.message)
        if known := world_in(answer.message, self.robot):
            self.twin.be_in(*known)
        # The topic `armed` may arrive later than the answer.
        limp = NotPutBack(f"the robot was put back, but {self.unarmed}")
        self._spin_until(lambda: not self.limp, limp)

    def stop(self, check: Check = nothing) -> int:
        """Stop the robot; returns the time when the candidate lost control (ns, ROS time).

        Calls `check` after each message until then. Raises RobotSilent or Interrupted.
        """
        self.command_stop()

        def over(active: CpgParameters) -> bool:
            check()
            return not active.names

        return self._when_active(over, "cpg_controller did not stop")

    def command_stop(self) -> None:
        """Tell the controller to stop the robot, without waiting."""
        self._command(CpgParameters(robot=self.robot.name))

    def give_up(self) -> None:
        """Tell the controller to stop, and wait up to 1 s until it has the message."""
        self.command_stop()
        self.parameters.wait_for_all_acked(Duration(seconds=1))

    def evaluate(
        self,
        evaluation: int,
        attempt: int,
        weights: Mapping[str, float],
        task: str,
        duration: float,
    ) -> Measurement:
        """Run a candidate for `duration` (s) from the robot's present position, and measure it.

        Raises RobotSilent, or Interrupted if the candidate did not drive the joints throughout.
        """
        try:
            start = self._begin(evaluation, attempt, weights)
            with self.twin.expecting(weights, duration) as expected:
                measured = self._measure(evaluation, task, start, duration)
                if (seen := measured.trajectory) is None:
                    return measured
                if carried := expected.objection(seen, measured.message, self._spin):
                    return Measurement(False, carried, measured.fitness, {}, None, tumbled=True)
                return replace(measured, success=True, message="", tumbled=False)
        except Exception:
            self.command_stop()  # waiting for a node to come back may take a while
            raise

    def _measure(self, evaluation: int, task: str, start: int, duration: float) -> Measurement:
        """Measure a candidate that drives the joints since `start` (ns, ROS time)."""
        pulses = self.presence.late
        late = pulses.seconds
        request = EvaluateFitness.Request(
            evaluation=evaluation, task=task, start=to_stamp(start), duration=duration
        )

        def check() -> None:
            self._check_follows()
            in_charge.check_driving(self.active, start)
            self._check_late(late, duration)

        who, over = "camera_localization", start + round(duration * SECOND)
        answer = self._call(self.evaluate_fitness, request, who, self.patience, check, over)
        if answer.success or answer.settings:
            self.settings.check(who, answer.settings)
        stopped = self.stop(lambda: in_charge.check_same(self.active, start))
        try:
            measured = measurement_of(answer, request, self.arena)
        except ValueError as error:
            raise RobotSilent(f"{who} answered no measurement: {error}") from error
        if measured.trajectory and stopped < start + round(measured.trajectory.t[-1] * SECOND):
            raise Interrupted(in_charge.STOPPED_EARLY)
        if heard := pulses.words:
            silent = RobotSilent("servo_driver does not say whether pulses were late")
            self._spin_until(lambda: pulses.words > heard + 1, silent)
        return replace(measured, late=self._check_late(late, duration))

    def _begin(self, evaluation: int, attempt: int, weights: Mapping[str, float]) -> int:
        """Let a candidate drive the joints; returns the time of its start (ns, ROS time)."""
        self._check_follows()
        candidate = CpgParameters(robot=self.robot.name, evaluation=evaluation, attempt=attempt)
        candidate.names, candidate.values = list(weights), list(weights.values())
        self._command(candidate)

        def taken(active: CpgParameters) -> bool:
            self._check_follows()  # armed later, it would start with hands perhaps still on it
            if (active.evaluation, active.attempt) != (evaluation, attempt):
                return False
            self.settings.check("cpg_controller", active.settings)
            in_charge.check_clock(active, self.node)
            return True

        failure = "cpg_controller did not take the candidate (its log says why)"
        return self._when_active(taken, failure)

    def _command(self, candidate: CpgParameters) -> None:
        candidate.header.stamp = self.node.get_clock().now().to_msg()
        self.candidate = candidate
        self.parameters.publish(candidate)

    def _check_late(self, before: float, duration: float) -> float:
        if objection := self.presence.late.objection(before, duration):
            raise Interrupted(objection)
        return self.presence.late.since(before)

    def _check_robot(self) -> None:
        if problem := self.presence.problem:
            raise Interrupted(problem)

    def _check_follows(self) -> None:
        self._check_robot()
        if self.limp:
            raise Interrupted("the servos were relaxed")

    def _on_active(self, message: CpgParameters) -> None:
        self.active, self.presence.commanded = message, True

    def _on_armed(self, message: Bool) -> None:
        self.limp = not self.simulated and not message.data

    def _when_active(self, wanted: Callable[[CpgParameters], bool], failure: str) -> int:
        self._spin_until(
            lambda: self.presence.commanded and wanted(self.active),
            RobotSilent(f"{failure} within {DEADLINE:.0f} s"),
        )
        return to_nanoseconds(self.active.header.stamp)

    def _spin_until(self, done: Callable[[], bool], failure: RobotSilent) -> None:
        """Handle messages until `done` is true; raises `failure` after DEADLINE, or Interrupted
        if the robot has a problem, which is then the cause.
        """
        began = time.monotonic()
        while not done():
            self._check_robot()
            if time.monotonic() - began > DEADLINE:
                raise failure
            self._spin()

    def _call(
        self, client: Client, request: Any, who: str, patience: float, check: Check, due: int = 0
    ) -> Any:
        def turn() -> None:
            self._spin()
            check()

        return answer_to(client, request, who, patience, turn, self.node.get_clock(), due)

    def spin(self, seconds: float) -> None:
        """Handle messages for a while (s, wall clock)."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._spin()

    def _spin(self) -> None:
        self.executor.spin_once(timeout_sec=HEARTBEAT / 2)
        self.presence.trouble.listened()
        if time.monotonic() - self._beat >= HEARTBEAT:
            self._beat = time.monotonic()
            if self.candidate.names:
                self.parameters.publish(self.candidate)
        self.check()
