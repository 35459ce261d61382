# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays the robot's side to a learner: controller, localization and reset."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from geometry_msgs.msg import PoseStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.system.nanoseconds import SECOND

FITNESS = 0.01
Spoil = Callable[[EvaluateFitness.Response], EvaluateFitness.Response]
TOLD = 10.0  # s of the robot's time from one candidate to the next


class RobotPlayer:
    """Does at once what is asked, and answers each `nonsense` once in place of a measurement.

    One that is a function is given the measurement.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.nonsense: list[EvaluateFitness.Response | Spoil] = []
        self.asked: list[int] = []  # the evaluations
        self.resets = 0
        self.refusal = ""  # why the robot is not put back
        # Of the controller, and of what moves the joints: anything, until one reports its own.
        self.settings, self.reset_settings = "map", "robot put back, thank you"
        self.restarts = 0  # how often a new controller takes the candidate before it stops
        self.told = CpgParameters()  # the last that the learner said
        self.now = SECOND
        self.active = CpgParameters(robot="spider9")
        self.activity = node.create_publisher(CpgParameters, "active_parameters", LATCHED)
        node.create_subscription(CpgParameters, "cpg_parameters", self.on_candidate, LATCHED)
        node.create_service(Trigger, "reset", self.on_reset)
        self.held: Future | None = None
        self.serve()
        self.activity.publish(self.active)

    def serve(self) -> None:
        """Be there to measure; `vanish` ends it."""
        self.measuring = self.node.create_service(
            EvaluateFitness,
            "evaluate_fitness",
            self.on_evaluate,
            callback_group=ReentrantCallbackGroup(),  # its answer may be held
        )

    def vanish(self) -> None:
        """What is held is never answered."""
        self.held = None
        self.node.destroy_service(self.measuring)

    def hold(self) -> None:
        """Answer no evaluation until `release`."""
        self.held = Future()

    def release(self) -> None:
        assert self.held
        held, self.held = self.held, None
        held.set_result(None)

    def on_candidate(self, message: CpgParameters) -> None:
        self.told = message
        if self.restarts and self.active.names and not message.names:
            self.restarts -= 1
            self.active.header.stamp = to_stamp(self.now + SECOND)
            self.activity.publish(self.active)
        before = (self.active.evaluation, self.active.attempt)
        if (message.evaluation, message.attempt) != before or not message.names:
            self.now += round(TOLD * SECOND)
            self.active = copy.deepcopy(message)
            self.active.header.stamp = to_stamp(self.now)
            self.active.settings = self.settings
            self.activity.publish(self.active)

    def leave(self) -> None:
        """Leave the candidate, as a controller that heard nothing from the learner."""
        self.now += SECOND
        self.active = CpgParameters(robot=self.active.robot)
        self.active.header.stamp = to_stamp(self.now)
        self.activity.publish(self.active)

    def on_reset(self, request: Any, response: Trigger.Response) -> Trigger.Response:
        self.resets += 1
        response.success, response.message = not self.refusal, self.refusal or self.reset_settings
        return response

    async def on_evaluate(self, request: Any, response: Any) -> EvaluateFitness.Response:
        self.asked.append(request.evaluation)
        if self.held:
            await self.held
        answer = measured(to_nanoseconds(request.start), request.duration)
        if not self.nonsense:
            return answer
        wrong = self.nonsense.pop(0)
        return wrong(answer) if callable(wrong) else wrong


def measured(start: int, duration: float) -> EvaluateFitness.Response:
    """What a localization answers of the gait of a robot that walks straight ahead."""
    response = EvaluateFitness.Response(success=True, fitness=FITNESS)
    distance = FITNESS * duration
    response.term_names = ["fitness", "displacement", "path_length", "duration"]
    response.terms = [FITNESS, distance, distance, duration]
    response.trajectory.header.stamp = to_stamp(start)
    for share in (0.0, 0.5, 1.0):
        pose = PoseStamped()
        pose.header.stamp = to_stamp(start + round(share * duration * SECOND))
        pose.pose.position.x = share * distance
        pose.pose.orientation.w = 1.0
        response.trajectory.poses.append(pose)
    return response
