# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot in one image."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bea_ros.images.arrays import Array


@dataclass(frozen=True)
class Observation:
    """The robot in one image: base_link's `pose` (4, 4) in the map at `stamp` (s).

    `covariance` (6, 6) is of x, y, z (m) and the rotation about the map's axes (rad). `corners`
    (4, 2) are the marker's corners, and `reprojection_error` is their rms distance to the corners
    predicted by the pose, in pixels. `correlation` is the share of the image's variance that the
    marker's pattern explains. `full_search` is true if the whole image was searched.
    """

    stamp: float
    pose: Array
    covariance: Array
    corners: Array
    reprojection_error: float
    correlation: float
    full_search: bool

    @property
    def x(self) -> float:
        return float(self.pose[0, 3])

    @property
    def y(self) -> float:
        return float(self.pose[1, 3])

    @property
    def z(self) -> float:
        return float(self.pose[2, 3])

    @property
    def yaw(self) -> float:
        """Direction of base_link's x axis on the floor (rad, -pi to pi)."""
        return math.atan2(self.pose[1, 0], self.pose[0, 0])

    @property
    def tilt(self) -> float:
        """Angle between base_link's z axis and the vertical (rad)."""
        return math.acos(max(-1.0, min(1.0, self.pose[2, 2])))


@dataclass(frozen=True, slots=True)
class Sighting:
    """The robot in one image: base_link at `stamp` (ns) in map (m, rad), and its tilt (rad).

    Its height `z` (m) is NaN if it is unknown.
    """

    stamp: int
    x: float
    y: float
    yaw: float
    tilt: float
    z: float = math.nan
