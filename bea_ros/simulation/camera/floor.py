# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws flat objects in a camera's image: printed markers, and the arena's floor with tape."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import Arena, FloorMarker
from bea_ros.localization.intrinsics import Intrinsics

Box = tuple[int, int, int, int]  # left, top, right, bottom (pixels)

BLACK, WHITE = 28, 232  # printed ink and paper under even light, grey levels
PLATE = 1.25  # side of the white plate with the robot's marker, over the marker's
PAPER = 1.35  # the same for a marker on the floor
_STRIP = 32  # rows of the image drawn at once
_SEED = 7  # of the floor's speckles and tiles
_BEYOND = 60  # grey level outside the floor


class Window:
    """A rectangle of a camera's image to draw into, `oversampling` times finer.

    A canvas has grey levels or colours; 0 is where nothing was drawn.
    """

    def __init__(self, intrinsics: Intrinsics, box: Box, oversampling: int):
        self.intrinsics = intrinsics
        self.left, self.top, self.right, self.bottom = box
        self.oversampling = oversampling

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the oversampled window."""
        return (
            (self.bottom - self.top) * self.oversampling,
            (self.right - self.left) * self.oversampling,
        )

    def canvas(self, channels: int) -> Image:
        """An empty canvas: (rows, columns) of grey levels, or with 3 channels."""
        return np.zeros((*self.shape, 3) if channels == 3 else self.shape, np.uint8)

    def photograph(self, canvas: Image, blur: float, picture: Image) -> Image:
        """Reduce `canvas` to pixels and put it over `picture`, this window's part of the image.

        `blur` is that of the lens (pixels), applied before the reduction to the sensor's pixels.
        The oversampling must be even.
        """
        empty = cv2.inRange(canvas, (0,) * 4, (0,) * 4)
        drawn, cover = (self._reduced(part, blur) for part in (canvas, cv2.bitwise_not(empty)))
        behind = coloured(cv2.bitwise_not(cover), 3 if picture.ndim == 3 else 1)
        return cv2.add(cv2.multiply(picture, behind, scale=1 / 255), drawn)

    def _reduced(self, canvas: Image, blur: float) -> Image:
        half = cv2.resize(canvas, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        if blur > 0:
            half = cv2.GaussianBlur(half, (0, 0), blur * self.oversampling / 2)
        size = self.right - self.left, self.bottom - self.top
        return cv2.resize(half, size, interpolation=cv2.INTER_AREA)

    def part(self, box: Box) -> tuple[Window, tuple[slice, slice]]:
        """The window of the intersection with `box`, and its rows and columns in this window."""
        left, top = max(box[0], self.left), max(box[1], self.top)
        right, bottom = max(min(box[2], self.right), left), max(min(box[3], self.bottom), top)
        k = self.oversampling
        rows = slice((top - self.top) * k, (bottom - self.top) * k)
        columns = slice((left - self.left) * k, (right - self.left) * k)
        return Window(self.intrinsics, (left, top, right, bottom), k), (rows, columns)

    def samples(self, pixels: Array) -> Array:
        """Coordinates in the oversampled window of image points (..., 2) in pixels."""
        corner = np.array([self.left, self.top]) - 0.5
        return (pixels - corner) * self.oversampling - 0.5

    def draw_plane(
        self, canvas: Image, texture: Image, texel_from_plane: Array, plane_in_camera: Array
    ) -> None:
        """Draw `texture`, in the plane z = 0 of a frame, over the window's `canvas`.

        `texel_from_plane` (3, 3) maps plane coordinates (x, y, 1) to texel indices;
        `plane_in_camera` (4, 4) is the pose of the frame.
        """
        if min(self.shape) == 0:
            return
        plane_to_ray = plane_in_camera[:3, [0, 1, 3]]
        homography = texel_from_plane @ np.linalg.inv(plane_to_ray)
        # One pixel more on every side, so that the interpolation below never extrapolates.
        i = self.intrinsics
        left, top = max(self.left - 1, 0), max(self.top - 1, 0)
        right, bottom = min(self.right + 1, i.width), min(self.bottom + 1, i.height)
        texels = cv2.perspectiveTransform(i.rays[top:bottom, left:right], homography)
        k = self.oversampling
        fine = cv2.resize(texels, None, fx=k, fy=k, interpolation=cv2.INTER_LINEAR)
        x0, y0 = (self.left - left) * k, (self.top - top) * k
        rows, columns = self.shape
        fine = fine[y0 : y0 + rows, x0 : x0 + columns]
        height, width = texture.shape[:2]
        there = cv2.inRange(fine, (-0.5,) * 4, (width - 0.5, height - 0.5, 0, 0))
        nothing: Any = None
        drawn = cv2.remap(
            texture, fine, nothing, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        cv2.copyTo(drawn, there, canvas)


def box_around(pixels: Array, margin: float, intrinsics: Intrinsics) -> Box | None:
    """The part of the image that contains `pixels` (n, 2); None if it is outside the image."""
    (left, top), (right, bottom) = pixels.min(0) - margin, pixels.max(0) + margin
    left, top = max(math.floor(left), 0), max(math.floor(top), 0)
    right = min(math.ceil(right), intrinsics.width)
    bottom = min(math.ceil(bottom), intrinsics.height)
    return (left, top, right, bottom) if right - left > 1 and bottom - top > 1 else None


def marker_texture(cells: Image, white: float, samples: float) -> tuple[Image, float]:
    """A printed marker on paper `white` times its side, and the texels along its black square.

    `samples` is the number of the Window's samples along the black square. With as many texels,
    linear interpolation averages over a sample's area, so edges move smoothly.
    """
    n = len(cells)
    texels = max(round(samples / n), 2)
    margin = round((white - 1) / 2 * n * texels)
    ink = np.where(cells > 0, WHITE, BLACK).astype(np.uint8)
    ink = ink.repeat(texels, 0).repeat(texels, 1)
    return np.pad(ink, margin, constant_values=WHITE), float(n * texels)


def coloured(grey: Image, channels: int) -> Image:
    """The grey picture, (rows, columns), or with 3 equal channels."""
    return cv2.merge([grey] * 3) if channels == 3 else grey


def texel_from_plane(shape: tuple[int, ...], texels_per_metre: float) -> Array:
    """Matrix (3, 3) from plane coordinates (m; x right, y up, origin at the centre) to texels."""
    rows, columns = shape[:2]
    scale = texels_per_metre
    return np.array([[scale, 0, (columns - 1) / 2], [0, -scale, (rows - 1) / 2], [0, 0, 1]], float)


def floor_texture(arena: Arena, channels: int) -> tuple[Image, float]:
    """A speckled grey floor with the arena's border in white tape, and its texels per metre."""
    scale, margin, tape = 250.0, 2.5, 0.025
    rng = np.random.default_rng(_SEED)
    width, depth = arena.width + 2 * margin, arena.depth + 2 * margin
    shape = (round(depth * scale), round(width * scale))
    floor = np.full(shape, 136, np.float32)
    for period, strength in ((1.2, 4.0), (0.25, 1.6), (0.06, 1.6), (0.012, 4.5)):  # m, grey levels
        coarse = (max(round(depth / period), 2), max(round(width / period), 2))
        noise = rng.normal(0, strength, coarse).astype(np.float32)
        floor += cv2.resize(noise, shape[::-1], interpolation=cv2.INTER_CUBIC)
    _tile_joints(floor, rng, round(0.9 * scale))
    if channels == 3:
        floor = floor[..., None] * np.array([1.03, 1.0, 0.95], np.float32)  # a slightly warm grey
    texture = np.clip(floor, 0, 255).astype(np.uint8)
    border = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * [arena.width / 2, arena.depth / 2]
    to_texel = texel_from_plane(shape, scale)
    points = border @ to_texel[:2, :2].T + to_texel[:2, 2]
    colour = (214, 210, 198) if channels == 3 else (209,)
    cv2.polylines(
        texture,
        [np.round(points * 16).astype(np.int32)],
        True,
        colour,
        round(tape * scale),
        cv2.LINE_AA,
        4,
    )
    return texture, scale


