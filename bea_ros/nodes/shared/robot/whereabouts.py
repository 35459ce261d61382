# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether an evaluation can begin at a robot's position, if no simulator resets it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node

from bea_ros.bags.sightings import sighting_of
from bea_ros.localization.arena import Arena
from bea_ros.nodes.shared.parameters import Parameter
from bea_ros.nodes.shared.qos import RESULTS
from bea_ros.nodes.shared.sole_publisher import SolePublisher
from bea_ros.nodes.shared.stamps import AHEAD
from bea_ros.system.nanoseconds import SECOND

FRESH = 1.0  # s (ROS time) for which a pose is valid
LOOK = 5.0  # s (wall clock) to wait for a pose
UPRIGHT = math.radians(45)  # largest tilt
MARGIN = Parameter(
    "margin", 0.5, "m to the arena's border; a nearer robot has to be put back", 0.0, 10.0
)
SETTLE = Parameter(
    "settle", 1.0, "s (wall clock) a real robot rests before an evaluation", 0.0, 60.0
)


class Whereabouts:
    """Subscribes to `pose` and, for the reason if there is none, to `/diagnostics`.

    A robot nearer than `margin` (m) to the arena's border is too near.
    """

    def __init__(self, node: Node, arena: Arena, margin: float) -> None:
        self.arena, self.margin = arena, margin
        self.sighting, self.heard = sighting_of(PoseWithCovarianceStamped()), -math.inf
        self.clock = node.get_clock()
        self.pose_source = SolePublisher(node, "pose")
        self.pose_source.subscribe(PoseWithCovarianceStamped, self._on_pose, RESULTS)
        self._why = ""  # why the robot is not seen, by the localization
        self._localization = node.resolve_topic_name("camera_localization").lstrip("/")
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, RESULTS)

    def objection(self, spin: Callable[[float], None]) -> str:
        """Why no evaluation can begin here; empty if it can. Waits for a pose with `spin`."""
        began = time.monotonic()
        while self.pose_source.crowd or not self._seen():
            if time.monotonic() - began > LOOK:
                return self.pose_source.crowd or self._unseen(began)
            spin(0.1)
        x, y = self.place
        left = min(self.arena.width / 2 - abs(x), self.arena.depth / 2 - abs(y))
        if left < self.margin:
            near = f"the robot is {left:.2f} m from the arena's edge"
            if self.margin < min(self.arena.width, self.arena.depth) / 2:
                return f"{near}: put it back near the middle"
            return f"{near}, and no place is {self.margin:g} m from it: set a smaller margin"
        if (tilt := self.sighting.tilt) > UPRIGHT:
            return f"the robot is tilted by {math.degrees(tilt):.0f} degrees: put it on its feet"
        return ""

    @property
    def place(self) -> tuple[float, float]:
        """The robot's last x and y (m, in map)."""
        return self.sighting.x, self.sighting.y

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        found = sighting_of(message)
        if math.isfinite(found.x + found.y + found.yaw):  # NaN is neither near an edge nor tilted
            self.sighting, self.heard = found, time.monotonic()

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.split(":")[0] == self._localization:
                self._why = status.message if status.level != DiagnosticStatus.OK else ""

    def _age(self) -> float:
        """Age of the last pose (s), by its stamp."""
        return (self.clock.now().nanoseconds - self.sighting.stamp) / SECOND

    def _seen(self) -> bool:
        return -AHEAD < self._age() < FRESH

    def _unseen(self, began: float) -> str:
        """Say why there is no valid pose; the wait for one `began` at a time (s, monotonic)."""
        if self.heard < began:
            return f"the robot is not seen: {self._why}" if self._why else "the robot is not seen"
        age = self._age()
        where = "behind" if age > 0 else "ahead of"
        return (
            f"the images' clock is {abs(age):.1f} s {where} this machine's: set the clocks right"
        )
