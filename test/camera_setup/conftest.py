# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The calibration board in front of a camera whose lens is known."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from bea_ros.camera_setup.board import Board
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera_floor import Window, texel_from_plane

TEXELS = 7  # per mm: every edge of the board's pattern is on one
LENS = Intrinsics(
    640,
    480,
    np.array([[395.0, 0, 327.0], [0, 392.0, 232.0], [0, 0, 1]]),
    np.array([-0.12, 0.05, 0.0008, -0.0006, -0.01]),
)


class Photographer:
    """Takes pictures of the board."""

    def __init__(self, lens: Intrinsics = LENS, board: Board | None = None) -> None:
        self.lens, self.board = lens, board or Board()
        paper = np.full(
            (round(self.board.height + 20) * TEXELS, round(self.board.width + 20) * TEXELS),
            225, np.uint8,
        )  # fmt: skip
        for box in self.board.black():
            left, top, right, bottom = (round((edge + 10) * TEXELS) for edge in box)
            paper[top:bottom, left:right] = 30
        self.texture = np.dstack([paper, np.full_like(paper, 255)])

    def take(self, place: np.ndarray, turn: np.ndarray, seed: int, noise: float = 2.0):
        """The board at `place` (x right, y down, z forward, in m), turned by `turn` (rad, 3)."""
        pose = np.eye(4)
        pose[:3, :3] = cv2.Rodrigues(np.asarray(turn, float))[0] @ np.diag([1.0, -1.0, -1.0])
        pose[:3, 3] = place
        window = Window(self.lens, (0, 0, self.lens.width, self.lens.height), 4)
        canvas = window.canvas(1)
        to_texel = texel_from_plane(self.texture.shape, 1000 * TEXELS)
        window.draw_plane(canvas, self.texture, to_texel, pose)
        behind = np.full((self.lens.height, self.lens.width), 110, np.uint8)
        picture = window.photograph(canvas, 0.6, behind)
        grain = np.random.default_rng(seed).normal(0, noise, picture.shape)
        return np.clip(picture + grain, 0, 255).astype(np.uint8)

    def tour(self, count: int, seed: int = 1):
        """As a person would: all over the image, near and far, tilted this way and that."""
        rng = np.random.default_rng(seed)
        for i in range(count):
            far = rng.uniform(0.3, 0.6)
            reach = (
                far * np.array([self.lens.width, self.lens.height]) / self.lens.matrix[0, 0] / 2
            )
            spot = np.array([(i % 3) - 1, (i // 3 % 3) - 1]) * 0.62 + rng.normal(0, 0.06, 2)
            lean = math.radians(32) * np.array([(-1) ** i, (-1) ** (i // 2)])
            turn = [*(lean * rng.uniform(0.3, 1, 2)), rng.normal(0, 0.3)]
            yield self.take(np.append(spot * reach, far), turn, seed + i)


@pytest.fixture(scope="session")
def photographer() -> Photographer:
    return Photographer()


@pytest.fixture(scope="session")
def tour(photographer: Photographer) -> list[np.ndarray]:
    return list(photographer.tour(24))
