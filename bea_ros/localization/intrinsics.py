# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A camera's intrinsics: the pinhole model with OpenCV's (plumb_bob) lens distortion.

Camera frames are optical frames: x right, y down, z forward. Pixel (u, v) has its centre at
integer u, v.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike

from bea_ros.images.arrays import Array

FOCAL_LENGTHS = (0.1, 100.0)  # of the image's width: it is 157 to 0.6 degrees wide
OFF_CENTRE = 2.0  # image sizes from the middle to the optical axis, for a part of a sensor


@dataclass(frozen=True, eq=False)
class Intrinsics:
    """Image size and `matrix` (3, 3) in pixels; `distortion` as k1 k2 p1 p2 k3 (0 to 14 numbers).

    Raises ValueError if a value is invalid.
    """

    width: int
    height: int
    matrix: Array
    distortion: Array

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix, float).reshape(3, 3)
        distortion = np.asarray(self.distortion, float).ravel()
        if distortion.size == 0:
            distortion = np.zeros(5)
        finite = bool(np.isfinite(matrix).all() and np.isfinite(distortion).all())
        if not finite or matrix[0, 0] <= 0 or matrix[1, 1] <= 0:
            raise ValueError(
                "camera matrix must be finite with focal lengths above 0, "
                f"not {matrix.tolist()}; is the camera calibrated?"
            )
        if distortion.size not in (4, 5, 8, 12, 14):
            raise ValueError(
                f"distortion must have 4, 5, 8, 12 or 14 coefficients, not {distortion.size}"
            )
        if self.width <= 0 or self.height <= 0:
            raise ValueError(f"image size must be above 0, not {self.width}x{self.height}")
        # A matrix that only stands in for a calibration, such as the identity: floor markers seem
        # to fit any arena, as a misfit in pixels is proportional to the focal length.
        low, high = (share * self.width for share in FOCAL_LENGTHS)
        if not all(low <= focal <= high for focal in (matrix[0, 0], matrix[1, 1])):
            raise ValueError(
                f"focal lengths {matrix[0, 0]:g} and {matrix[1, 1]:g} are those of no camera: "
                f"allowed is {low:g} to {high:g} pixels; is the camera calibrated?"
            )
        centre, size = matrix[:2, 2], np.array([self.width, self.height])
        if (abs(centre - size / 2) > OFF_CENTRE * size).any():
            raise ValueError(
                f"the optical axis at {centre.tolist()} is that of no camera with images of "
                f"{self.width}x{self.height} pixels; is the camera calibrated?"
            )
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "distortion", distortion)

    @staticmethod
    def from_field_of_view(
        width: int, height: int, horizontal: float, distortion: ArrayLike = ()
    ) -> Intrinsics:
        """Square pixels, a centred principal point and a `horizontal` field of view (rad)."""
        focal = width / 2 / math.tan(horizontal / 2)
        matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
        return Intrinsics(width, height, matrix, np.asarray(distortion, float))

    @property
    def focal_length(self) -> float:
        """Mean of the two focal lengths (pixels)."""
        return float(self.matrix[0, 0] + self.matrix[1, 1]) / 2

    def project(self, points: ArrayLike) -> Array:
        """Project points (n, 3) in the camera frame (m) to pixels (n, 2)."""
        xyz = np.ascontiguousarray(points, float).reshape(-1, 1, 3)
        zero = np.zeros(3)
        return cv2.projectPoints(xyz, zero, zero, self.matrix, self.distortion)[0].reshape(-1, 2)

    def normalize(self, pixels: ArrayLike) -> Array:
        """Undistort pixels (n, 2) to points (n, 2) on the plane z = 1 of the camera frame."""
        uv = np.ascontiguousarray(pixels, float).reshape(-1, 1, 2)
        stop = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-12)
        undistort = getattr(cv2, "undistortPointsIter", None)
        if undistort is not None:
            points = undistort(uv, self.matrix, self.distortion, None, None, stop)
        else:
            points = cv2.undistortPoints(uv, self.matrix, self.distortion, criteria=stop)
        return points.reshape(-1, 2)

    @cached_property
    def rays(self) -> Array:
        """normalize() of the centre of each pixel, shape (height, width, 2)."""
        u, v = np.meshgrid(np.arange(self.width), np.arange(self.height))
        pixels = np.stack([u.ravel(), v.ravel()], axis=1)
        return self.normalize(pixels).astype(np.float32).reshape(self.height, self.width, 2)
