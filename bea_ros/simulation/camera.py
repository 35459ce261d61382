# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator's overhead camera: true perspective and lens distortion, no graphics card.

The floor with its markers is drawn once; a frame redraws only the surroundings of the robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import ArrayLike

from bea_ros.localization.arena import Arena
from bea_ros.localization.arrays import Array, Image
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera_floor import (
    PAPER,
    PLATE,
    Window,
    floor_texture,
    marker_texture,
    texel_from_plane,
)
from bea_ros.simulation.drawing import Boxes, draw_boxes, draw_shadow

_LUMINANCE = np.array([0.299, 0.587, 0.114])
_NOISE_SHIFTS = (
    64  # the noise bank is larger than the image by this; every frame takes another cut of it
)


@dataclass(frozen=True)
class Appearance:
    """What lens, sensor and light make of the picture; the defaults are a decent webcam's.

    Raises ValueError for values that mean nothing.
    """

    blur: float = 0.6  # standard deviation of the lens blur (pixels)
    noise: float = 2.0  # standard deviation of the sensor noise (grey levels)
    brightness: float = 1.0  # exposure; 0 is darkness
    vignetting: float = 0.25  # loss of light in the image's corners (share)
    gradient: float = 0.15  # loss of light from the lamp's side of the arena to the other (share)
    glare: float = 0.0  # brightness of the lamp's reflection on the floor (share of full white)
    shadow: float = 0.5  # darkness of the robot's shadow (share)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            top = math.inf if field.name in ("blur", "noise", "brightness") else 1.0
            if not (0 <= value <= top and math.isfinite(value)):
                limits = "at least 0" if top == math.inf else "between 0 and 1"
                raise ValueError(f"camera {field.name} must be {limits}, not {value}")


def default_intrinsics(width: int = 640, height: int = 480) -> Intrinsics:
    """A wide-angle webcam: 78 degrees across, mild barrel distortion."""
    return Intrinsics.from_field_of_view(
        width, height, math.radians(78), (-0.12, 0.02, 0.0005, -0.0003, 0.0)
    )


