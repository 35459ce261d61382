# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether what comes from a camera is new, and the camera hangs where it hung."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.images.grey import grey_of
from bea_ros.localization.markers.detector import Found

ALIKE = 0.9  # correlation of a marker with how it looked, if neither it nor the camera has moved
MOVED = 1.5  # pixels; a marker's centre is found to 0.3
MARGIN = 3  # pixels around a marker that belong to its looks
BUFFERS = 8  # images that a driver has room for
SHOWN = 2.5  # s in which a stuck driver has shown them all
STEP = 4  # pixels between those by which two images are compared


class RecentImages:
    """Tells whether a camera repeats itself: a stuck driver shows its buffers again and again."""

    def __init__(self) -> None:
        self._seen: list[tuple[float, bytes]] = []

    def has(self, image: Image, stamp: float) -> bool:
        """Whether the image at `stamp` (s) is the very one before, or an earlier one; takes it."""
        look = image[::STEP, ::STEP].tobytes()
        last = self._seen[-1:]
        late = [one for one in self._seen[:-1] if 0 < stamp - one[0] < SHOWN]
        known = any(look == other for _, other in (*late, *last))
        self._seen = [*late, *last, (stamp, look)][-BUFFERS:]
        return known


class FloorLooks:
    """How the floor markers with `corners` (4, 2) in pixels, by id, look in an image."""

    def __init__(self, image: Image, corners: Mapping[int, Array]) -> None:
        self._centres = {i: one.mean(0) for i, one in corners.items()}
        self._boxes = {i: self._around(image, one) for i, one in corners.items()}
        self.renew(image)

    def renew(self, image: Image) -> None:
        """The light is another one, or somebody covers a marker: from now on it looks so."""
        self._looks = {i: self._part(image, i).copy() for i in self._boxes}

    def differ(self, image: Image) -> bool:
        """Whether most markers look otherwise than they did."""
        changed = 0
        for i, look in self._looks.items():
            likeness = cv2.matchTemplate(self._part(image, i), look, cv2.TM_CCOEFF_NORMED)
            changed += not likeness[0, 0] >= ALIKE
        return 2 * changed > len(self._looks)

    def moved(self, found: Found) -> bool:
        """Whether most of those `found` are elsewhere; of less than two nobody can tell."""
        single = {i: found[i][0].mean(0) for i in self._centres if len(found.get(i, [])) == 1}
        ways = [float(np.linalg.norm(at - self._centres[i])) for i, at in single.items()]
        return len(ways) > 1 and 2 * sum(way > MOVED for way in ways) > len(ways)

    def _part(self, image: Image, marker: int) -> Image:
        left, top, right, bottom = self._boxes[marker]
        return grey_of(image[top:bottom, left:right])

    @staticmethod
    def _around(image: Image, corners: Array) -> tuple[int, int, int, int]:
        height, width = image.shape[:2]
        (left, top), (right, bottom) = corners.min(0) - MARGIN, corners.max(0) + MARGIN
        return (
            max(int(left), 0),
            max(int(top), 0),
            min(int(right), width),
            min(int(bottom), height),
        )
