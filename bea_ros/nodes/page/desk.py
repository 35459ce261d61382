# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What operators ask for on the page, carried to the learner and to the servos."""

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
GREETING = 3.0  # s


@dataclass
class Pending:
    """A service that was asked, and who waits for its answer."""

    future: Future
    reply: Reply
    deadline: float
    client: Client


class Desk:
    """`ask` is called by the server's thread, all else by the node's.

    A STOP goes out at once, from the thread that it came to: rcl's publishers are thread-safe.
    """

    def __init__(self, node: Node, simulated: bool) -> None:
        self.stopping = Stopping(simulated)
        self._stops = node.create_publisher(Bool, "emergency_stop", CONTROL)
        self._clients = clients_of(node)
        self._listeners, self._met = 0, 0.0  # to stops: how many, and since when
        self._asked: deque[tuple[str, Reply]] = deque()
        self._pending: list[Pending] = []

    def ask(self, what: str, reply: Reply) -> None:
        """Have something done, and tell how it went."""
        if what == "stop":
            self.stopping.press()
            self._stops.publish(Bool(data=True))
            reply(True, "sent")
        elif what not in SERVICES:
            reply(False, "unknown request")
            return
        self._asked.append((what, reply))

    @property
    def waits(self) -> bool:
        """Whether somebody waits for an answer, or for a STOP to be confirmed."""
        return bool(self._pending) or self.stopping.repeats

    def work(self) -> None:
        """Ask for what was asked since, and pass answers on."""
        while self._asked:
            what, reply = self._asked.popleft()
            if what == "stop":
                self._stop_by_service()
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
        """Stop again while that is not confirmed; else let who comes know that nobody said stop.

        Who has not heard a publisher of stops does not know whether it said so.
        """
        now, listeners = time.monotonic(), self._stops.get_subscription_count()
        if listeners != self._listeners:
            self._listeners, self._met = listeners, now
        if self.stopping.repeats:
            self._stops.publish(Bool(data=True))
        elif self.stopping.state == NONE and now - self._met < GREETING:
            self._stops.publish(Bool(data=False))

    def _stop_by_service(self) -> None:
        """A second way to the servos; of a simulated robot the learner is the one who knows."""
        self._call("pause" if self.stopping.simulated else "stop", lambda done, words: None)

    def _call(self, what: str, reply: Reply) -> None:
        client, (_, request) = self._clients[what], SERVICES[what]
        if not client.service_is_ready():
            reply(False, f"no {server_of(client.srv_name)} answers")
            return
        deadline = time.monotonic() + PATIENCE
        self._pending.append(Pending(client.call_async(request), reply, deadline, client))
