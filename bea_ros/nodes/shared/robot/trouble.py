# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What keeps a robot from being a robot, as its own node says: for those who wait for it."""

from __future__ import annotations

import time

from rclpy.node import Node
from std_msgs.msg import String

from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.nodes.shared.sole_publisher import SolePublisher

TOPIC = "robot_trouble"
PERIOD = 0.5  # s (wall) between two words
SILENT = 3.0  # s (wall) without one after which the node is silent
NAMELESS = "of the robot"


class RobotTrouble:
    """What is wrong with the robot, where its node says so: Gazebo's does.

    The embedded simulator and the servos never do: with those, who speaks is a stranger.
    """

    def __init__(self, node: Node, spoken: bool) -> None:
        self._node, self._spoken = node, spoken
        self._said = ""
        self.heard = not spoken  # its node has said how it is
        self._who = NAMELESS  # its name, once the graph tells it
        self._quiet = 0.0  # s that we listened and it was silent
        self._looked = time.monotonic()
        self.one = SolePublisher(node, TOPIC)
        if spoken:
            self.one.subscribe(String, self._on_trouble, CONTROL)

    def listened(self) -> None:
        """Messages were handled: call this at least every `PERIOD` while somebody waits."""
        now = time.monotonic()
        # at most as long as we looked: the optimizer may have kept us from it
        self._quiet += min(now - self._looked, PERIOD)
        self._looked = now

    @property
    def silent(self) -> bool:
        """The robot's node no longer says anything."""
        return self._spoken and self.heard and self._quiet > SILENT

    @property
    def text(self) -> str:
        """In words, or nothing."""
        if self.silent:
            return f"node {self._who} is silent"
        return self._said

    def _on_trouble(self, message: String) -> None:
        if not self.one():
            return
        self._said, self._quiet, self.heard = message.data, 0.0, True
        if self._who == NAMELESS:
            topic = self._node.resolve_topic_name(TOPIC)
            names = {info.node_name for info in self._node.get_publishers_info_by_topic(topic)}
            # a publisher is known before the name of its node
            self._who = next(iter(names - {"_NODE_NAME_UNKNOWN_"}), NAMELESS)
