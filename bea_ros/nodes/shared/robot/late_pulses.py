# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How long a real robot's servos went without the pulses that were due, as their driver says."""

from __future__ import annotations

from rclpy.node import Node
from std_msgs.msg import Float64

from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.sole_publisher import SolePublisher

TOPIC = "pulses_late"


class LatePulses:
    """`seconds` in all since the driver started, and how many `words` of it were heard."""

    def __init__(self, node: Node) -> None:
        self.seconds = 0.0
        self.words = 0
        self.one = SolePublisher(node, TOPIC)
        node.create_subscription(Float64, TOPIC, self._on_word, LATCHED)

    def _on_word(self, message: Float64) -> None:
        if self.one():
            self.seconds, self.words = message.data, self.words + 1
