# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a topic has one publisher and a service one server: two would contradict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.client import Client
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.utilities import get_rmw_implementation_identifier

from bea_ros.nodes.shared.node import wall_timer

PATIENCE = 10.0  # s (wall clock) for the other nodes to start


class SolePublisher:
    """Decides whether messages of a topic are used: not while it has two publishers.

    DDS announces a publisher before its messages. If a message's publisher has left, it may have
    been a second one, unless it was the only one before. So use this object's `subscribe`.
    With `listener`, a node's name, two are a problem only while that node listens.
    """

    def __init__(self, node: Node, topic: str, listener: str = "") -> None:
        self._node, self._listener = node, listener
        self._name = node.resolve_topic_name(topic)
        self._known = self._sender = b""  # gids: of the only publisher, of the message's

    def subscribe(self, kind: type, heed: Callable[[Any], None], qos: QoSProfile) -> None:
        """Call `heed` with each message that may be used."""

        def on_message(message: Any, info: Any) -> None:
            self._sender = sender_of(info)
            if self.usable():
                heed(message)

        self._node.create_subscription(kind, self._name, on_message, qos)

    @property
    def crowd(self) -> str:
        """The problem, in words; empty with one publisher or none."""
        count = self._node.count_publishers(self._name)
        if count > 1 and self._listener:
            listeners = self._node.get_subscriptions_info_by_topic(self._name)
            count *= self._listener in {one.node_name for one in listeners}
        return _words(count, "publish", self._name)

    def usable(self) -> bool:
        """True if messages may be used; else the reason is logged every few seconds."""
        wrong = self.crowd or self._strange
        if wrong:
            self._node.get_logger().error(wrong, throttle_duration_sec=5.0)
        return not wrong

    @property
    def _strange(self) -> str:
        """The problem with this message's publisher, in words, or empty."""
        if self._sender == self._known:
            return ""
        there = self._node.get_publishers_info_by_topic(self._name)
        if self._sender and self._sender not in {gid_of(one) for one in there}:
            return f"a publisher of {self._name} came and left: its message is ignored"
        self._known = self._sender
        return ""


def crowd_of_servers(node: Node, client: Client) -> str:
    """Why answers of a service are not used: it has several servers; empty with one or none."""
    return _words(node.count_services(client.service_name), "serve", client.service_name)


def tell_of_missing(node: Node, needs: Mapping[str, str]) -> None:
    """After PATIENCE, log which topics of `needs` (topic: its node) have no publisher."""

    def look() -> None:
        timer.cancel()
        for topic, who in needs.items():
            name = node.resolve_topic_name(topic)
            if not node.count_publishers(name):
                node.get_logger().info(f"nobody publishes {name} yet ({who})")

    timer = wall_timer(node, PATIENCE, look)


def sender_of(info: Mapping[str, Any]) -> bytes:
    """The gid of a message's publisher, from the message's info; empty if it cannot be known.

    rclpy before Kilted does not give it. Only Fast DDS is known to give the one that `gid_of`
    gives: CycloneDDS gives another number (ros2/rmw_cyclonedds, issue 377).
    """
    publisher = info.get("publisher_gid")
    if not publisher or not get_rmw_implementation_identifier().startswith("rmw_fastrtps"):
        return b""
    return bytes(publisher["data"])


def gid_of(publisher: TopicEndpointInfo) -> bytes:
    """Return the gid in the form that messages carry; rclpy before Kilted pads it."""
    return bytes(publisher.endpoint_gid[:16])


def _words(count: int, do: str, name: str) -> str:
    return f"{count} {do} {name}: all are ignored until one is left" * (count > 1)
