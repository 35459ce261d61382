# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Detects ArUco markers in an image, or in a region of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.markers.aruco import DetectMarkers, make_detector

Box = tuple[int, int, int, int]  # left, top, right, bottom (pixels)
Found = dict[int, list[Array]]  # corners (4, 2) in pixels of all markers of an id, by id

_COARSE_WIDTH = 800  # about which a larger image is made to have before it is searched
_SIDE_SOUGHT = 32  # a region is resized until its marker has about this side (pixels)
_SHARPENING = 3.0  # strength; restores the contrast that small cells lose in the lens
_BLOCK = 8  # side of the blocks in which contrast is sought (pixels of the coarse image)
_REACH = 4  # blocks around a place that are searched, too
_PLACES = 8
_ALIKE = 0.7  # least contrast of a marker's twin, as a share of the marker's own
_CORNER_REACH = 0.65  # reach of the refinement of a corner (cells)


class MarkerDetector:
    """Finds the markers of a dictionary, with corners to about a pixel (see `refinement`).

    The settings are for small markers. With OpenCV's defaults, cells of two to three pixels are
    misread.
    """

    def __init__(self, dictionary: str):
        common = {
            "perspectiveRemovePixelPerCell": 8,
            "perspectiveRemoveIgnoredMarginPerCell": 0.3,
        }
        self._everywhere = make_detector(
            dictionary,
            adaptiveThreshWinSizeMin=3,
            adaptiveThreshWinSizeMax=13,
            adaptiveThreshWinSizeStep=10,
            adaptiveThreshConstant=9,
            **common,
        )
        self._nearby, self._closely = (
            make_detector(
                dictionary,
                adaptiveThreshWinSizeMin=low,
                adaptiveThreshWinSizeMax=high,
                adaptiveThreshWinSizeStep=10,
                minMarkerPerimeterRate=0.15,
                **common,
            )
            for low, high in ((9, 9), (13, 23))
        )

    def search(self, image: Image, wanted: int) -> Found:
        """Return all markers in an image (height, width).

        A large image is first searched at a fraction of its size. Then the places with the most
        contrast are searched at full size: for all ids if the `wanted` one was not found, else for
        a second marker with that id.
        """
        shrink = max(round(image.shape[1] / _COARSE_WIDTH), 1)
        found = _detect(self._everywhere, image, 1 / shrink)
        missed = wanted not in found
        known = list(itertools.chain(*found.values()))
        for place in _contrasting_places(image, shrink, known, found.get(wanted)):
            nearby = self.search_region(image, place, _SIDE_SOUGHT * shrink / 2)
            for i, outlines in nearby.items():
                if missed or i == wanted:
                    found[i] = _apart(outlines, found.get(i, []))
        return found

    def search_region(self, image: Image, box: Box, side: float) -> Found:
        """Like `search`, in the region `box`, for a marker with a side of about `side` pixels."""
        left, top, right, bottom = box
        part = image[top:bottom, left:right]
        if min(part.shape) < side:
            return {}
        scale = min(max(_SIDE_SOUGHT / side, 0.25), 4.0)
        found = _detect(self._nearby, part, scale)
        if not found:
            found = _detect(self._closely, _sharpen(part), scale)
        corner = np.array([left, top])
        return {i: [one + corner for one in outlines] for i, outlines in found.items()}


def subpixel_corners(image: Image, corners: Array, cells: int) -> Array:
    """Refine the corners (4, 2) of a marker of `cells` x `cells` to about a quarter of a pixel.

    This is enough for large markers. `refinement.refine` is ten times as exact, and slower.
    """
    side = cv2.arcLength(corners.astype(np.float32), True) / 4
    reach = max(int(_CORNER_REACH * side / cells), 2)
    start = corners.astype(np.float32).reshape(4, 1, 2).copy()
    stop = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 20, 0.01)
    return cv2.cornerSubPix(image, start, (reach, reach), (-1, -1), stop).reshape(4, 2)


def _contrasting_places(
    image: Image, shrink: int, known: list[Array], alike: list[Array] | None
) -> Iterator[Box]:
    """Yield squares around the places with the most contrast, except the `known` markers.

    If `alike` has markers, a place needs at least the share _ALIKE of their contrast.
    """
    block = _BLOCK * shrink
    rows, columns = (n // block for n in image.shape)
    if not rows or not columns:
        return
    strips = image[: rows * block, : columns * block].reshape(rows, block, columns * block)

    def extreme(of: Callable[..., Array]) -> Array:
        """Extreme value of each block. Reducing along the first axis is 20 times as fast."""
        across = of(strips, axis=1).reshape(rows * columns, block)
        return of(np.ascontiguousarray(across.T), axis=0).reshape(rows, columns)

    contrast: Array = (extreme(np.max) - extreme(np.min)).astype(np.float32)
    least = 0.0
    if alike:
        middles = [(corners.mean(0) // block).astype(int) for corners in alike]
        blurred = cv2.blur(contrast, (3, 3))
        least = _ALIKE * min(blurred[min(v, rows - 1), min(u, columns - 1)] for u, v in middles)
    for corners in known:
        (left, top), (right, bottom) = corners.min(0) // block - 1, corners.max(0) // block + 2
        contrast[max(int(top), 0) : int(bottom), max(int(left), 0) : int(right)] = 0
    contrast = cv2.blur(contrast, (3, 3))
    for _ in range(_PLACES):
        _, most, _, (column, row) = cv2.minMaxLoc(contrast)
        if most <= least:
            return
        low_row, low_column = max(row - _REACH, 0), max(column - _REACH, 0)
        high_row, high_column = row + _REACH + 1, column + _REACH + 1
        yield low_column * block, low_row * block, high_column * block, high_row * block
        contrast[max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3] = 0


def _sharpen(image: Image) -> Image:
    smooth = cv2.GaussianBlur(image, (0, 0), 1.0)
    return cv2.addWeighted(image, 1 + _SHARPENING, smooth, -_SHARPENING, 0)


def _detect(detect: DetectMarkers, image: Image, scale: float) -> Found:
    """Return the markers in the image resized by `scale`."""
    rows, columns = image.shape
    width, height = round(columns * scale), round(rows * scale)
    if scale != 1:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        image = cv2.resize(image, (width, height), interpolation=how)
    corners, ids = detect(image)
    corners = (corners + 0.5) * [columns / width, rows / height] - 0.5
    return {i: _apart(corners[ids == i]) for i in ids.tolist()}


def _apart(outlines: Iterable[Array], known: Iterable[Array] = ()) -> list[Array]:
    """Return the `known` markers and further outlines, without duplicates."""
    markers = list(known)
    for outline in sorted(outlines, key=_area, reverse=True):
        middle, reach = outline.mean(0), math.sqrt(_area(outline)) / 2
        if all(np.linalg.norm(middle - marker.mean(0)) > reach for marker in markers):
            markers.append(outline)
    return markers


def _area(corners: Array) -> float:
    return float(cv2.contourArea(corners.astype(np.float32)))
