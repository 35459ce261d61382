# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Views of the calibration board: which of them are useful, and which are still missing."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from bea_ros.camera_setup.board import Board
from bea_ros.images.arrays import Array, Image
from bea_ros.images.pictures import grey_of

LEAST_CORNERS = 8
MOVED = 0.06  # mean motion between kept views, as a share of the image's width
TILTED = 1.12  # ratio of opposite edges of a tilted board, by perspective
LEAST_TILTED = 5  # views
EDGES = (0.0, 0.25, 0.75, 1.0)  # of the regions, of the image's width and height
REGIONS = tuple(
    " ".join(word for word in (row, column) if word) or "middle"
    for row in ("top", "", "bottom")
    for column in ("left", "", "right")
)
CORNERS_IN_REGION = 4


@dataclass(frozen=True, eq=False)
class View:
    """The board in an image: its corners' `pixels` (n, 2) and `ids` (n,).

    `outline` (4, 2) has the board's outer corners (pixels), also beyond the image.
    """

    pixels: Array
    ids: Array
    outline: Array

    @property
    def perspective(self) -> float:
        """Ratio of opposite edges; 1 if the board faces the camera."""
        edges = np.linalg.norm(self.outline - np.roll(self.outline, 1, 0), axis=1)
        return float(max(max(a / b, b / a) for a, b in (edges[[0, 2]], edges[[1, 3]])))


def find_view(board: Board, image: Image) -> View | None:
    """The board in an image (height, width) or RGB; None if too little of it is visible."""
    pixels, ids = board.find(grey_of(image))
    if len(ids) < LEAST_CORNERS:
        return None
    on_board = board.corners[ids][:, :2]
    if min(np.ptp(on_board, axis=0)) < 1.5 * board.square / 1000:
        return None  # all corners are in one row
    homography, _ = cv2.findHomography(on_board, pixels)
    if homography is None:
        return None
    width, height = board.width / 1000, board.height / 1000
    ends = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], float)
    return View(pixels, ids, cv2.perspectiveTransform(ends, homography)[0])


@dataclass
class Collection:
    """The views kept from images of `size` (width, height), and the number of similar ones."""

    size: tuple[int, int]
    wanted: int
    views: list[View] = field(default_factory=list)
    similar: int = 0

    def add(self, view: View) -> bool:
        """Keep a view if it differs from all others; returns whether it was kept."""
        limit = MOVED * self.size[0]
        if any(distance(view, other) < limit for other in self.views):
            self.similar += 1
            return False
        self.views.append(view)
        return True

    def uncovered(self) -> list[str]:
        """Regions of the image with hardly any corners."""
        pixels = np.concatenate([v.pixels for v in self.views] or [np.empty((0, 2))])
        shares = pixels / np.array(self.size)
        counts, *_ = np.histogram2d(shares[:, 1], shares[:, 0], bins=(EDGES, EDGES))
        return [
            name
            for name, count in zip(REGIONS, counts.ravel(), strict=True)
            if count < CORNERS_IN_REGION
        ]

    @property
    def tilted(self) -> int:
        """Number of views in which the board is tilted."""
        return sum(view.perspective > TILTED for view in self.views)

    def missing(self) -> str:
        """The next request to the person who holds the board; "" if no view is missing."""
        wishes = []
        if len(self.views) < self.wanted:
            more = self.wanted - len(self.views)
            wishes.append(f"{more} more view{'s' * (more > 1)}")
        if (more := LEAST_TILTED - self.tilted) > 0:
            wishes.append(f"{more} with the board tilted by 20 to 40 degrees")
        uncovered = self.uncovered()
        if uncovered:
            wishes.append(f"the board at the {', '.join(uncovered)} of the image")
        return "; ".join(wishes)


def distance(one: View, other: View) -> float:
    """Mean distance of the board's four corners between two views (pixels)."""
    return float(np.linalg.norm(one.outline - other.outline, axis=1).mean())
