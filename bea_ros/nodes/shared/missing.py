# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node that somebody starts alone says what it waits for."""

from __future__ import annotations

from collections.abc import Mapping

from rclpy.node import Node

from bea_ros.nodes.shared.timers import wall_timer

PATIENCE = 10.0  # s (wall clock) for the others to come


def tell_of_missing(node: Node, needs: Mapping[str, str]) -> None:
    """Say once, after a while, which of the topics it `needs` nobody publishes, and who would."""

    def look() -> None:
        timer.cancel()
        for topic, who in needs.items():
            name = node.resolve_topic_name(topic)
            if not node.count_publishers(name):
                node.get_logger().info(
                    f"nobody publishes {name} yet: {who} does (ros2 launch bea_ros "
                    "learn_gait.launch.py starts all)"
                )

    timer = wall_timer(node, PATIENCE, look)
