# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot marker's last image, by which it is found although its border is not."""

from __future__ import annotations

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.markers.detector import Box


class LastLook:
    """Keeps the part of an image that shows the marker, and finds what looks like it."""

    def __init__(self) -> None:
        self._look: Image | None = None
        self._corners = np.zeros((4, 2))  # the marker's in the whole image
        self._place = np.zeros(2)  # of the part's top left corner in the whole image

    def keep(self, grey: Image, corners: Array) -> None:
        """Keep the marker with these `corners` (4, 2) in the image (pixels)."""
        (left, top), (right, bottom) = corners.min(0).astype(int), corners.max(0).astype(int) + 2
        self._corners, self._place = corners, np.array([max(left, 0), max(top, 0)])
        self._look = grey[max(top, 0) : bottom, max(left, 0) : right].copy()

    def find(self, grey: Image, box: Box, likeness: float) -> Array | None:
        """Corners (4, 2) in `box` where the image is most like the one kept.

        None if their correlation is below `likeness`.
        """
        left, top, right, bottom = box
        part, look = grey[top:bottom, left:right], self._look
        if look is None or part.shape[0] < look.shape[0] or part.shape[1] < look.shape[1]:
            return None
        _, most, _, place = cv2.minMaxLoc(cv2.matchTemplate(part, look, cv2.TM_CCOEFF_NORMED))
        if most < likeness:
            return None
        return self._corners + np.array([left, top]) + place - self._place
