# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds a marker that is in an image twice: it is unknown which of them is meant."""

from __future__ import annotations

from bea_ros.images.arrays import Array
from bea_ros.localization.arena import Arena
from bea_ros.localization.calibration import Calibration
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.markers.detector import Found
from bea_ros.localization.pose import PoseEstimator


def twins_in(
    markers: Found,
    arena: Arena,
    intrinsics: Intrinsics,
    estimator: PoseEstimator,
    calibration: Calibration | None,
) -> str:
    """Say which marker of the robot or the floor is there twice, and where; "" if none is.

    Places are in the map, at the height of the robot's marker; in pixels without a calibration.
    """

    def place(corners: Array) -> str:
        if calibration is None:
            u, v = corners.mean(0)
            return f"at pixel {u:.0f}, {v:.0f}"
        pose, _ = estimator.level(intrinsics.normalize(corners), calibration.pose)
        return f"at x {pose[0, 3]:+.2f} y {pose[1, 3]:+.2f} m"

    for marker in (arena.robot_marker, *arena.floor_markers):
        outlines = markers.get(marker.id, [])
        if len(outlines) > 1:
            whose = "robot" if marker is arena.robot_marker else "floor"
            places = " and ".join(place(corners) for corners in outlines)
            times = "twice" if len(outlines) == 2 else f"{len(outlines)} times"
            own = "" if whose == "floor" else " (bea markers --help: each robot has its own)"
            return f"{whose} marker {marker.id} is in the image {times}{own}, {places}"
    return ""
