# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Extrinsic calibration: the camera's pose in the map, from floor markers in its image."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from bea_ros.images.arrays import Array
from bea_ros.localization.arena import FEWEST, Arena, FloorMarker
from bea_ros.localization.intrinsics import Intrinsics

MISFIT_LEFT = 0.5  # share of the misfit that remains without a displaced marker
MISPLACED = 0.006  # m, rms, by which the markers may lie elsewhere than the arena's file says
THREE = 0.5  # share of the tolerance for three markers: the pose follows a displaced one


class CalibrationError(ValueError):
    """The floor markers do not determine the camera's pose; the message says why."""


@dataclass(frozen=True)
class Calibration:
    """Result: `pose` (4, 4) of the camera's optical frame in the map.

    `error` is the rms misfit of all corners (pixels). `markers` are the ids of the markers used,
    `errors` their misfits, and `corners` (4, 2) theirs on the plane z = 1. `scale` says how many
    pixels the image has for a metre of the floor below the camera.
    """

    pose: Array
    error: float
    markers: tuple[int, ...]
    errors: tuple[float, ...] = ()
    corners: tuple[Array, ...] = ()
    scale: float = 0.0

    @property
    def tilt(self) -> float:
        """Angle between the optical axis and straight down (rad)."""
        return math.acos(max(-1.0, min(1.0, -self.pose[2, 2])))

    @property
    def height(self) -> float:
        """Height of the camera above the floor (m)."""
        return float(self.pose[2, 3])


def calibrate(
    arena: Arena,
    intrinsics: Intrinsics,
    corners: Mapping[int, Array],
    tolerance: float = 1.0,
    misplaced_by: float = MISPLACED,
) -> Calibration:
    """Compute the camera's pose from floor markers.

    Args:
        arena: the arena.
        intrinsics: those of the camera.
        corners: corners (4, 2) of the markers seen, by id, on the plane z = 1.
        tolerance: largest rms misfit (pixels), or
        misplaced_by: (m), if that is more; three markers may have the share THREE of it.

    Raises:
        CalibrationError: fewer than FEWEST floor markers are seen, or they do not fit the arena:
            one was moved, or the arena's file is wrong.
    """
    seen = [m for m in arena.floor_markers if m.id in corners]
    if len(seen) < FEWEST:
        missing = ", ".join(str(m.id) for m in arena.floor_markers if m.id not in corners)
        raise CalibrationError(
            f"{len(seen)} of {len(arena.floor_markers)} floor markers in view, {FEWEST} needed; "
            f"not seen: {missing}"
        )
    found = _solve(seen, intrinsics, corners)
    allowed = max(tolerance, misplaced_by * found.scale)
    allowed *= 1.0 if len(seen) > 3 else THREE
    if found.error > allowed or found.height <= 0:
        suspect = misplaced(arena, intrinsics, corners)
        which = f", marker {suspect} most" if suspect is not None else ""
        raise CalibrationError(
            f"the floor markers do not fit the arena: {found.error:.1f} pixels rms{which}; "
            "was one moved, or is the calibration for another lens?"
        )
    return found


def misplaced(arena: Arena, intrinsics: Intrinsics, corners: Mapping[int, Array]) -> int | None:
    """Return the floor marker without which the others fit much better (MISFIT_LEFT), or None.

    The misfit of a single marker does not show this, as the estimated pose follows a displaced
    marker.
    """
    seen = [m for m in arena.floor_markers if m.id in corners]
    if len(seen) < 4:
        return None
    error = _solve(seen, intrinsics, corners).error
    without = {m.id: _solve([o for o in seen if o is not m], intrinsics, corners) for m in seen}
    best, second = sorted(without, key=lambda i: without[i].error)[:2]
    least, next_least = without[best].error, without[second].error
    return best if least < MISFIT_LEFT * min(error, next_least) else None


def _solve(
    seen: Sequence[FloorMarker], intrinsics: Intrinsics, corners: Mapping[int, Array]
) -> Calibration:
    """Return the pose that fits these markers best."""
    on_floor = np.concatenate([m.corners_in_map() for m in seen])
    in_view = np.concatenate([corners[m.id] for m in seen])
    good, rotation, translation = cv2.solvePnP(
        on_floor, in_view, np.eye(3), None, flags=cv2.SOLVEPNP_ITERATIVE
    )
    if not good:
        raise CalibrationError("the floor markers in view give no camera pose")
    camera_from_map = np.eye(4)
    camera_from_map[:3, :3] = cv2.Rodrigues(rotation)[0]
    camera_from_map[:3, 3] = translation.ravel()
    projected = on_floor @ camera_from_map[:3, :3].T + camera_from_map[:3, 3]
    misfit = (projected[:, :2] / projected[:, 2:] - in_view) * intrinsics.focal_length
    by_marker = np.sqrt((misfit.reshape(-1, 4, 2) ** 2).sum(2).mean(1))
    pose = np.linalg.inv(camera_from_map)
    return Calibration(
        pose,
        float(np.sqrt((by_marker**2).mean())),
        tuple(m.id for m in seen),
        tuple(by_marker.tolist()),
        tuple(corners[m.id] for m in seen),
        intrinsics.focal_length / pose[2, 3],
    )
