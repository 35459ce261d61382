# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Topics that have one publisher: with a second one nobody knows whose word counts."""

from __future__ import annotations

from rclpy.node import Node


class SolePublisher:
    """Whether what comes on a topic is to be used: not while two publish there.

    DDS tells of a publisher before it delivers what that says.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node = node
        self._topic = node.resolve_topic_name(topic)

    def __call__(self) -> bool:
        """True with one publisher; else the operator is told, every few seconds."""
        count = self._node.count_publishers(self._topic)
        if count <= 1:
            return True
        self._node.get_logger().error(
            f"{count} publish {self._topic}: none of them is heeded until one is left",
            throttle_duration_sec=5.0,
        )
        return False
