# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Topics with one publisher, services with one server: of two nobody knows whose word counts."""

from __future__ import annotations

from collections.abc import Mapping

from rclpy.node import Node

from bea_ros.nodes.shared.timers import wall_timer

PATIENCE = 10.0  # s (wall clock) for the others to come


class SolePublisher:
    """Whether what comes on a topic is to be used: not while two publish there.

    DDS tells of a publisher before it delivers what that says.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node = node
        self._name = node.resolve_topic_name(topic)

    @property
    def crowd(self) -> str:
        """What is wrong, in words; empty with one publisher or none."""
        count = self._node.count_publishers(self._name)
        return _words(count, "publish", self._name)

    def __call__(self) -> bool:
        """True with one publisher; else the operator is told, every few seconds."""
        if crowd := self.crowd:
            self._node.get_logger().error(crowd, throttle_duration_sec=5.0)
        return not crowd


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


def _words(count: int, do: str, name: str) -> str:
    return f"{count} {do} {name}: all are ignored until one is left" * (count > 1)
