# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Changes that make images of the overhead camera harder, each of a given strength.

A change takes a `Shot`: a grey image (height, width), the camera, the pose (4, 4) of the robot's
marker in map and a random generator. It returns a changed image.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import FloorMarker, Marker
from bea_ros.localization.markers.aruco import marker_cells
from bea_ros.simulation.camera.floor import PLATE, marker_texture
from bea_ros.simulation.camera.overhead import OverheadCamera

_FINE = 4  # samples per pixel and side when drawing into an image
_TEXELS = 16  # samples per cell and side of a marker drawn into an image
_LENS = 0.6  # blur of the camera (pixels)


@dataclass(frozen=True, eq=False)
class Shot:
    """An image and the data needed to change it."""

    image: Image
    camera: OverheadCamera
    marker: Array
    rng: np.random.Generator

    @property
    def outline(self) -> Array:
        """Corners of the robot's marker in the image (pixels), shape (4, 2)."""
        return self.camera.project(_corners(self.camera.arena.robot_marker.size, self.marker))


Change = Callable[[Shot, float], Image]


def blur(shot: Shot, sigma: float) -> Image:
    """Out of focus: Gaussian blur of `sigma` pixels."""
    return cv2.GaussianBlur(shot.image, (0, 0), sigma)


def noise(shot: Shot, sigma: float) -> Image:
    """Sensor noise: Gaussian, `sigma` grey levels."""
    return _levels(shot.image + shot.rng.normal(0, sigma, shot.image.shape))


def darkness(shot: Shot, share: float) -> Image:
    """Only a `share` of the light, with the sensor's noise."""
    return _levels(shot.image * share + shot.rng.normal(0, 1.5, shot.image.shape))


def glare(shot: Shot, strength: float) -> Image:
    """A saturated reflection of a lamp beside the marker, as large as the marker."""
    side = np.linalg.norm(np.ptp(shot.outline, axis=0)) / 1.4
    u, v = shot.outline.mean(0) + shot.rng.normal(0, 0.5 * side, 2)
    rows, columns = np.indices(shot.image.shape)
    spot = np.exp(-(((columns - u) ** 2 + (rows - v) ** 2) / side**2))
    return _levels(shot.image + 255 * strength * spot)


def motion(shot: Shot, length: float) -> Image:
    """Motion blur of `length` pixels in a random direction."""
    angle = shot.rng.uniform(0, math.pi)
    size = 2 * math.ceil(length / 2) + 3
    middle = np.array([size / 2, size / 2]) * 16 - 8
    half = np.array([math.cos(angle), math.sin(angle)]) * length * 8
    kernel: Image = np.zeros((size, size), np.uint8)
    ends = [np.round(middle + s * half).astype(int).tolist() for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 255, 1, cv2.LINE_AA, 4)
    return cv2.filter2D(shot.image, -1, kernel / kernel.sum())


def occlusion(shot: Shot, share: float) -> Image:
    """A cable or hand over a `share` of the marker: a stripe along an edge or across it."""
    size = shot.camera.arena.robot_marker.size
    place = shot.rng.uniform(-0.5 + share / 2, 0.5 - share / 2) * size
    turn = shot.rng.integers(4) * math.pi / 2
    c, s = math.cos(turn), math.sin(turn)
    stripe = np.array([[-0.8, -share / 2], [0.8, -share / 2], [0.8, share / 2], [-0.8, share / 2]])
    on_marker = stripe * size + [0, place]
    on_marker = on_marker @ np.array([[c, s], [-s, c]])
    points = np.column_stack([on_marker, np.zeros(4)]) @ shot.marker[:3, :3].T
    pixels = shot.camera.project(points + shot.marker[:3, 3])
    changed = shot.image.copy()
    tone = int(shot.rng.integers(60, 200))
    cv2.fillConvexPoly(changed, np.round(pixels * 16).astype(np.int32), tone, cv2.LINE_AA, 4)
    return changed


def jpeg(shot: Shot, quality: float) -> Image:
    """JPEG compression with `quality` 1 to 100."""
    written = cv2.imencode(".jpg", shot.image, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])[1]
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_GRAYSCALE), np.uint8)


