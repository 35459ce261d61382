# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures with the tracker's results, for people."""

from __future__ import annotations

import math
import textwrap

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import FloorMarker
from bea_ros.localization.observation import Observation
from bea_ros.localization.tracker import Tracker

Colour = tuple[int, int, int]

LETTERS, LINES = 44, 3  # below the picture: large, for it is shown at half its size in rviz
_SHIFT = 3  # fractional bits of line ends
_ARENA, _FLOOR, _ROBOT, _TRAIL = (90, 200, 255), (120, 230, 120), (255, 210, 60), (255, 140, 40)
_AXES = ((240, 70, 70), (70, 220, 70), (90, 130, 255))
_TEXT, _ALARM = (245, 245, 245), (255, 110, 90)


def annotate(image: Image, tracker: Tracker, trail: Array | None = None) -> Image:
    """Return the image (mono8 or rgb8) as rgb8, with the tracker's last results drawn and in
    words.

    Arena, floor markers and pose axes are drawn by the camera's pose. `trail` is a path, shape
    (n, 2), x and y in the map (m). An image of another size than the camera's gets only the text.
    """
    picture = cv2.cvtColor(image, cv2.COLOR_GRAY2RGB) if image.ndim == 2 else image.copy()
    pen = _Pen(picture, tracker)
    if pen.fits and tracker.calibration:
        pen.outline(_rectangle(tracker.arena.width, tracker.arena.depth), _ARENA)
        for marker in tracker.arena.floor_markers:
            used = marker.id in tracker.calibration.markers
            pen.outline(marker.corners_in_map(), _FLOOR if used else _ALARM)
            pen.label(_beside(marker), f"floor {marker.id}", _FLOOR if used else _ALARM)
        if trail is not None and len(trail) > 1:
            floor = np.column_stack([trail, np.zeros(len(trail))])
            pen.lines(floor, _TRAIL, closed=False, thickness=2)
        if tracker.last is not None and not tracker.reason:
            _draw_robot(pen, tracker.last, tracker.arena.robot_marker.size)
    return np.vstack([picture, pen.caption(*_caption(tracker))])


def _draw_robot(pen: _Pen, robot: Observation, size: float) -> None:
    pen.pixel_lines(robot.corners, _ROBOT, closed=True, thickness=1)
    origin = robot.pose[:3, 3]
    for axis, colour in zip(robot.pose[:3, :3].T, _AXES, strict=True):
        pen.lines(
            np.array([origin, origin + 1.4 * size * axis]), colour, closed=False, thickness=2
        )
    pen.label(origin + np.array([1.2 * size, -1.2 * size, 0]), "robot", _ROBOT)


def _caption(tracker: Tracker) -> tuple[list[str], Colour]:
    robot = tracker.last
    if tracker.reason or robot is None:
        return textwrap.wrap(tracker.reason, LETTERS)[:LINES], _ALARM
    found = "whole image searched" if robot.full_search else "tracked"
    sigma = 1000 * math.sqrt(max(robot.covariance[0, 0], robot.covariance[1, 1]))
    where = f"x {robot.x:+.3f} m  y {robot.y:+.3f} m  yaw {math.degrees(robot.yaw):+.1f} deg"
    how = f"z {robot.z:.3f} m  tilt {math.degrees(robot.tilt):.0f} deg  position +-{sigma:.1f} mm"
    quality = f"{found}  reprojection {robot.reprojection_error:.2f} px"
    return [where, how, quality], _TEXT


class _Pen:
    """Draws objects of the map into a picture."""

    def __init__(self, picture: Image, tracker: Tracker):
        self.picture, self.intrinsics = picture, tracker.intrinsics
        self.fits = picture.shape[:2] == (tracker.intrinsics.height, tracker.intrinsics.width)
        self.size = max(picture.shape[1] / 640, 0.6)
        pose = tracker.calibration.pose if tracker.calibration else np.eye(4)
        self.camera_from_map = np.linalg.inv(pose)

    def pixels(self, points: Array) -> Array:
        to_camera = self.camera_from_map
        return self.intrinsics.project(points @ to_camera[:3, :3].T + to_camera[:3, 3])

    def outline(self, corners: Array, colour: Colour) -> None:
        """Draw a closed polygon. The lens may bend its edges."""
        steps = np.linspace(0, 1, 24, endpoint=False)[:, None]
        edges = [
            a + steps * (b - a) for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)
        ]
        self.lines(np.concatenate(edges), colour, closed=True, thickness=1)

    def lines(self, points: Array, colour: Colour, closed: bool, thickness: int) -> None:
        self.pixel_lines(self.pixels(points), colour, closed, thickness)

    def pixel_lines(self, pixels: Array, colour: Colour, closed: bool, thickness: int) -> None:
        ends = np.round(np.clip(pixels, -1e4, 1e4) * (1 << _SHIFT)).astype(np.int32)
        width = round(thickness * self.size)
        cv2.polylines(self.picture, [ends], closed, colour, width, cv2.LINE_AA, _SHIFT)

    def label(self, point: Array, text: str, colour: Colour) -> None:
        u, v = np.clip(self.pixels(point[None])[0], -1e4, 1e4)
        self.write(self.picture, text, round(u), round(v), colour)

    def caption(self, lines: list[str], colour: Colour) -> Image:
        """Return a dark strip with text, as wide as the picture."""
        height = round(30 * self.size)
        strip = np.full((height * LINES + height // 2, self.picture.shape[1], 3), 24, np.uint8)
        for i, line in enumerate(lines):
            self.write(strip, line, round(8 * self.size), round((i + 1) * height), colour, 0.8)
        return strip

    def write(
        self, picture: Image, text: str, u: int, v: int, colour: Colour, scale: float = 0.6
    ) -> None:
        font, width = cv2.FONT_HERSHEY_SIMPLEX, max(round(2 * scale * self.size), 1)
        cv2.putText(picture, text, (u, v), font, scale * self.size, colour, width, cv2.LINE_AA)


def _rectangle(width: float, depth: float) -> Array:
    x, y = width / 2, depth / 2
    return np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]])


def _beside(marker: FloorMarker) -> Array:
    """Return the place of a floor marker's name, towards the middle of the arena."""
    side = marker.size * (0.75 if marker.x < 0 else -2.8)
    return np.array([marker.x + side, marker.y, 0])
