# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes a node's status for ROS's diagnostics tools."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from bea_ros.nodes.shared.qos import RESULTS


class Diagnostics:
    """Publishes a node's status, called "NODE: `what`", on `/diagnostics`."""

    def __init__(self, node: Node, what: str) -> None:
        self._clock = node.get_clock()
        self._name = f"{node.get_fully_qualified_name().lstrip('/')}: {what}"
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", RESULTS)

    def say(self, level: bytes, message: str, values: Mapping[str, object]) -> None:
        """Publish a level of DiagnosticStatus, its reason in words, and named values."""
        pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
        status = DiagnosticStatus(level=level, name=self._name, message=message, values=pairs)
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._clock.now().to_msg()
        self._publisher.publish(array)
