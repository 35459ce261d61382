# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's problem, as its own node reports it."""

from __future__ import annotations

import time

from rclpy.node import Node
from std_msgs.msg import String

from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.nodes.shared.sole_publisher import SolePublisher

TOPIC = "robot_trouble"
PERIOD = 0.5  # s (wall) between two reports
SILENT = 3.0  # s (wall) without a report after which the node counts as silent
NAMELESS = "of the robot"


class RobotTrouble:
    """Listens to the robot's reports of problems; only Gazebo's node publishes them (`spoken`).

    Other backends publish none, so their publisher would be foreign: nothing is listened to.
    """

    def __init__(self, node: Node, spoken: bool) -> None:
        self._node, self._spoken = node, spoken
        self._said = ""
        self.heard = not spoken  # its node has reported once
        self._who = NAMELESS  # the node's name, once discovered
        self._quiet = 0.0  # s that we listened without a report
        self._looked = time.monotonic()
        self.source = SolePublisher(node, TOPIC)
        if spoken:
            self.source.subscribe(String, self._on_trouble, CONTROL)

    def listened(self) -> None:
        """Call this after handling messages, at least every `PERIOD` while waiting."""
        now = time.monotonic()
        # Longer breaks, in which the optimizer worked, do not count.
        self._quiet += min(now - self._looked, PERIOD)
        self._looked = now

    @property
    def silent(self) -> bool:
        """Whether the robot's node no longer reports."""
        return self._spoken and self.heard and self._quiet > SILENT

    @property
    def text(self) -> str:
        """The problem in words; empty if there is none."""
        if self.silent:
            return f"node {self._who} is silent"
        return self._said

    def _on_trouble(self, message: String) -> None:
        self._said, self._quiet, self.heard = message.data, 0.0, True
        if self._who == NAMELESS:
            topic = self._node.resolve_topic_name(TOPIC)
            names = {info.node_name for info in self._node.get_publishers_info_by_topic(topic)}
            # DDS may know a publisher before the name of its node.
            self._who = next(iter(names - {"_NODE_NAME_UNKNOWN_"}), NAMELESS)
