# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of `active_parameters`: which candidate drives the joints, and by which controller."""

from __future__ import annotations

from bea_ros_interfaces.msg import CpgParameters

from bea_ros.nodes.shared.robot.answers import Interrupted, RobotSilent
from bea_ros.nodes.shared.stamps import to_nanoseconds

STOPPED_EARLY = "the controller stopped the robot before the evaluation was over"


def check_driving(active: CpgParameters | None, start: int) -> None:
    """Raise Interrupted unless the candidate that began at `start` (ns) drives the joints."""
    if not active or not active.names:
        raise Interrupted(STOPPED_EARLY)
    check_same(active, start)


def check_same(active: CpgParameters | None, start: int) -> None:
    """Raise Interrupted if a candidate drives the joints that did not begin at `start` (ns)."""
    if active and active.names and to_nanoseconds(active.header.stamp) != start:
        raise Interrupted("the controller restarted in the middle of the evaluation")


def check_settings(active: CpgParameters | None, wanted: str) -> None:
    """Raise RobotSilent if the controller has other settings than `wanted`."""
    if active and (settings := active.header.frame_id) not in ("", wanted):
        raise RobotSilent(
            f"cpg_controller has {settings}, the learner {wanted}: give both the same"
        )
