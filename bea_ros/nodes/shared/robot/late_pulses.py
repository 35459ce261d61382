# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The time that a real robot's servos were without due pulses, as their driver reports it."""

from __future__ import annotations

from rclpy.node import Node
from std_msgs.msg import Float64

from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.sole_publisher import SolePublisher

TOPIC = "pulses_late"
ALLOWED = 0.02  # share of an evaluation


class LatePulses:
    """The total `seconds` since the driver's start, and the number of reports (`words`).

    Not `spoken` of a simulated robot, which has no servos: who reports then is foreign.
    """

    def __init__(self, node: Node, spoken: bool) -> None:
        self.seconds = 0.0
        self.words = 0
        self.source = SolePublisher(node, TOPIC)
        if spoken:
            self.source.subscribe(Float64, self._on_word, LATCHED)

    def since(self, before: float) -> float:
        """The increase (s) over an earlier total, `before` (s)."""
        return max(0.0, self.seconds - before)

    def objection(self, before: float, duration: float) -> str:
        """Why an evaluation of `duration` (s) had too many late pulses; empty if it had not."""
        late, allowed = self.since(before), ALLOWED * duration
        if late <= allowed:
            return ""
        return (
            f"servos went {late:.2f} s without pulses that were due; {allowed:.2f} s are allowed"
        )

    def _on_word(self, message: Float64) -> None:
        self.seconds, self.words = message.data, self.words + 1
