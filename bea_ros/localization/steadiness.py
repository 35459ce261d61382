# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a camera's images are new, and whether the camera has moved."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.images.pictures import grey_of
from bea_ros.localization.calibration import Calibration
from bea_ros.localization.markers.detector import Found

ALIKE = 0.9  # lowest correlation of a marker's image with the earlier one, if nothing has moved
MOVED = 1.5  # pixels; a marker's centre is accurate to 0.3
MARGIN = 3  # pixels around a marker that are compared as well
SHIFTED = 0.02  # m, smallest displacement of a floor marker that counts
BUFFERS = 8  # largest number of a driver's image buffers
SHOWN = 2.5  # s in which a stuck driver repeats all of them
STEP = 4  # pixels; every STEP-th row and column is compared


class RecentImages:
    """Detects repeated images: a stuck driver publishes its buffers again and again."""

    def __init__(self) -> None:
        self._seen: list[tuple[float, bytes]] = []

    def has(self, image: Image, stamp: float) -> bool:
        """Whether the image at `stamp` (s) equals the last or a recent one; remembers it."""
        look = image[::STEP, ::STEP].tobytes()
        last = self._seen[-1:]
        late = [one for one in self._seen[:-1] if 0 < stamp - one[0] < SHOWN]
        known = any(look == other for _, other in (*late, *last))
        self._seen = [*late, *last, (stamp, look)][-BUFFERS:]
        return known


class FloorPlaces:
    """Where floor markers were first seen, to notice one that is moved while the camera stands.

    The camera's pose follows such a marker: of three, 2 cm leave a misfit of 0.2 pixels.
    """

    def __init__(self) -> None:
        self._pose = np.eye(4)  # of the camera
        self._first: dict[int, Array] = {}  # centres on the plane z = 1

    def objection(self, found: Calibration, focal_length: float) -> str:
        """Say which marker has moved, as more others stayed; else "".

        If fewer than two have stayed, or as many have moved as stayed, the camera has moved, and
        the places are learned anew: who turns it about one side leaves the markers there in place.
        """
        centres = {i: one.mean(0) for i, one in zip(found.markers, found.corners, strict=True)}
        common = sorted(self._first.keys() & centres.keys())
        ways = {i: self._way(self._first[i], centres[i]) for i in common}  # m
        # Shares of what counts, which is at least MOVED in the image.
        seen = {i: float(np.linalg.norm(centres[i] - self._first[i])) for i in common}
        shares = [min(ways[i] / SHIFTED, seen[i] * focal_length / MOVED) for i in common]
        stayed = sum(share < 0.5 for share in shares)
        if stayed < 2 or sum(share > 1.0 for share in shares) >= stayed:
            self._pose, self._first = found.pose, centres
            return ""
        self._first = {**centres, **self._first}
        return ", ".join(
            f"floor marker {i} was moved by {100 * ways[i]:.0f} cm: put it back, or "
            "write its new place into the arena's file and start again"
            for i, share in zip(common, shares, strict=True)
            if share > 1.0
        )

    def _way(self, one: Array, other: Array) -> float:
        """Distance on the floor (m) of two points on the plane z = 1."""
        rays = np.array([[*one, 1.0], [*other, 1.0]]) @ self._pose[:3, :3].T
        on_floor = rays[:, :2] / -rays[:, 2:] * self._pose[2, 3]
        return float(np.linalg.norm(on_floor[0] - on_floor[1]))


class FloorLooks:
    """The look of floor markers in an image; `corners` by id, shape (4, 2), in pixels."""

    def __init__(self, image: Image, corners: Mapping[int, Array]) -> None:
        self._centres = {i: one.mean(0) for i, one in corners.items()}
        self._boxes: dict[int, tuple[slice, slice]] = {}
        for i, one in corners.items():
            left, top = np.maximum(one.min(0) - MARGIN, 0).astype(int)
            right, bottom = (one.max(0) + MARGIN).astype(int)
            self._boxes[i] = slice(top, bottom), slice(left, right)
        self.renew(image)

    def renew(self, image: Image) -> None:
        """Take the markers' look from this image, as the light changed or one is covered."""
        self._looks = {i: self._part(image, i).copy() for i in self._boxes}

    def differ(self, image: Image) -> bool:
        """Whether half of the markers or more look different from before."""
        alike = 0
        for i, look in self._looks.items():
            likeness = cv2.matchTemplate(self._part(image, i), look, cv2.TM_CCOEFF_NORMED)
            alike += bool(likeness[0, 0] >= ALIKE)
            if 2 * alike > len(self._looks):  # the others need not be compared
                return False
        return bool(self._looks)

    def moved(self, found: Found) -> bool:
        """Whether most markers `found` have moved, or half of four or more; False below two."""
        single = {i: found[i][0].mean(0) for i in self._centres if len(found.get(i, [])) == 1}
        ways = [float(np.linalg.norm(at - self._centres[i])) for i, at in single.items()]
        enough = len(ways) / 2 if len(ways) >= 4 else len(ways) // 2 + 1
        return len(ways) > 1 and sum(way > MOVED for way in ways) >= enough

    def _part(self, image: Image, marker: int) -> Image:
        return grey_of(image[self._boxes[marker]])
