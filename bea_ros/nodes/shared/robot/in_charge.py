# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of `active_parameters`: which candidate drives the joints."""

from __future__ import annotations

from bea_ros_interfaces.msg import CpgParameters
from rclpy.node import Node

from bea_ros.nodes.shared.robot.answers import Interrupted, RobotSilent
from bea_ros.nodes.shared.stamps import AHEAD, to_nanoseconds
from bea_ros.system.nanoseconds import SECOND

STOPPED_EARLY = "the controller stopped the robot before the evaluation was over"


def check_driving(active: CpgParameters, start: int) -> None:
    """Raise Interrupted unless the candidate that began at `start` (ns) drives the joints."""
    if not active.names:
        raise Interrupted(STOPPED_EARLY)
    check_same(active, start)


def check_same(active: CpgParameters, start: int) -> None:
    """Raise Interrupted if a candidate drives the joints that did not begin at `start` (ns)."""
    if active.names and to_nanoseconds(active.header.stamp) != start:
        raise Interrupted("the controller restarted in the middle of the evaluation")


def check_clock(active: CpgParameters, node: Node) -> None:
    """Raise RobotSilent if a real robot's candidate began later than now, by the node's clock.

    It would be measured later than it moves. In a simulation all nodes have one clock.
    """
    now = node.get_clock().now().nanoseconds
    ahead = (to_nanoseconds(active.header.stamp) - now) / SECOND
    if ahead > AHEAD and not node.get_parameter("use_sim_time").value:
        raise RobotSilent(
            f"cpg_controller's clock is {ahead:.1f} s ahead of this machine's: "
            "set the clocks right"
        )
