# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stranger in the graph: watches the joints, hands messages on badly, says what is wrong."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import rclpy
from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Header
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.driving.hearing import hear_by_udp
from bea_ros.nodes.shared.qos import CONTROL, LATCHED, RESULTS, images
from bea_ros.robots import load_robot

# Of a message: what to publish instead, and after how long (s).
Trouble = Callable[[Any], list[tuple[float, Any]]]
ROBOT = load_robot("spider9")
TYPES: dict[str, tuple[Any, Any]] = {
    "cpg_parameters": (CpgParameters, LATCHED),
    "active_parameters": (CpgParameters, LATCHED),
    "joint_trajectory": (JointTrajectory, CONTROL),
    "image_processed": (Header, RESULTS),
    "image_raw": (Image, images(reliable=True)),
}
SERVICES = {"evaluate_fitness": EvaluateFitness, "reset": Trigger}
SOFT = 0.05  # rad by which MuJoCo lets a joint press beyond its limit
PAUSE = 0.2  # s between two commands, of which 60 come in a second
STILL = 1e-3  # rad; less between two messages is no movement


class Onlooker:
    """Spins in a thread of its own, in the given ROS domain.

    `wrong` lists commands and joints outside their limits; `moves` when (monotonic, s) a command
    differed from the one before; `stalls` when the machine kept this process waiting, and for how
    long (s); `pauses` from when to when no command came, as simulated time stood still.
    """

    def __init__(self, domain: int, relayed: tuple[str, ...] = ()) -> None:
        self.context = rclpy.Context()
        with patch.dict(os.environ):  # the runs hear by shared memory
            hear_by_udp()  # what kills runs would make this process deaf
            rclpy.init(context=self.context, domain_id=domain)
            self.node = rclpy.create_node("onlooker", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.lower = np.array([joint.lower for joint in ROBOT.joints])
        self.upper = np.array([joint.upper for joint in ROBOT.joints])
        self.neutral = (self.lower + self.upper) / 2
        self.wrong: list[str] = []
        self.moves: list[float] = []
        self.stalls: list[tuple[float, float]] = []
        self.pauses: list[tuple[float, float]] = []
        self._commanded = time.monotonic()
        self.last: dict[str, Any] = {}
        self._command = self.neutral
        self.trouble: dict[str, Trouble] = {}  # by topic
        self.troubled = 0
        self.unanswered: dict[str, int] = {}  # by service: how many calls get no answer
        self._relays = [
            self._relay_service(name) if name in SERVICES else self._relay(name)
            for name in relayed
        ]
        self.node.create_subscription(JointState, "joint_states", self._on_states, 100)
        for topic in ("joint_trajectory", "image_raw", "active_parameters"):
            kind, qos = TYPES[topic]
            self.node.create_subscription(kind, topic, self._keeper(topic), qos)
        self.ended = False
        self._threads = [threading.Thread(target=work) for work in (self._spin, self._oversleep)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self.ended = True
        rclpy.shutdown(context=self.context)
        for thread in self._threads:
            thread.join()

    def say(self, topic: str, message: Any, times: int = 1, linger: float = 0.02) -> None:
        """Publish what nobody asked for, each time `linger` (s) before the next or the end."""
        kind, qos = TYPES[topic]
        publisher = self.node.create_publisher(kind, topic, qos)
        deadline = time.monotonic() + 5
        while publisher.get_subscription_count() < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        for _ in range(times):
            publisher.publish(message)
            time.sleep(linger)
        self.node.destroy_publisher(publisher)

    def moved_after(self, since: float, until: float) -> float:
        """The last time in between at which a command changed, as s after `since`; 0 if none."""
        return max((at - since for at in self.moves if since < at < until), default=0.0)

    def stalled(self, since: float, until: float) -> float:
        """The longest the machine kept this process waiting in between (s)."""
        return max((s for at, s in self.stalls if since < at < until), default=0.0)

    def paused(self, since: float, until: float) -> float:
        """For how long no command came in between (s): the robot cannot go to its neutral pose."""
        overlaps = (min(end, until) - max(begin, since) for begin, end in self.pauses)
        return sum(overlap for overlap in overlaps if overlap > 0)

    def _spin(self) -> None:
        while not self.ended:
            try:
                self.executor.spin_once(timeout_sec=0.1)
            except InvalidHandle:  # another fault's thread has just destroyed what was to be taken
                continue
            except (ExternalShutdownException, RuntimeError):
                if not self.ended:
                    raise

    def _oversleep(self) -> None:
        while not self.ended:
            began = time.monotonic()
            time.sleep(0.01)
            now = time.monotonic()
            if now - began > 0.05:
                self.stalls.append((now, now - began - 0.01))

    def _keeper(self, topic: str) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            self.last[topic] = message
            if topic == "joint_trajectory" and message.header.frame_id != "stranger":
                self._on_command(message)

        return keep

    def _on_command(self, message: JointTrajectory) -> None:
        before, self._commanded = self._commanded, time.monotonic()
        if self._commanded - before > PAUSE:
            self.pauses.append((before, self._commanded))
        positions = np.array(message.points[0].positions)
        if not ((positions >= self.lower) & (positions <= self.upper)).all():
            self.wrong.append(f"command {positions.round(3).tolist()} outside the limits")
        if positions.shape == self._command.shape and (positions != self._command).any():
            self.moves.append(time.monotonic())
        self._command = positions

    def _on_states(self, message: JointState) -> None:
        positions = np.array(message.position)
        inside = (positions >= self.lower - SOFT) & (positions <= self.upper + SOFT)
        if not inside.all():
            self.wrong.append(f"joints {positions.round(3).tolist()} outside their limits")

    def _relay(self, topic: str) -> Any:
        kind, qos = TYPES[topic]
        publisher = self.node.create_publisher(kind, topic, qos)

        def hand_on(message: Any) -> None:
            trouble = self.trouble.get(topic)
            later = trouble(message) if trouble else [(0.0, message)]
            self.troubled += later != [(0.0, message)]
            for delay, changed in later:
                if delay:
                    threading.Timer(delay, self._publish, (publisher, changed)).start()
                else:
                    publisher.publish(changed)

        return self.node.create_subscription(kind, f"relayed/{topic}", hand_on, qos)

    def _relay_service(self, name: str) -> Any:
        """What relayed/NAME is asked, NAME is; some calls are done, but not answered."""
        group = ReentrantCallbackGroup()
        client = self.node.create_client(SERVICES[name], name, callback_group=group)

        async def hand_on(request: Any, response: Any) -> Any:
            response = await client.call_async(request)
            if self.unanswered.get(name):
                self.unanswered[name] -= 1
                await Future()
            return response

        return self.node.create_service(
            SERVICES[name], f"relayed/{name}", hand_on, callback_group=group
        )

    def _publish(self, publisher: Any, message: Any) -> None:
        if not self.ended:
            publisher.publish(message)


def loss(chance: random.Random) -> Trouble:
    return lambda message: [] if chance.random() < 0.3 else [(0.0, message)]


def delay(chance: random.Random) -> Trouble:
    return lambda message: [(chance.uniform(0.001, 0.15), message)]


def duplication(chance: random.Random) -> Trouble:
    return lambda message: [(0.0, message)] * chance.randint(1, 3)


def reordering(chance: random.Random) -> Trouble:
    return lambda message: [(chance.choice([0.0, 0.0, 0.1]), message)]
