# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows the arena and the progress of the learner, as markers for rviz and Foxglove."""

from __future__ import annotations

import math
import sys
import textwrap
from functools import partial

import numpy as np
from bea_ros_interfaces.msg import LearnerStatus
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from bea_ros.localization.arena import Arena, FloorMarker, load_arena
from bea_ros.localization.arena import Marker as Printed
from bea_ros.nodes.shared.node import Node, wall_timer
from bea_ros.nodes.shared.parameters import Parameter, declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot_parameters import ARENA_PARAMETERS, ROBOT_PARAMETERS, robot_of
from bea_ros.nodes.shared.sole_publisher import tell_of_missing
from bea_ros.robots.description import MARKER
from bea_ros.tasks import unit_of

PARAMETERS = [
    *ROBOT_PARAMETERS,
    *ARENA_PARAMETERS,
    Parameter("frame_prefix", "", "prefix of the frames' names"),
]

TAPE = ColorRGBA(r=0.9, g=0.9, b=0.9, a=1.0)
PAPER = ColorRGBA(r=0.95, g=0.95, b=0.95, a=1.0)
INK = ColorRGBA(r=0.0, g=0.0, b=0.0, a=1.0)
TEXT = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
NOTICE = ColorRGBA(r=1.0, g=0.75, b=0.2, a=1.0)  # of an important text
TAPE_WIDTH = 0.02  # m
SHEET = 1.35  # side of a floor marker's paper, in sides of the marker
THICKNESS = 0.002  # m, of paper and of ink
LETTER = 0.12  # m, height
SILENT = 5.0  # s (wall clock) without a status; the learner publishes one every second
LETTERS, LINES = 80, 5  # as wide as the far side of the arena, as high as the view beyond it


class Monitor(Node):
    """Subscribes `learner/status`; publishes all `markers` at each change (latched)."""

    def __init__(self) -> None:
        super().__init__("monitor")
        values = declare(self, PARAMETERS)
        robot = robot_of(values)
        self.arena = load_arena(robot, values["arena"])
        self.prefix = values["frame_prefix"]
        self.scene = [*arena_markers(self.arena), robot_marker(self.arena)]
        self.markers = self.create_publisher(MarkerArray, "markers", LATCHED)
        for marker in self.scene:
            self.place(marker)
        self.silence = wall_timer(self, SILENT, self.on_silence)
        self.create_subscription(LearnerStatus, "learner/status", self.on_status, LATCHED)
        tell_of_missing(self, {"learner/status": "learner"})
        nobody = LearnerStatus(robot=robot.name, best_fitness=math.nan)
        nobody.state, nobody.message = LearnerStatus.STATE_WAITING, "no learner was heard yet"
        self.on_status(nobody)

    def on_status(self, status: LearnerStatus) -> None:
        self.silence.reset()
        self.show(status)

    def on_silence(self) -> None:
        """Say that the learner is silent, unless its run has ended."""
        self.silence.cancel()
        if self.status.task and self.status.state not in ENDED:
            self.status.state = LearnerStatus.STATE_WAITING
            self.status.message = "the learner is silent"
            self.show(self.status)

    def show(self, status: LearnerStatus) -> None:
        """Publish the scene with this status as its text."""
        self.status = status
        text = self.place(text_marker(self.arena, status))
        self.markers.publish(MarkerArray(markers=[*self.scene, text]))

    def place(self, marker: Marker) -> Marker:
        """Add the prefix to the marker's frame."""
        marker.header.frame_id = f"{self.prefix}{marker.header.frame_id}"
        return marker


SAYING_WHY = (
    LearnerStatus.STATE_WAITING,
    LearnerStatus.STATE_PAUSED,
    LearnerStatus.STATE_STOPPED,
)
ENDED = (LearnerStatus.STATE_FINISHED, LearnerStatus.STATE_STOPPED)


