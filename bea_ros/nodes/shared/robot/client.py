# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a learner does with a robot, whichever it is: put it back, run a candidate, measure it."""

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
from bea_ros.nodes.shared.arming import ARM, to_arm
from bea_ros.nodes.shared.qos import EACH, LATCHED
from bea_ros.nodes.shared.robot.answers import Interrupted, NotPutBack, RobotSilent, answer_to
from bea_ros.nodes.shared.robot.measurement import Measurement, measurement_of
from bea_ros.nodes.shared.robot.presence import Presence
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds, to_stamp
from bea_ros.robots.reach import Reach

HEARTBEAT = 0.1  # s between repetitions of the candidate
DEADLINE = 10.0  # s (wall) for what should take milliseconds
PATIENCE = 60.0  # s (wall) for what takes a simulator a while
SILENCE = 25.0  # s (wall) for a robot's node that has stopped saying how it is
PATIENCE_WHEN_BUSY = 20  # interruptions of one candidate: a busy computer is no fault of the robot
STOPPED_EARLY = "the controller stopped the robot before the evaluation was over"
TOLD = 5.0  # s (wall) between words on what it waits for

Check = Callable[[], None]


def nothing() -> None:
    """What is checked where nothing is."""


class RobotClient:
    """Talks to controller, localization and `robot` through a node; every wait has a deadline.

    The robot is in `arena` and moves within its `reach`. It handles the node's messages while it
    waits: call nothing here from a callback. While two publish or serve what one should, both are
    ignored. `patience` (s, wall clock) is for an evaluation beyond what it takes, however slow the
    robot's time, `reset_patience` for a reset; without `resets` nobody is asked to put the robot
    back. `check` is called all the while, and what it raises ends the waiting; `tell` is told what
    is waited for.
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
        self.node = node
        self.executor = executor
        self.robot, self.reach, self.arena = reach.robot, reach, arena
        self.patience = patience
        self.reset_patience = reset_patience
        self.resets, self.check, self.tell = resets, check, tell
        self.active: CpgParameters | None = None
        self.limp = False  # a real robot's servos are known not to follow
        self.candidate = CpgParameters(robot=self.robot.name)
        self.parameters = node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
        # Nobody arms a simulated robot: who says so is a stranger.
        self.simulated = bool(node.get_parameter("use_sim_time").value)
        self.evaluate_fitness: Client = node.create_client(EvaluateFitness, "evaluate_fitness")
        self.reset_robot: Client = node.create_client(Trigger, "reset")
        services = {"camera_localization": self.evaluate_fitness}
        services |= {"the robot (its reset service)": self.reset_robot} if resets else {}
        self.presence = Presence(node, services)
        self.presence.controller.subscribe(CpgParameters, self._on_active, EACH)
        self.presence.driver.subscribe(Bool, self._on_armed, EACH)
        self._beat = time.monotonic()

    def reconnect(self) -> None:
        """As `connect`, if somebody has gone, is there twice, or in trouble."""
        if self.presence.missing() or self.presence.problem:
            self.connect()

    def connect(self) -> None:
        """Wait until controller, localization and robot are there, each once, and well.

        Raises RobotSilent after PATIENCE, or SILENCE of the robot's own node.
        """
        began, told = time.monotonic(), -TOLD
        while True:
            names, problem = ", ".join(self.presence.missing()), self.presence.problem
            if not names and not problem:
                break
            waited = time.monotonic() - began
            silent = self.presence.trouble.silent and waited > SILENCE
            if waited > PATIENCE or silent:
                raise RobotSilent(problem or f"no answer from {names} for {PATIENCE:.0f} s")
            if waited > told + TOLD and (problem or waited > TOLD):
                self.tell(f"waiting: {problem}" if problem else f"waiting for {names}")
                told = waited
            self._spin()
        if self.node.count_publishers(self.parameters.topic_name) > 1:
            raise RobotSilent(
                "somebody else publishes cpg_parameters for this robot: "
                "stop that, or use another namespace or ROS_DOMAIN_ID"
            )

    @property
    def unarmed(self) -> str:
        """What keeps the servos from following, and what to type, or nothing."""
        if not self.limp:
            return ""
        return f"the servos are not armed; {to_arm(self.node.resolve_service_name(ARM))}"

    def reset(self) -> None:
        """Stop the robot and put it back to where it starts; raises NotPutBack, Interrupted."""
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
        # `armed` comes by another way than the answer.
        limp = NotPutBack(f"the robot was put back, but {self.unarmed}")
        self._spin_until(lambda: not self.limp, limp)

    def stop(self) -> int:
        """Stop the robot; returns when the last candidate left the joints (ns, ROS time).

        Raises Interrupted while the robot is in trouble.
        """
        self.command_stop()
        return self._when_active(lambda active: not active.names, "cpg_controller did not stop")

    def command_stop(self) -> None:
        """Tell the controller to stop the robot, and do not wait."""
        self._command(CpgParameters(robot=self.robot.name))

    def give_up(self) -> None:
        """Tell the controller to stop the robot, and see that it hears so before all ends."""
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
        """Run a candidate from where the robot is, and measure it.

        Raises Interrupted if the candidate did not drive the joints all the while.
        """
        start = self._begin(evaluation, attempt, weights)
        pulses = self.presence.late
        late = pulses.seconds if pulses else 0.0
        request = EvaluateFitness.Request(
            evaluation=evaluation, task=task, start=to_stamp(start), duration=duration
        )

        def check() -> None:
            self._check_in_charge(start)
            self._check_late(late, duration)

        who, over = "camera_localization", start + round(duration * SECOND)
        answer = self._call(self.evaluate_fitness, request, who, self.patience, check, over)
        stopped = self.stop()
        try:
            measured = measurement_of(answer, request, weights, self.reach, self.arena)
        except ValueError as error:
            raise RobotSilent(f"{who} answered no measurement: {error}") from error
        if measured.trajectory and stopped < start + round(measured.trajectory.t[-1] * SECOND):
            raise Interrupted(STOPPED_EARLY)
        if pulses and (heard := pulses.words):
            silent = RobotSilent("servo_driver does not say whether pulses were late")
            self._spin_until(lambda: pulses.words > heard + 1, silent)
        return replace(measured, late=self._check_late(late, duration))

    def _begin(self, evaluation: int, attempt: int, weights: Mapping[str, float]) -> int:
        """Have a candidate drive the joints; returns since when (ns, ROS time)."""
        self._check_follows()
        candidate = CpgParameters(robot=self.robot.name, evaluation=evaluation, attempt=attempt)
        candidate.names, candidate.values = list(weights), list(weights.values())
        self._command(candidate)

        def taken(active: CpgParameters) -> bool:
            # If relaxed, it would begin as soon as somebody arms, wherever their hands are.
            self._check_follows()
            return bool((active.evaluation, active.attempt) == (evaluation, attempt))

        return self._when_active(
            taken, "cpg_controller did not take the candidate (its log says why)"
        )

    def _command(self, candidate: CpgParameters) -> None:
        candidate.header.stamp = self.node.get_clock().now().to_msg()
        self.candidate = candidate
        self.parameters.publish(candidate)

    def _check_in_charge(self, start: int) -> None:
        """Raises Interrupted unless the candidate that began then (ns) still drives the joints."""
        active = self.active
        assert active is not None
        self._check_follows()
        if not active.names:
            raise Interrupted(STOPPED_EARLY)
        if to_nanoseconds(active.header.stamp) != start:
            raise Interrupted("the controller restarted in the middle of the evaluation")

    def _check_late(self, before: float, duration: float) -> float:
        late = self.presence.late
        if late and (objection := late.objection(before, duration)):
            raise Interrupted(objection)
        return late.since(before) if late else 0.0

    def _check_robot(self) -> None:
        if problem := self.presence.problem:
            raise Interrupted(problem)

    def _check_follows(self) -> None:
        self._check_robot()
        if self.limp:
            raise Interrupted("the servos were relaxed")

    def _on_active(self, message: CpgParameters) -> None:
        if self.presence.controller():
            self.active, self.presence.commanded = message, True

    def _on_armed(self, message: Bool) -> None:
        if not self.simulated and self.presence.driver():
            self.limp = not message.data

    def _when_active(self, wanted: Callable[[CpgParameters], bool], failure: str) -> int:
        self._spin_until(
            lambda: self.active is not None and wanted(self.active),
            RobotSilent(f"{failure} within {DEADLINE:.0f} s"),
        )
        assert self.active is not None
        return to_nanoseconds(self.active.header.stamp)

    def _spin_until(self, done: Callable[[], bool], failure: RobotSilent) -> None:
        """Handle messages until something is so; raises `failure` after DEADLINE, Interrupted if
        the robot is in trouble: nobody else is to blame.
        """
        began = time.monotonic()
        while not done():
            if trouble := self.presence.trouble.text:
                raise Interrupted(trouble)
            if time.monotonic() - began > DEADLINE:
                raise failure
            self._spin()

    def _call(
        self, client: Client, request: Any, who: str, patience: float, check: Check, due: int = 0
    ) -> Any:
        def turn() -> None:
            self._spin()
            check()

        clock = self.node.get_clock()
        return answer_to(client, request, who, patience, turn, clock, due)

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
