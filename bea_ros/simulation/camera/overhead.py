# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator's overhead camera: perspective and lens distortion, without a graphics card.

The floor with its markers is drawn once; a frame redraws only the region around the robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import Arena
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.robots import Robot
from bea_ros.simulation.camera.boxes import Boxes, BoxPainter, draw_shadow
from bea_ros.simulation.camera.exposure import Appearance, Exposure
from bea_ros.simulation.camera.floor import (
    PLATE,
    Box,
    Window,
    box_around,
    coloured,
    draw_floor,
    marker_texture,
    texel_from_plane,
)

__all__ = ["Appearance", "OverheadCamera", "default_intrinsics", "looks_of", "overhead_pose"]

_LUMINANCE = np.array([0.299, 0.587, 0.114])
_LAMP = np.array([0.30, -0.22, -1.0])  # direction of the light in map
_PENUMBRA = 0.012  # softness of the robot's shadow (m)
_OVERSAMPLING = 4  # of the robot


@lru_cache(maxsize=4)  # the rays of its pixels take longer than all else that a camera begins with
def default_intrinsics(width: int = 640, height: int = 480) -> Intrinsics:
    """A wide-angle webcam: 78 degrees across, mild barrel distortion."""
    return Intrinsics.from_field_of_view(
        width, height, math.radians(78), (-0.12, 0.02, 0.0005, -0.0003, 0.0)
    )


def overhead_pose(
    height: float = 2.5, x: float = 0.0, y: float = 0.0, roll: float = 0.0, pitch: float = 0.0
) -> Array:
    """Pose (4, 4) in map of a camera at x, y, `height` (m) that looks down, image right along x.

    `roll` and `pitch` (rad) turn it about the map's x and y axes, away from the vertical.
    """
    down = np.diag([1.0, -1.0, -1.0])
    pose = np.eye(4)
    pose[:3, :3] = cv2.Rodrigues(np.array([roll, pitch, 0.0]))[0] @ down
    pose[:3, 3] = x, y, height
    return pose


def looks_of(robot: Robot) -> tuple[Array, Array]:
    """Sizes (n, 3) in m and colours (n, 3) in 0..255 of the robot's modules, for rendering."""
    sizes = np.array([box.size for box in robot.modules])
    return sizes, np.array([box.colour[:3] for box in robot.modules]) * 255.0