def text_marker(arena: Arena, status: LearnerStatus) -> Marker:
    """Return a text with the learner's state, beyond the far side of the arena."""
    lines = status_lines(status)
    # rviz makes a space as wide as x says (ros2/rviz #1261).
    size = Vector3(x=LETTER / 2, z=LETTER)
    colour = NOTICE if status.state in SAYING_WHY else TEXT
    text = _marker("learner", 0, Marker.TEXT_VIEW_FACING, colour, size)
    # the position is the middle of the text
    text.pose.position = Point(y=arena.depth / 2 + LETTER * (1 + 0.6 * len(lines)), z=LETTER)
    text.text = "\n".join(lines)
    return text


def status_lines(status: LearnerStatus) -> list[str]:
    """Return the learner's state as lines of limited length."""
    lines = [f"{status.robot}  {status.task}".rstrip()]
    if status.task:
        lines.append(f"{status.stage or status.state}  {status.evaluation}/{status.budget}")
    if math.isfinite(status.best_fitness):
        lines[-1] += f"  best {status.best_fitness:.4f} {unit_of(status.task)}"
    if status.state in SAYING_WHY and status.message:
        lines.append(f"{status.state}: {status.message}")
    elif status.state == LearnerStatus.STATE_FINISHED:
        lines.append("finished")
    wrapped = [part for line in lines for part in textwrap.wrap(line, LETTERS) or [""]]
    if len(wrapped) > LINES:
        wrapped[LINES - 1] = f"{wrapped[LINES - 1][: LETTERS - 3].rstrip()}..."
    return wrapped[:LINES]


def arena_markers(arena: Arena) -> list[Marker]:
    """Return the outline of the arena and the markers on its floor, in map."""
    outline = _marker("arena", 0, Marker.LINE_STRIP, TAPE, Vector3(x=TAPE_WIDTH))
    x, y = arena.width / 2, arena.depth / 2
    corners = [(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)]
    outline.points = [Point(x=x, y=y) for x, y in corners]
    sheets = [part for marker in arena.floor_markers for part in _floor_marker(arena, marker)]
    return [outline, *sheets]


def _floor_marker(arena: Arena, marker: FloorMarker) -> list[Marker]:
    """Return the paper and the ink of a floor marker."""
    side = float(marker.size * SHEET)
    paper = _marker(
        "floor_paper", marker.id, Marker.CUBE, PAPER, Vector3(x=side, y=side, z=THICKNESS)
    )
    ink = _ink("floor_markers", arena, marker, height=THICKNESS)
    for part in (paper, ink):
        part.pose.position.x, part.pose.position.y = float(marker.x), float(marker.y)
        part.pose.orientation.z = math.sin(marker.yaw / 2)
        part.pose.orientation.w = math.cos(marker.yaw / 2)
    return [paper, ink]


def robot_marker(arena: Arena) -> Marker:
    """Return the ink of the robot's marker, as rviz draws a link in one colour (#1293)."""
    ink = _ink("robot_marker", arena, arena.robot_marker, height=THICKNESS / 2)
    ink.header.frame_id, ink.frame_locked = MARKER, True
    return ink


def _ink(kind: str, arena: Arena, marker: Printed, height: float) -> Marker:
    """Return the black cells of a printed marker, at a height in its frame."""
    cells = arena.cells(marker)
    side = float(marker.size) / len(cells)
    size = Vector3(x=side, y=side, z=THICKNESS)
    ink = _marker(kind, marker.id, Marker.CUBE_LIST, INK, size)
    half = len(cells) / 2 - 0.5
    for row, column in np.argwhere(cells == 0).tolist():
        ink.points.append(Point(x=(column - half) * side, y=(half - row) * side, z=height))
    return ink


def _marker(kind: str, number: int, shape: int, colour: ColorRGBA, scale: Vector3) -> Marker:
    marker = Marker(ns=kind, id=number, type=shape, action=Marker.ADD, color=colour, scale=scale)
    marker.header.frame_id = "map"  # without a stamp: at the robot's current pose
    marker.pose.orientation.w = 1.0
    return marker


main = partial(run_node, Monitor)


if __name__ == "__main__":
    sys.exit(main())