def overhead_pose(
    height: float = 2.5, x: float = 0.0, y: float = 0.0, roll: float = 0.0, pitch: float = 0.0
) -> Array:
    """(4, 4) pose in the map of a camera above (x, y) that looks down, image right along map x.

    `roll` and `pitch` (rad) turn it about the map's x and y axes, away from the vertical.
    """
    down = np.diag([1.0, -1.0, -1.0])
    pose = np.eye(4)
    pose[:3, :3] = cv2.Rodrigues(np.array([roll, pitch, 0.0]))[0] @ down
    pose[:3, 3] = x, y, height
    return pose


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
        oversampling: int = 4,
    ):
        if encoding not in ("mono8", "rgb8"):
            raise ValueError(f"camera encoding must be mono8 or rgb8, not {encoding!r}")
        self.arena = arena
        self.intrinsics = intrinsics or default_intrinsics()
        self.pose = overhead_pose() if pose is None else np.asarray(pose, float)
        self.appearance = appearance or Appearance()
        self.encoding = encoding
        self._channels = 1 if encoding == "mono8" else 3
        self._oversampling = oversampling
        self._camera_from_map = np.linalg.inv(self.pose)
        self._light = np.array([0.30, -0.22, -1.0]) / math.sqrt(0.30**2 + 0.22**2 + 1)
        self._marker = marker_texture(arena.cells(arena.robot_marker), PLATE, self._channels)
        self._gain, self._glare = self._lighting()
        self._floor = self._draw_floor()
        self._background = self._expose(self._floor, slice(None), slice(None))
        self._noise = self._noise_bank()

    def render(
        self,
        sizes: ArrayLike,
        colours: ArrayLike,
        module_poses: ArrayLike,
        marker_pose: ArrayLike,
        seed: int = 0,
    ) -> Image:
        """An image of the robot in the arena.

        `sizes` (n, 3) of the robot's boxes (m), `colours` (n, 3) as red, green, blue in 0..255,
        `module_poses` (n, 4, 4) of the boxes' centres and `marker_pose` (4, 4) in the map frame;
        with poses (k, n, 4, 4) and (k, 4, 4), k moments of the exposure, the picture is blurred by
        the motion. `seed` numbers the frame's noise.
        """
        sizes = np.asarray(sizes, float).reshape(-1, 3)
        tones = np.asarray(colours, float).reshape(-1, 3)
        if self._channels == 1:
            tones = tones @ _LUMINANCE[:, None]
        poses = np.asarray(module_poses, float).reshape(-1, len(sizes), 4, 4)
        markers = np.asarray(marker_pose, float).reshape(-1, 4, 4)
        image = self._background.copy()
        moments = [Boxes(sizes, tones, p) for p in poses]
        box = self._surroundings(moments, markers)
        if box is not None:
            left, top, right, bottom = box
            rows, columns = slice(top, bottom), slice(left, right)
            patches = [
                self._draw_robot(box, boxes, marker)
                for boxes, marker in zip(moments, markers, strict=True)
            ]
            patch = patches[0] if len(patches) == 1 else np.mean(patches, axis=0).astype(np.uint8)
            image[rows, columns] = self._expose(patch, rows, columns)
        return self._add_noise(image, seed)

    def render_empty(self, seed: int = 0) -> Image:
        """An image of the arena without a robot."""
        return self._add_noise(self._background.copy(), seed)

    def project(self, points: Array) -> Array:
        """Pixels (n, 2) of points (n, 3) in the map frame."""
        in_camera = points @ self._camera_from_map[:3, :3].T + self._camera_from_map[:3, 3]
        return self.intrinsics.project(in_camera)

    def _surroundings(
        self, moments: list[Boxes], markers: Array
    ) -> tuple[int, int, int, int] | None:
        """The part of the image (left, top, right, bottom) that the robot changes."""
        reach = self.arena.robot_marker.size
        plate = self.arena.robot_marker.corners() / reach * (reach * 1.5)
        points = [markers[:, :3, :3] @ plate.T + markers[:, :3, 3:]]
        points = [p.transpose(0, 2, 1).reshape(-1, 3) for p in points]
        for boxes in moments:
            points += [boxes.corners.reshape(-1, 3)]
            points += [boxes.shadow_corners(self._light).reshape(-1, 3)]
        pixels = self.project(np.concatenate(points))
        margin = 4 + math.ceil(4 * self.appearance.blur) + round(0.02 * self._pixels_per_metre())
        low, high = np.floor(pixels.min(0)) - margin, np.ceil(pixels.max(0)) + margin
        left, top = np.maximum(low, 0).astype(int)
        right, bottom = np.minimum(high, [self.intrinsics.width, self.intrinsics.height]).astype(
            int
        )
        if right - left < 2 or bottom - top < 2:
            return None
        return int(left), int(top), int(right), int(bottom)

    def _draw_robot(
        self, box: tuple[int, int, int, int], boxes: Boxes, marker_pose: Array
    ) -> Image:
        left, top, right, bottom = box
        once = Window(self.intrinsics, box, 1)
        window = Window(self.intrinsics, box, self._oversampling)
        shade: Image = np.zeros(once.shape, np.uint8)
        draw_shadow(shade, boxes, self._light, lambda p: once.samples(self.project(p)))
        softness = 0.012 * self._pixels_per_metre()
        shade = cv2.GaussianBlur(shade, (0, 0), softness)
        lit = cv2.convertScaleAbs(shade, alpha=-self.appearance.shadow, beta=255)
        if self._channels == 3:
            lit = cv2.merge([lit, lit, lit])
        floor = cv2.multiply(self._floor[top:bottom, left:right], lit, scale=1 / 255)
        rows, columns = window.shape
        canvas = cv2.resize(floor, (columns, rows), interpolation=cv2.INTER_NEAREST)
        eye = self.pose[:3, 3]
        distance = np.linalg.norm(boxes.centres - eye, axis=1)
        order = np.argsort(-distance, kind="stable")
        beyond = distance[order] > np.linalg.norm(marker_pose[:3, 3] - eye)
        draw = (eye, self._light, lambda p: window.samples(self.project(p)))
        draw_boxes(canvas, boxes, order[beyond], *draw)
        self._draw_marker(canvas, window, marker_pose)
        draw_boxes(canvas, boxes, order[~beyond], *draw)
        return cv2.resize(canvas, (right - left, bottom - top), interpolation=cv2.INTER_AREA)

    def _draw_marker(self, canvas: Image, window: Window, marker_pose: Array) -> None:
        normal = marker_pose[:3, 2]
        if normal @ (self.pose[:3, 3] - marker_pose[:3, 3]) <= 0:
            return  # seen from behind
        texture, texels = self._marker
        shade = 0.55 + 0.45 * max(-normal @ self._light / -self._light[2], 0)
        to_texel = texel_from_plane(texture.shape, texels / self.arena.robot_marker.size)
        lit = cv2.convertScaleAbs(texture, alpha=shade)
        window.draw_plane(canvas, lit, to_texel, self._camera_from_map @ marker_pose)

    def _draw_floor(self) -> Image:
        """The empty arena without light, lens blur or noise."""
        i = self.intrinsics
        texture, scale = floor_texture(self.arena, self._channels)
        to_texel = texel_from_plane(texture.shape, scale)
        depth = () if self._channels == 1 else (3,)
        floor: Image = np.empty((i.height, i.width, *depth), np.uint8)
        strip = 32
        for top in range(0, i.height, strip):
            window = Window(i, (0, top, i.width, min(top + strip, i.height)), 3)
            canvas = np.full(window.shape + depth, 60, np.uint8)
            window.draw_plane(canvas, texture, to_texel, self._camera_from_map)
            size = (i.width, window.bottom - top)
            floor[top : window.bottom] = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA)
        for marker in self.arena.floor_markers:
            pixels = self.project(marker.corners_in_map())
            reach = np.ptp(pixels, axis=0).max()
            low = np.maximum(np.floor(pixels.min(0) - reach), 0).astype(int)
            high = np.minimum(np.ceil(pixels.max(0) + reach), [i.width, i.height]).astype(int)
            if (high - low).min() < 2:
                continue  # out of the picture
            patch = floor[low[1] : high[1], low[0] : high[0]]
            window = Window(i, (low[0], low[1], high[0], high[1]), 8)
            rows, columns = window.shape
            fine = cv2.resize(patch, (columns, rows), interpolation=cv2.INTER_NEAREST)
            plate, texels = marker_texture(self.arena.cells(marker), PAPER, self._channels)
            to_texel = texel_from_plane(plate.shape, texels / marker.size)
            window.draw_plane(fine, plate, to_texel, self._camera_from_map @ marker.pose())
            patch[:] = cv2.resize(fine, patch.shape[1::-1], interpolation=cv2.INTER_AREA)
        return floor

    def _lighting(self) -> tuple[Array, Array]:
        """Per pixel: the share of light that arrives, and the grey levels that glare adds."""
        i, look = self.intrinsics, self.appearance
        u = np.linspace(-1, 1, i.width, dtype=np.float32)[None, :]
        v = np.linspace(-1, 1, i.height, dtype=np.float32)[:, None]
        radius = (u * u + v * v) / 2
        gain = look.brightness * (1 - look.vignetting * radius)
        gain *= 1 - look.gradient * (0.5 + 0.3 * u + 0.2 * v)
        spot = ((u - 0.35) / 0.22) ** 2 + ((v + 0.3) / 0.2) ** 2
        glare = 255 * look.glare * look.brightness * np.exp(-spot)
        if self._channels == 3:
            gain, glare = (np.repeat(m[:, :, None], 3, axis=2) for m in (gain, glare))
        return gain.astype(np.float32), glare.astype(np.float32)

    def _expose(self, picture: Image, rows: slice, columns: slice) -> Image:
        """Light, glare and lens blur for the part `rows`, `columns` of the image."""
        lit = cv2.multiply(picture, self._gain[rows, columns], dtype=cv2.CV_8U)
        if self.appearance.glare > 0:
            lit = cv2.add(lit, self._glare[rows, columns], dtype=cv2.CV_8U)
        if self.appearance.blur > 0:
            lit = cv2.GaussianBlur(lit, (0, 0), self.appearance.blur)
        return lit

    def _pixels_per_metre(self) -> float:
        return float(self.intrinsics.matrix[0, 0] / self.pose[2, 3])

    def _noise_bank(self) -> tuple[Image, Image]:
        """What noise adds to, and takes from, an image: two banks, as pixels are unsigned."""
        shape = (
            self.intrinsics.height + _NOISE_SHIFTS,
            self.intrinsics.width + _NOISE_SHIFTS,
            self._channels,
        )
        rng = np.random.default_rng(20200406)
        noise = np.rint(rng.standard_normal(shape, np.float32) * self.appearance.noise)
        noise = noise[..., 0] if self._channels == 1 else noise
        return (
            np.clip(noise, 0, 255).astype(np.uint8),
            np.clip(-noise, 0, 255).astype(np.uint8),
        )

    def _add_noise(self, image: Image, seed: int) -> Image:
        if self.appearance.noise == 0:
            return image
        row, column = np.random.default_rng(seed).integers(0, _NOISE_SHIFTS, 2)
        i = self.intrinsics
        plus, minus = (
            bank[row : row + i.height, column : column + i.width] for bank in self._noise
        )
        cv2.add(image, plus, image)
        cv2.subtract(image, minus, image)
        return image
