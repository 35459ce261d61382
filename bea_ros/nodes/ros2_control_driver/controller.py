# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commanding side of a ros2_control controller that moves the joints."""

from __future__ import annotations

import time
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.hardware.servo_control import Vector
from bea_ros.nodes.shared.qos import CONTROL

TOPICS = {"joint_trajectory": JointTrajectory, "commands": Float64MultiArray}
ASKED = {"joint_trajectory": ["joints"], "commands": ["joints", "interface_name"]}  # parameters
GLANCE = 0.1  # s (wall clock) between checks of publishers and subscribers
ANSWER = 2.0  # s (wall clock) after which the request for its parameters is repeated


class Controller:
    """A joint_trajectory_controller, or a forward position controller, by its `name`.

    The topic to which it subscribes shows which of the two it is. Its parameter `joints` gives
    their order, and must name the robot's joints. The `interface_name` of a forward controller
    must be position: others take the same numbers for velocities or torques.
    """

    def __init__(self, node: Node, name: str, joints: Sequence[str]) -> None:
        self._node, self._name, self._joints = node, name, list(joints)
        self._publishers = {
            topic: node.create_publisher(kind, f"{name}/{topic}", CONTROL)
            for topic, kind in TOPICS.items()
        }
        self._parameters: Client = node.create_client(GetParameters, f"{name}/get_parameters")
        self._answer: Future | None = None
        self._asked = self._glanced = 0.0
        self._topic = ""  # to which it subscribes
        self._who = b""
        self._order: list[int] = []  # indices of the robot's joints, in the controller's order
        self._fault = ""

    @property
    def fault(self) -> str:
        """Why it cannot be commanded; empty if it can."""
        if time.monotonic() - self._glanced > GLANCE:
            self._glanced = time.monotonic()
            self._fault = self._look()
        return self._fault

    @property
    def plays_ahead(self) -> bool:
        """Whether it takes future positions with their times."""
        return self._topic == "joint_trajectory"

    def send(self, positions: Sequence[Vector], period: float, begun: Time) -> None:
        """Command positions (rad), each (n,): the first at `begun`, one per period (s)."""
        if self.plays_ahead:
            message = JointTrajectory(joint_names=self._joints)
            message.header.stamp = begun
            for number, position in enumerate(positions):
                at = Duration(seconds=number * period).to_msg()
                point = JointTrajectoryPoint(positions=position.tolist(), time_from_start=at)
                message.points.append(point)
            self._publishers[self._topic].publish(message)
        elif self._order:
            command = positions[0][self._order].tolist()
            self._publishers[self._topic].publish(Float64MultiArray(data=command))

    def _look(self) -> str:
        heard = {topic: gid for topic in TOPICS if (gid := self._gid(topic))}
        topic, gid = next(iter(heard.items()), ("", b""))
        if gid != self._who:  # a new controller may have the same name
            self._topic, self._who, self._order, self._answer = topic, gid, [], None
        if not topic:
            topics = " or ".join(publisher.topic_name for publisher in self._publishers.values())
            return f"no controller {self._name} listens to {topics}: is it active?"
        publisher = self._publishers[topic]
        others = self._node.count_publishers(publisher.topic_name) - 1
        if others > 0:
            return (
                f"{others} other nodes publish {publisher.topic_name}: the joints follow them, too"
            )
        return "" if self._order else self._learn_order()

    def _gid(self, topic: str) -> bytes:
        """Return the gid of the controller's own subscription to a topic; empty without one."""
        name = self._publishers[topic].topic_name
        for one in self._node.get_subscriptions_info_by_topic(name):
            if one.node_name == self._name.rpartition("/")[2]:
                return bytes(one.endpoint_gid)
        return b""

    def _learn_order(self) -> str:
        """Ask for its joints; returns why they are unknown or not the robot's; else empty."""
        asked, who = ASKED[self._topic], f"the controller {self._name}"
        waiting = f"{who} does not tell its parameters: {', '.join(asked)}"
        if self._answer is None or not self._answer.done():
            late = time.monotonic() - self._asked > ANSWER
            if (self._answer is None or late) and self._parameters.service_is_ready():
                self._asked = time.monotonic()
                self._answer = self._parameters.call_async(GetParameters.Request(names=asked))
            return waiting
        answer = self._answer.result()
        if not answer or len(answer.values) != len(asked):  # it has not all of them
            return waiting
        told = dict(zip(asked, answer.values, strict=True))
        theirs = list(told["joints"].string_array_value)
        if sorted(theirs) != sorted(self._joints):
            return (
                f"{who} has the joints {', '.join(theirs) or '(none)'}, "
                f"the robot {', '.join(self._joints)}"
            )
        moved = "position" if self.plays_ahead else told["interface_name"].string_value
        if moved != "position":
            return f"{who} commands {moved or 'nothing'}: it must have interface_name position"
        self._order = [self._joints.index(joint) for joint in theirs]
        return ""
