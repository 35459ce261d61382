# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ArUco markers in an image: all of it, or only a region."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.aruco import make_detector

Array = NDArray[np.float64]
Image = NDArray[np.uint8]
Box = tuple[int, int, int, int]  # left, top, right, bottom (pixels)

_COARSE_WIDTH = 800  # a larger image is first searched at a fraction of its size
_SIDE_SOUGHT = 32  # a region is resized until its marker has about this side (pixels)


class MarkerDetector:
    """Finds the markers of one dictionary; corners are within about a pixel (see refinement for more).

    Small markers need the settings: with the default 4 samples per cell, cells of 2 to 3 pixels are misread.
    """

    def __init__(self, dictionary: str):
        common = {
            "perspectiveRemovePixelPerCell": 8,
            "perspectiveRemoveIgnoredMarginPerCell": 0.2,
        }
        self._everywhere = make_detector(dictionary, **common)
        self._nearby = make_detector(
            dictionary,
            adaptiveThreshWinSizeMin=13,
            adaptiveThreshWinSizeMax=23,
            adaptiveThreshWinSizeStep=10,
            minMarkerPerimeterRate=0.15,
            **common,
        )

    def search(self, image: Image, wanted: int) -> dict[int, Array]:
        """Corners (4, 2) in pixels, by id, of all markers in an image (height, width).

        A large image is searched at a fraction of its size; if that does not show the `wanted` id, finer.
        """
        shrink = max(1, image.shape[1] // _COARSE_WIDTH + (image.shape[1] % _COARSE_WIDTH > 0))
        found = self._detect(self._everywhere, image, 1 / shrink)
        if wanted not in found:
            finer = self._detect(self._everywhere, image, 1.0 if shrink > 1 else 2.0)
            found = {**finer, **found}
        return found

    def search_region(self, image: Image, box: Box, side: float) -> dict[int, Array]:
        """As search(), in the part `box` of the image only, for a marker whose side is about `side` pixels."""
        left, top, right, bottom = box
        part = image[top:bottom, left:right]
        if min(part.shape) < side:
            return {}
        scale = min(max(_SIDE_SOUGHT / side, 0.25), 4.0)
        corner = np.array([left, top])
        return {i: c + corner for i, c in self._detect(self._nearby, part, scale).items()}

    @staticmethod
    def _detect(detect: object, image: Image, scale: float) -> dict[int, Array]:
        if scale != 1:
            how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
            resized = cv2.resize(image, size, interpolation=how)
        else:
            size, resized = (image.shape[1], image.shape[0]), np.ascontiguousarray(image)
        corners, ids = detect(resized)  # type: ignore[operator]
        factor = np.array([image.shape[1] / size[0], image.shape[0] / size[1]])
        corners = (corners + 0.5) * factor - 0.5
        found: dict[int, Array] = {}
        for i, corner in zip(ids.tolist(), corners, strict=True):
            if i not in found or _area(corner) > _area(found[i]):  # the outer of a doubled outline
                found[i] = corner
        return found


def _area(corners: Array) -> float:
    return float(cv2.contourArea(corners.astype(np.float32)))