class OverheadCamera:
    """A camera fixed above an arena.

    `pose` (4, 4) is the camera's optical frame in the map frame. Images are uint8, (height, width)
    for `encoding` mono8 and (height, width, 3) for rgb8. The same arguments give the same bytes.
    """

    def __init__(
        self,
        arena: Arena,
        intrinsics: Intrinsics | None = None,
        pose: Array | None = None,
        appearance: Appearance | None = None,
        encoding: str = "mono8",
    ):
        if encoding not in ("mono8", "rgb8"):
            raise ValueError(f"camera encoding must be mono8 or rgb8, not {encoding!r}")
        self.arena = arena
        self.intrinsics = intrinsics or default_intrinsics()
        self.pose = overhead_pose() if pose is None else np.asarray(pose, float)
        self.appearance = appearance or Appearance()
        self.encoding = encoding
        self._channels = 1 if encoding == "mono8" else 3
        self._camera_from_map = np.linalg.inv(self.pose)
        self._pixels_per_metre = self.intrinsics.focal_length / self.pose[2, 3]
        self._view = float(np.abs(self.intrinsics.rays).max())
        self._light = _LAMP / np.linalg.norm(_LAMP)
        samples = arena.robot_marker.size * self._pixels_per_metre * _OVERSAMPLING
        self._marker = marker_texture(arena.cells(arena.robot_marker), PLATE, samples)
        self._floor = draw_floor(
            arena, self.intrinsics, self._camera_from_map, self._channels, self.appearance.blur
        )
        size = self.intrinsics.height, self.intrinsics.width
        self._exposure = Exposure(self.appearance, *size, self._channels)
        self._background = self._exposure.expose(self._floor, slice(None), slice(None))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an image."""
        return self._background.shape

    def render(
        self,
        sizes: ArrayLike,
        colours: ArrayLike,
        module_poses: ArrayLike,
        marker_pose: ArrayLike,
        seed: int = 0,
    ) -> Image:
        """An image of the robot in the arena.

        `sizes` (n, 3) are those of the robot's boxes (m), `colours` (n, 3) red, green and blue in
        0..255. `module_poses` (n, 4, 4) of the boxes' centres and `marker_pose` (4, 4) are in the
        map frame. `seed` is that of the noise.
        """
        tones = np.asarray(colours, float)
        if self._channels == 1:
            tones = tones @ _LUMINANCE[:, None]
        marker = np.asarray(marker_pose, float)
        image = self._background.copy()
        if self._in_view(marker):
            boxes = Boxes(np.asarray(sizes, float), tones, np.asarray(module_poses, float))
            robot = self._robot(boxes, marker)
            box = self._surroundings(robot)
            if box is not None:
                left, top, right, bottom = box
                rows, columns = slice(top, bottom), slice(left, right)
                patch = self._draw(robot, box)
                image[rows, columns] = self._exposure.expose(patch, rows, columns)
        self._exposure.add_noise(image, seed)
        return image

    def render_empty(self, seed: int = 0) -> Image:
        """An image of the arena without a robot."""
        image = self._background.copy()
        self._exposure.add_noise(image, seed)
        return image

    def project(self, points: Array) -> Array:
        """Pixels (n, 2) of points (n, 3) in the map frame."""
        return self.intrinsics.project(self._to_camera(points))

    def _to_camera(self, points: Array) -> Array:
        return points @ self._camera_from_map[:3, :3].T + self._camera_from_map[:3, 3]

    def _in_view(self, marker_pose: Array) -> bool:
        """Whether a robot there may be visible; the lens model is invalid far off the image."""
        x, y, z = self._to_camera(marker_pose[:3, 3])
        return bool(z > 0 and max(abs(x), abs(y)) < 1.3 * self._view * z)

    def _robot(self, boxes: Boxes, marker_pose: Array) -> _Robot:
        plate = self.arena.robot_marker.corners() * PLATE @ marker_pose[:3, :3].T
        points = [boxes.corners, boxes.shadow_corners(self._light), plate + marker_pose[:3, 3]]
        pixels = self.project(np.concatenate([p.reshape(-1, 3) for p in points]))
        corners, shadow, plate = np.split(pixels, [8 * len(boxes.sizes), 16 * len(boxes.sizes)])
        return _Robot(
            boxes, marker_pose, corners.reshape(-1, 8, 2), shadow.reshape(-1, 8, 2), plate
        )

    def _surroundings(self, robot: _Robot) -> Box | None:
        """The part of the image that the robot changes."""
        parts = robot.corners, robot.shadow, robot.plate
        pixels = np.concatenate([part.reshape(-1, 2) for part in parts])
        margin = 3 + math.ceil(4 * self.appearance.blur + 2 * _PENUMBRA * self._pixels_per_metre)
        return box_around(pixels, margin, self.intrinsics)

    def _draw(self, robot: _Robot, box: Box) -> Image:
        """The part `box` of the image with the robot, evenly lit."""
        picture = self._shaded_floor(robot, box)
        pixels = np.concatenate([robot.corners.reshape(-1, 2), robot.plate])
        margin = 3 + math.ceil(4 * self.appearance.blur)
        inner = box_around(pixels, margin, self.intrinsics)
        if inner is None:
            return picture  # only its shadow is in the image
        boxes, eye = robot.boxes, self.pose[:3, 3]
        window = Window(self.intrinsics, inner, _OVERSAMPLING)
        canvas = window.canvas(self._channels)
        distance = ((boxes.centres - eye) ** 2).sum(1)
        order = np.argsort(-distance, kind="stable")
        beyond = distance[order] > ((robot.marker_pose[:3, 3] - eye) ** 2).sum()
        painter = BoxPainter(boxes, window.samples(robot.corners), eye, self._light)
        painter.draw(canvas, order[beyond])
        self._draw_marker(canvas, window, robot)
        painter.draw(canvas, order[~beyond])
        _, (rows, columns) = Window(self.intrinsics, box, 1).part(inner)
        part = picture[rows, columns]
        part[:] = window.photograph(canvas, self.appearance.blur, part)
        return picture

    def _shaded_floor(self, robot: _Robot, box: Box) -> Image:
        left, top, right, bottom = box
        window = Window(self.intrinsics, box, 1)
        shade: Image = np.zeros(window.shape, np.uint8)
        draw_shadow(shade, robot.boxes, self._light, window.samples(robot.shadow))
        shade = cv2.GaussianBlur(shade, (0, 0), _PENUMBRA * self._pixels_per_metre)
        lit = cv2.convertScaleAbs(shade, alpha=-self.appearance.shadow, beta=255)
        lit = coloured(lit, self._channels)
        return cv2.multiply(self._floor[top:bottom, left:right], lit, scale=1 / 255)

    def _draw_marker(self, canvas: Image, window: Window, robot: _Robot) -> None:
        pose = robot.marker_pose
        normal = pose[:3, 2]
        box = box_around(robot.plate, 2, self.intrinsics)
        if box is None or normal @ (self.pose[:3, 3] - pose[:3, 3]) <= 0:
            return  # outside the image, or seen from behind
        texture, texels = self._marker
        shade = 0.55 + 0.45 * max(-normal @ self._light / -self._light[2], 0)
        to_texel = texel_from_plane(texture.shape, texels / self.arena.robot_marker.size)
        lit = coloured(cv2.convertScaleAbs(texture, alpha=shade), self._channels)
        part, (rows, columns) = window.part(box)
        part.draw_plane(canvas[rows, columns], lit, to_texel, self._camera_from_map @ pose)


@dataclass(frozen=True)
class _Robot:
    """The robot, and the pixels of its parts in the image."""

    boxes: Boxes
    marker_pose: Array
    corners: Array  # (n, 8, 2) of the boxes
    shadow: Array  # (n, 8, 2) of the boxes' corners on the floor
    plate: Array  # (4, 2) of the marker's plate