def _tile_joints(floor: Array, rng: np.random.Generator, side: int) -> None:
    """Draw linoleum tiles of slightly different shades, with thin dark joints."""
    rows, columns = floor.shape
    shades = rng.normal(0, 1.6, (rows // side + 2, columns // side + 2))
    offset = side // 3
    for r, row in enumerate(shades):
        for c, shade in enumerate(row):
            top, left = max(r * side - offset, 0), max(c * side - offset, 0)
            floor[top : (r + 1) * side - offset, left : (c + 1) * side - offset] += shade
    for start in range(side - offset, rows, side):
        floor[start - 1 : start + 1] -= 14
    for start in range(side - offset, columns, side):
        floor[:, start - 1 : start + 1] -= 14


def draw_floor(
    arena: Arena, intrinsics: Intrinsics, camera_from_map: Array, channels: int, blur: float
) -> Image:
    """The empty arena as a camera sees it, evenly lit; (height, width) or with 3 channels.

    `blur` is the lens's (pixels).
    """
    width, height = intrinsics.width, intrinsics.height
    texture, scale = floor_texture(arena, channels)
    to_texel = texel_from_plane(texture.shape, scale)
    depth = () if channels == 1 else (3,)
    floor: Image = np.empty((height, width, *depth), np.uint8)
    for top in range(0, height, _STRIP):
        window = Window(intrinsics, (0, top, width, min(top + _STRIP, height)), 3)
        fine = np.full(window.shape + depth, _BEYOND, np.uint8)
        window.draw_plane(fine, texture, to_texel, camera_from_map)
        size = (width, window.bottom - top)
        floor[top : window.bottom] = cv2.resize(fine, size, interpolation=cv2.INTER_AREA)
    if blur > 0:
        floor = cv2.GaussianBlur(floor, (0, 0), blur)
    for marker in arena.floor_markers:
        _draw_floor_marker(floor, arena, marker, intrinsics, camera_from_map, blur)
    return floor


def _draw_floor_marker(
    floor: Image,
    arena: Arena,
    marker: FloorMarker,
    intrinsics: Intrinsics,
    camera_from_map: Array,
    blur: float,
) -> None:
    channels = 3 if floor.ndim == 3 else 1
    in_camera = camera_from_map @ marker.pose()
    corners = marker.corners() * PAPER @ in_camera[:3, :3].T + in_camera[:3, 3]
    pixels = intrinsics.project(corners)
    box = box_around(pixels, 2 + 4 * blur, intrinsics)
    if box is None or in_camera[2, 3] <= 0:
        return  # outside the image
    left, top, right, bottom = box
    window = Window(intrinsics, box, 8)
    canvas = window.canvas(channels)
    samples = cv2.arcLength(pixels.astype(np.float32), True) / 4 / PAPER * window.oversampling
    paper, texels = marker_texture(arena.cells(marker), PAPER, samples)
    to_texel = texel_from_plane(paper.shape, texels / marker.size)
    window.draw_plane(canvas, coloured(paper, channels), to_texel, in_camera)
    patch = floor[top:bottom, left:right]
    patch[:] = window.photograph(canvas, blur, patch)
