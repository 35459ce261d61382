# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated images of the calibration board, taken with a known lens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Protocol

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera.floor import Window, texel_from_plane

TEXELS = 7  # per mm, so that every edge of the pattern is on a texel's edge
BORDER = 10  # mm of white paper around the pattern
WHITE, BLACK, BEHIND = 225, 30, 110  # grey levels of paper, print and background


class Pattern(Protocol):
    """A printed pattern: `width` and `height` in mm, and its black boxes."""

    @property
    def width(self) -> float: ...

    @property
    def height(self) -> float: ...

    def black(self) -> Iterable[tuple[float, float, float, float]]:
        """Left, top, right and bottom (mm) of each black box."""


class Photographer:
    """Takes pictures of a board through a lens."""

    def __init__(self, lens: Intrinsics, board: Pattern) -> None:
        self.lens, self.board = lens, board
        size = [round(side + 2 * BORDER) * TEXELS for side in (board.height, board.width)]
        paper = np.full(size, WHITE, np.uint8)
        for box in board.black():
            left, top, right, bottom = (round((edge + BORDER) * TEXELS) for edge in box)
            paper[top:bottom, left:right] = BLACK
        self.texture = paper

    def take(self, place: Array, turn: Array, seed: int, noise: float = 2.0) -> Image:
        """An image of the board at `place` (3,) in the camera's frame (x right, y down, z forward,
        m), rotated by the vector `turn` (3,) in rad.

        `noise` is the standard deviation of a pixel in grey levels, drawn from `seed`.
        """
        pose = np.eye(4)
        pose[:3, :3] = cv2.Rodrigues(np.asarray(turn, float))[0] @ np.diag([1.0, -1.0, -1.0])
        pose[:3, 3] = place
        window = Window(self.lens, (0, 0, self.lens.width, self.lens.height), 4)
        canvas = window.canvas(1)
        to_texel = texel_from_plane(self.texture.shape, 1000 * TEXELS)
        window.draw_plane(canvas, self.texture, to_texel, pose)
        behind = np.full((self.lens.height, self.lens.width), BEHIND, np.uint8)
        picture = window.photograph(canvas, 0.6, behind)
        grain = np.random.default_rng(seed).normal(0, noise, picture.shape)
        return np.clip(picture + grain, 0, 255).astype(np.uint8)

    def tour(self, count: int, seed: int) -> Iterator[Image]:
        """`count` images as a person takes them: in all regions, near and far, tilted."""
        rng = np.random.default_rng(seed)
        for i in range(count):
            far = rng.uniform(0.3, 0.6)
            reach = (
                far * np.array([self.lens.width, self.lens.height]) / self.lens.matrix[0, 0] / 2
            )
            spot = np.array([(i % 3) - 1, (i // 3 % 3) - 1]) * 0.62 + rng.normal(0, 0.06, 2)
            lean = math.radians(32) * np.array([(-1) ** i, (-1) ** (i // 2)])
            turn = np.append(lean * rng.uniform(0.3, 1, 2), rng.normal(0, 0.3))
            yield self.take(np.append(spot * reach, far), turn, seed + i)
