# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Sends the requests of the page's operators to the learner and to the servos."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Bool

from bea_ros.nodes.page.server import Reply
from bea_ros.nodes.page.stopping import NONE, Stopping
from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.nodes.shared.robot.requests import SERVICES, clients_of, server_of

PATIENCE = 3.0  # s for an answer
GREETING = 3.0  # s for which a new subscriber is told that no stop was sent
MOVING = ("arm", "disarm", "resume", "skip")  # they end a stop, or let the robot move on


@dataclass
class Pending:
    """A service call in progress, and the reply to send when it ends."""

    future: Future
    reply: Reply
    deadline: float
    client: Client


class Desk:
    """The server's thread calls `ask`; the node's thread calls everything else.

    `ask` publishes a STOP at once, in the server's thread: rcl's publishers are thread-safe.
    """

    def __init__(self, node: Node, simulated: bool) -> None:
        self.stopping = Stopping(simulated)
        self._stops = node.create_publisher(Bool, "emergency_stop", CONTROL)
        self._clients = clients_of(node)
        self._listeners, self._met = 0, 0.0  # subscribers of stops; when the number changed
        self._asked: deque[tuple[str, Reply, float]] = deque()  # and when (s, monotonic)
        self._pending: list[Pending] = []

    def ask(self, what: str, reply: Reply) -> None:
        """Accept a request; `reply` gets success and a message."""
        now = time.monotonic()
        if what == "stop":
            self.stopping.press()
            self._stops.publish(Bool(data=True))
            reply(True, "sent")
        elif what not in SERVICES:
            reply(False, "unknown request")
            return
        self._asked.append((what, reply, now))

    @property
    def waits(self) -> bool:
        """Whether an answer or the confirmation of a STOP is awaited."""
        return bool(self._pending) or self.stopping.fresh

    def work(self) -> None:
        """Send the new requests to their services, and pass the answers on."""
        while self._asked:
            what, reply, asked = self._asked.popleft()
            if what == "stop":  # by service, too; a simulated robot has no servos
                self._call("pause" if self.stopping.simulated else "stop", lambda *_: None)
            elif what in MOVING and asked <= self.stopping.pressed:
                reply(False, "asked for before STOP was pressed: ask again")
            else:
                self._call(what, reply)
        self._speak()
        now, waiting = time.monotonic(), []
        for pending in self._pending:
            if pending.future.done():
                answer = pending.future.result()
                pending.reply(bool(answer and answer.success), answer.message if answer else "")
            elif now > pending.deadline:
                pending.client.remove_pending_request(pending.future)
                pending.reply(False, f"no answer from {pending.client.srv_name}")
            else:
                waiting.append(pending)
        self._pending = waiting

    def _speak(self) -> None:
        """Repeat an unconfirmed stop; without one, tell new subscribers that there is no stop.

        Servo drivers stop if a new publisher stays silent: its stop may have been lost.
        """
        now, listeners = time.monotonic(), self._stops.get_subscription_count()
        if listeners != self._listeners:
            self._listeners, self._met = listeners, now
        if self.stopping.repeats:
            self._stops.publish(Bool(data=True))
        elif self.stopping.state == NONE and now - self._met < GREETING:
            self._stops.publish(Bool(data=False))

    def _call(self, what: str, reply: Reply) -> None:
        client, (_, request) = self._clients[what], SERVICES[what]
        if not client.service_is_ready():
            reply(False, f"no {server_of(client.srv_name)} answers")
            return
        deadline = time.monotonic() + PATIENCE
        self._pending.append(Pending(client.call_async(request), reply, deadline, client))
