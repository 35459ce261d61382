# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows the arena and how far the learner is, as markers for rviz and Foxglove."""

from __future__ import annotations

import math
import sys

from bea_ros_interfaces.msg import LearnerStatus
from geometry_msgs.msg import Point, Vector3
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from bea_ros.localization.arena import Arena, FloorMarker
from bea_ros.nodes.shared.arena_parameters import ARENA_PARAMETERS, arena_of
from bea_ros.nodes.shared.parameters import declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.tasks.fitness import TASKS

PARAMETERS = [*ROBOT_PARAMETERS, *ARENA_PARAMETERS]

TAPE = ColorRGBA(r=0.9, g=0.9, b=0.9, a=1.0)
INK = ColorRGBA(r=0.05, g=0.05, b=0.05, a=1.0)
TEXT = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
TAPE_WIDTH = 0.02  # m
THICKNESS = 0.002  # m, of a printed marker
LETTER = 0.12  # m, height


class Monitor(Node):
    """Subscribes `learner/status`, publishes `markers` (latched: all of them, at each change)."""

    def __init__(self) -> None:
        super().__init__("monitor")
        values = declare(self, PARAMETERS)
        self.arena = arena_of(values, robot_of(values))
        self.markers = self.create_publisher(MarkerArray, "markers", LATCHED)
        self.create_subscription(LearnerStatus, "learner/status", self.on_status, LATCHED)
        self.markers.publish(MarkerArray(markers=arena_markers(self.arena)))

    def on_status(self, status: LearnerStatus) -> None:
        place = Point(y=self.arena.depth / 2 + 2.5 * LETTER, z=LETTER)
        text = _marker("learner", 0, Marker.TEXT_VIEW_FACING, TEXT, Vector3(z=LETTER))
        text.pose.position, text.text = place, status_text(status)
        self.markers.publish(MarkerArray(markers=[*arena_markers(self.arena), text]))


SAYING_WHY = (
    LearnerStatus.STATE_WAITING,
    LearnerStatus.STATE_PAUSED,
    LearnerStatus.STATE_STOPPED,
)


def status_text(status: LearnerStatus) -> str:
    """What the learner is doing, in up to three lines."""
    lines = [
        f"{status.robot}  {status.task}",
        f"{status.stage or status.state}  {status.evaluation}/{status.budget}",
    ]
    if math.isfinite(status.best_fitness):
        task = TASKS.get(status.task.split(":")[0])
        unit = task.unit if task else ""
        lines[1] += f"  best {status.best_fitness:.4f} {unit}"
    if status.state in SAYING_WHY and status.message:
        lines.append(f"{status.state}: {status.message}")
    elif status.state == LearnerStatus.STATE_FINISHED:
        lines.append("finished")
    return "\n".join(lines)


def arena_markers(arena: Arena) -> list[Marker]:
    """The arena's outline and the markers on its floor, in map."""
    outline = _marker("arena", 0, Marker.LINE_STRIP, TAPE, Vector3(x=TAPE_WIDTH))
    x, y = arena.width / 2, arena.depth / 2
    corners = [(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)]
    outline.points = [Point(x=x, y=y) for x, y in corners]
    return [outline, *(_floor_marker(marker) for marker in arena.floor_markers)]


def _floor_marker(marker: FloorMarker) -> Marker:
    size = Vector3(x=float(marker.size), y=float(marker.size), z=THICKNESS)
    square = _marker("floor_markers", marker.id, Marker.CUBE, INK, size)
    square.pose.position.x, square.pose.position.y = float(marker.x), float(marker.y)
    square.pose.orientation.z = math.sin(marker.yaw / 2)
    square.pose.orientation.w = math.cos(marker.yaw / 2)
    return square


def _marker(kind: str, number: int, shape: int, colour: ColorRGBA, scale: Vector3) -> Marker:
    marker = Marker(ns=kind, id=number, type=shape, action=Marker.ADD, color=colour, scale=scale)
    marker.header.frame_id = "map"  # no stamp: wherever the robot is by now
    marker.pose.orientation.w = 1.0
    return marker


def main(args: list[str] | None = None) -> int:
    """Run the node until it is shut down."""
    return run_node(Monitor, args)


if __name__ == "__main__":
    sys.exit(main())
