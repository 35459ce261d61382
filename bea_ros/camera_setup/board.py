# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The ChArUco board for camera calibration: a chessboard with a marker in each white square."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.markers.aruco import CharucoDetector, make_charuco, marker_cells

Box = tuple[float, float, float, float]


def black_cells(cells: Image, x: float, y: float, side: float) -> list[Box]:
    """The black cells of a marker with this side (mm) and its top left corner at x, y (mm)."""
    cell = side / len(cells)
    return [
        (x + c * cell, y + r * cell, x + (c + 1) * cell, y + (r + 1) * cell)
        for r, c in np.argwhere(cells == 0).tolist()
    ]


@dataclass(frozen=True)
class Board:
    """`columns` x `rows` squares with sides of `square` and markers of `marker` (mm).

    The default fits A4 and letter. The number of rows is odd, as OpenCV 4.6 changed the pattern of
    boards with even ones. The printed size of the squares does not affect the intrinsics.
    """

    columns: int = 7
    rows: int = 5
    square: float = 34.0
    marker: float = 24.0
    dictionary: str = "DICT_5X5_50"

    @property
    def width(self) -> float:
        """Width of the board in mm; `height` likewise."""
        return self.columns * self.square

    @property
    def height(self) -> float:
        return self.rows * self.square

    def black(self) -> list[Box]:
        """Black boxes: left, top, right, bottom (mm) from the board's top left corner."""
        boxes, marker_id = [], 0
        for row in range(self.rows):
            for column in range(self.columns):
                x, y = column * self.square, row * self.square
                if (row + column) % 2 == 0:
                    boxes.append((x, y, x + self.square, y + self.square))
                    continue
                inset = (self.square - self.marker) / 2
                cells = marker_cells(self.dictionary, marker_id)
                boxes += black_cells(cells, x + inset, y + inset, self.marker)
                marker_id += 1
        return boxes

    @cached_property
    def detector(self) -> CharucoDetector:
        return make_charuco(
            (self.columns, self.rows), self.square / 1000, self.marker / 1000, self.dictionary
        )

    def find(self, image: Image) -> tuple[Array, Array]:
        """Corners found in an image (height, width): pixels (n, 2) and their ids (n,)."""
        return self.detector.detect(image)

    @property
    def corners(self) -> Array:
        """Corners of the chessboard by id, shape (n, 3), in the board's frame (m)."""
        return self.detector.corners
