# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The joint positions in a `joint_trajectory`, and their times."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.robots import Robot


@dataclass(frozen=True)
class Commands:
    """Joint positions (rad), each valid until its time (ns); the last one stays valid."""

    until: list[int]
    positions: list[list[float]]

    def at(self, now: int) -> list[float]:
        """Return the positions (rad) at a time (ns)."""
        return self.from_now(now)[0]

    def from_now(self, now: int) -> list[list[float]]:
        """Return the positions (rad) at a time (ns) and all later ones."""
        return self.positions[min(bisect_right(self.until, now), len(self.positions) - 1) :]


def commands_of(message: JointTrajectory, robot: Robot, now: int) -> Commands:
    """Return a message's commands in the order of the robot's joints, clipped to their limits.

    They begin at the message's stamp, or at `now` (ns) if that is outside the message's duration.
    Raises ValueError for other joints, numbers that are not finite, or times out of order.
    """
    names = [joint.name for joint in robot.joints]
    points = [point.positions for point in message.points] or [[]]
    lengths = [to_nanoseconds(point.time_from_start) for point in message.points]
    for positions in points:
        if sorted(message.joint_names) != sorted(names) or len(positions) != len(names):
            raise ValueError(
                f"it has {len(positions)} positions for the joints "
                f"{', '.join(message.joint_names) or '(none)'}, not one for each of "
                f"{', '.join(names)}"
            )
    if not np.isfinite(points).all():
        raise ValueError("its positions are not finite")
    if lengths != sorted(lengths):
        raise ValueError("its points are not in the order of their times")
    order = [message.joint_names.index(name) for name in names]
    lower, upper = ([getattr(j, end) for j in robot.joints] for end in ("lower", "upper"))
    clipped = np.clip(np.array(points)[:, order], lower, upper).tolist()
    begun = to_nanoseconds(message.header.stamp)
    if not begun <= now <= begun + lengths[-1]:
        begun = now
    return Commands([begun + length for length in lengths], clipped)
