# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One interface to both versions of OpenCV's ArUco functions (up to 4.6, and from 4.7 on)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image

DetectMarkers = Callable[[Image], tuple[Array, Array]]

_aruco: Any = cv2.aruco  # the stubs know only one version
_MODERN = hasattr(_aruco, "ArucoDetector")


def dictionary_names() -> list[str]:
    """Names of OpenCV's square-marker dictionaries, such as DICT_4X4_50."""
    return sorted(n for n in dir(cv2.aruco) if n.startswith(("DICT_4X", "DICT_5X", "DICT_6X")))


def marker_count(dictionary: str) -> int:
    """Number of ids in the dictionary."""
    return len(_dictionary(dictionary).bytesList)


@cache
def marker_cells(dictionary: str, marker_id: int) -> Image:
    """Return the marker's cells with its black border, one pixel each: (n, n) of 0 and 255."""
    cells = _dictionary(dictionary).markerSize + 2
    draw = _aruco.generateImageMarker if _MODERN else _aruco.drawMarker
    image = np.asarray(draw(_dictionary(dictionary), marker_id, cells))
    image.setflags(write=False)
    return image


def is_mirrored(dictionary: str, marker_id: int) -> bool:
    """Whether the marker's mirror image, such as a reflection, looks like the marker itself."""
    cells = marker_cells(dictionary, marker_id)
    return any(np.array_equal(np.rot90(cells[:, ::-1], turns), cells) for turns in range(4))


def make_detector(dictionary: str, **settings: Any) -> DetectMarkers:
    """Return a function from image to corners (n, 4, 2) and ids (n,).

    `settings` are those of DetectorParameters.
    """
    create = _aruco.DetectorParameters if _MODERN else _aruco.DetectorParameters_create
    parameters = create()
    for name, value in settings.items():
        setattr(parameters, name, value)
    if _MODERN:
        detect = _aruco.ArucoDetector(_dictionary(dictionary), parameters).detectMarkers
    else:
        words = _dictionary(dictionary)
        detect = partial(_aruco.detectMarkers, dictionary=words, parameters=parameters)
    return lambda image: _arrays(*detect(image)[:2], 4, 2)


@dataclass(frozen=True, eq=False)
class CharucoDetector:
    """Finds a ChArUco board's corners: `detect` returns their pixels (n, 2) and ids (n,).

    `corners` (m, 3) are the places of all corners on the board (m), by id.
    """

    detect: DetectMarkers
    corners: Array


def make_charuco(
    squares: tuple[int, int], side: float, marker: float, dictionary: str
) -> CharucoDetector:
    """Return the detector of a board of (columns, rows) squares; `side` and `marker` are in m."""
    words = _dictionary(dictionary)
    if _MODERN:
        board = _aruco.CharucoBoard(squares, side, marker, words)
        detector = _aruco.CharucoDetector(board)
        return CharucoDetector(
            lambda image: _arrays(*detector.detectBoard(image)[:2], 2),
            np.asarray(board.getChessboardCorners(), float),
        )
    board = _aruco.CharucoBoard_create(*squares, side, marker, words)
    parameters = _aruco.DetectorParameters_create()

    def detect(image: Image) -> tuple[Array, Array]:
        markers, ids, _ = _aruco.detectMarkers(image, words, parameters=parameters)
        if ids is None or len(ids) == 0:
            return _arrays(None, None, 2)
        found = _aruco.interpolateCornersCharuco(markers, ids, image, board)[1:]
        return _arrays(*found, 2)

    return CharucoDetector(detect, np.asarray(board.chessboardCorners, float))


def _arrays(corners: Any, ids: Any, *shape: int) -> tuple[Array, Array]:
    """What OpenCV returns as corners (n, *shape) and ids (n,); it has None for none."""
    if ids is None or corners is None:
        corners = ids = ()
    return np.asarray(corners, float).reshape(-1, *shape), np.asarray(ids, np.int64).ravel()


@cache
def _dictionary(name: str) -> Any:
    return _aruco.getPredefinedDictionary(getattr(_aruco, name))
