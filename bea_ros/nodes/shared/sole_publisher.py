# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Topics with one publisher, services with one server: of two nobody knows whose word counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.topic_endpoint_info import TopicEndpointInfo

from bea_ros.nodes.shared.timers import wall_timer

PATIENCE = 10.0  # s (wall clock) for the others to come


class SolePublisher:
    """Whether what comes on a topic is to be used: not while two publish there.

    DDS tells of a publisher before it delivers what that says. Who is gone when a message is
    handled may have been a second one, unless it was alone before; so `subscribe` by this.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node = node
        self._name = node.resolve_topic_name(topic)
        self._known = self._sender = b""  # gids of who was alone, and of who says this message

    def subscribe(self, kind: type, heed: Callable[[Any], None], qos: QoSProfile) -> None:
        """Have `heed` called with each message, with it known who says it."""

        def on_message(message: Any, info: Any) -> None:
            publisher = info.get("publisher_gid")  # rclpy before Kilted does not say
            self._sender = publisher["data"] if publisher else b""
            heed(message)

        self._node.create_subscription(kind, self._name, on_message, qos)

    @property
    def crowd(self) -> str:
        """What is wrong, in words; empty with one publisher or none."""
        count = self._node.count_publishers(self._name)
        return _words(count, "publish", self._name)

    def __call__(self) -> bool:
        """True with one publisher; else the operator is told, every few seconds."""
        wrong = self.crowd or self._strange
        if wrong:
            self._node.get_logger().error(wrong, throttle_duration_sec=5.0)
        return not wrong

    @property
    def _strange(self) -> str:
        """What is wrong with who says this message, in words, or nothing."""
        if self._sender == self._known:
            return ""
        there = self._node.get_publishers_info_by_topic(self._name)
        if self._sender and self._sender not in {gid_of(one) for one in there}:
            return f"a publisher of {self._name} came and left: its message is ignored"
        self._known = self._sender
        return ""


class SoleServer:
    """Whether what a service answers is to be used: not while two serve it."""

    def __init__(self, node: Node, service: str) -> None:
        self._node = node
        self._name = node.resolve_service_name(service)

    @property
    def crowd(self) -> str:
        """What is wrong, in words; empty with one server or none."""
        return _words(self._node.count_services(self._name), "serve", self._name)


def tell_of_missing(node: Node, needs: Mapping[str, str]) -> None:
    """Say once, after a while, which of the topics it `needs` nobody publishes, and who would."""

    def look() -> None:
        timer.cancel()
        for topic, who in needs.items():
            name = node.resolve_topic_name(topic)
            if not node.count_publishers(name):
                node.get_logger().info(f"nobody publishes {name} yet ({who})")

    timer = wall_timer(node, PATIENCE, look)


def gid_of(publisher: TopicEndpointInfo) -> bytes:
    """As it stands beside a message; rclpy before Kilted pads it."""
    return bytes(publisher.endpoint_gid[:16])


def _words(count: int, do: str, name: str) -> str:
    return f"{count} {do} {name}: all are ignored until one is left" * (count > 1)