def another_robot(shot: Shot, distance: float) -> Image:
    """Another robot's marker with a random other id, `distance` (m) from the robot's."""
    arena = shot.camera.arena
    used = [arena.robot_marker.id, *(m.id for m in arena.floor_markers)]
    others = [i for i in range(50) if i not in used]
    cells = marker_cells(arena.dictionary, int(shot.rng.choice(others)))
    angle = shot.rng.uniform(-math.pi, math.pi)
    place = shot.marker[:2, 3] + distance * np.array([math.cos(angle), math.sin(angle)])
    pose = _level_pose(place, shot.marker[2, 3], shot.rng.uniform(-math.pi, math.pi))
    return _drawn(shot, cells, pose)


def patterns(shot: Shot, count: float) -> Image:
    """`count` black squares with random cells, as large as markers, all over the arena."""
    changed, arena = shot, shot.camera.arena
    reach = np.array([arena.width, arena.depth]) / 2
    for _ in range(int(count)):
        place = shot.rng.uniform(-reach, reach)
        if np.linalg.norm(place - shot.marker[:2, 3]) < 3 * arena.robot_marker.size:
            continue
        cells = np.zeros((6, 6), np.uint8)
        cells[1:5, 1:5] = 255 * shot.rng.integers(0, 2, (4, 4))
        pose = _level_pose(place, shot.marker[2, 3], shot.rng.uniform(-math.pi, math.pi))
        changed = Shot(_drawn(changed, cells, pose), shot.camera, shot.marker, shot.rng)
    return changed.image


CHANGES: dict[Change, tuple[float, ...]] = {
    blur: (0.5, 1.0, 1.5, 2.0, 3.0),
    noise: (5, 10, 20, 40),
    darkness: (0.5, 0.25, 0.12, 0.06),
    glare: (0.3, 0.6, 1.0),
    motion: (2, 4, 6, 9),
    occlusion: (0.05, 0.1, 0.2, 0.4),
    jpeg: (60, 30, 15, 8),
    another_robot: (0.4, 0.2, 0.13),
    patterns: (4, 16),
}


def _drawn(shot: Shot, cells: Image, pose: Array) -> Image:
    """The image with a printed marker at `pose` (4, 4) in map."""
    corners = _corners(shot.camera.arena.robot_marker.size * PLATE, pose)
    pixels = shot.camera.project(corners)
    low = np.floor(pixels.min(0)).astype(int) - 3
    high = np.ceil(pixels.max(0)).astype(int) + 4
    height, width = shot.image.shape
    if (low < 0).any() or high[0] > width or high[1] > height:
        return shot.image
    texture, _ = marker_texture(cells, PLATE, _TEXELS * len(cells))
    size = texture.shape[0]
    ends = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32) - 0.5
    onto = ((pixels - low + 0.5) * _FINE - 0.5).astype(np.float32)
    homography = cv2.getPerspectiveTransform(ends, onto)
    columns, rows = (high - low) * _FINE
    layer = cv2.warpPerspective(texture, homography, (int(columns), int(rows)))
    cover = cv2.warpPerspective(np.full_like(texture, 255), homography, layer.shape[::-1])
    small = tuple(int(n) for n in high - low)
    layer, cover = (
        cv2.GaussianBlur(cv2.resize(x, small, interpolation=cv2.INTER_AREA), (0, 0), _LENS)
        for x in (layer, cover)
    )
    changed = shot.image.copy()
    part = changed[low[1] : high[1], low[0] : high[0]]
    part[:] = _levels(part * (1 - cover / 255.0) + layer)
    return changed


def _corners(side: float, pose: Array) -> Array:
    """Corners (4, 3) in map of a square at `pose`, side in m: clockwise from the top left."""
    return Marker(0, side).corners() @ pose[:3, :3].T + pose[:3, 3]


def _level_pose(place: Array, height: float, yaw: float) -> Array:
    """The pose (4, 4) of what lies level at x, y and a height (m), turned by `yaw` (rad)."""
    pose = FloorMarker(0, 1.0, place[0], place[1], yaw).pose()
    pose[2, 3] = height
    return pose


def _levels(values: Array) -> Image:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)
