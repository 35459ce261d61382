# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Collects views of the calibration board from images, and says which view is needed next."""

from __future__ import annotations

from bea_ros.camera_setup.board import Board
from bea_ros.camera_setup.lens import LensError, calibrate_lens
from bea_ros.camera_setup.views import Collection, View, distance, find_view
from bea_ros.images.arrays import Image

STILL = 0.004  # share of the image's width that a board held still may move between two images
MOST = 100  # views; more take minutes, and tell nothing new
MORE = 4  # further views to collect if the present ones are not enough


class ViewError(ValueError):
    """An image with another size than those before; the message is one line."""


class Collector:
    """Takes images of one size, and keeps useful views until there are enough.

    `live` images come from a camera while a person moves the board. The board must be held still,
    as motion blurs it, or a rolling shutter bends it. `wish` says what to do next.
    """

    def __init__(self, board: Board, wanted: int, live: bool) -> None:
        self.board, self.wanted, self.live = board, wanted, live
        self.collection: Collection | None = None
        self.offered = self.seen = 0
        self.wish = "show the board to the camera"
        self._last: View | None = None

    @property
    def done(self) -> bool:
        """Whether the views are complete."""
        return self.collection is not None and not self.collection.missing()

    def offer(self, image: Image) -> None:
        """Take an image, (height, width) or RGB; raises ViewError if its size is another."""
        size = image.shape[1], image.shape[0]
        if self.collection is None:
            self.collection = Collection(size, self.wanted)
        if self.collection.size != size:
            raise ViewError(
                f"images of {size[0]}x{size[1]} and {self.collection.size[0]}x"
                f"{self.collection.size[1]} pixels: all must be of one size"
            )
        self.offered += 1
        view = find_view(self.board, image)
        last, self._last = self._last, view
        if view is None:
            return
        self.seen += 1
        if len(self.collection.views) >= MOST:
            return
        if self.live and (last is None or distance(last, view) > STILL * size[0]):
            return
        if self.collection.add(view):
            kept = len(self.collection.views)
            missing = self.collection.missing()
            self.wish = f"view {kept} kept; " + (f"missing: {missing}" if missing else "enough")

    def enough(self) -> bool:
        """Whether the views determine the lens; if not, MORE views are requested."""
        assert self.collection is not None
        try:
            calibrate_lens(self.board, self.collection)
        except LensError as error:
            self.collection.wanted = len(self.collection.views) + MORE
            self.wish = f"not yet: {error}"
            return False
        return True
