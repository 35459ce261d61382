# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where the camera hangs: its pose in the map, from the floor markers it sees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from bea_ros.images.arrays import Array
from bea_ros.localization.arena import Arena, FloorMarker
from bea_ros.localization.intrinsics import Intrinsics

MISFIT_LEFT = 0.5  # share of the misfit that is left without a marker that was moved


class CalibrationError(ValueError):
    """The floor markers in view do not tell the camera's pose; the message says why."""


@dataclass(frozen=True)
class Calibration:
    """`pose` (4, 4) of the camera's optical frame in the map.

    `error` is the rms misfit of the corners (pixels), `markers` the ids that they belong to, and
    `errors` the misfit of each.
    """

    pose: Array
    error: float
    markers: tuple[int, ...]
    errors: tuple[float, ...] = ()

    @property
    def tilt(self) -> float:
        """Angle between the optical axis and straight down (rad)."""
        return math.acos(max(-1.0, min(1.0, -self.pose[2, 2])))

    @property
    def height(self) -> float:
        """The camera above the floor (m)."""
        return float(self.pose[2, 3])


def calibrate(
    arena: Arena,
    intrinsics: Intrinsics,
    corners: Mapping[int, Array],
    minimum: int = 3,
    tolerance: float = 1.0,
) -> Calibration:
    """The camera's pose from the corners (4, 2), on the plane z = 1, of the markers seen, by id.

    CalibrationError if fewer than `minimum` of the arena's floor markers are among them, or if
    their corners fit the arena worse than `tolerance` pixels rms (a marker was moved, or is not
    where the arena's file says).
    """
    seen = [m for m in arena.floor_markers if m.id in corners]
    if len(seen) < minimum:
        missing = ", ".join(str(m.id) for m in arena.floor_markers if m.id not in corners)
        raise CalibrationError(
            f"{len(seen)} of {len(arena.floor_markers)} floor markers in view, {minimum} needed; "
            f"not seen: {missing}"
        )
    found = _solve(seen, intrinsics, corners)
    if found.error > tolerance or found.height <= 0:
        suspect = misplaced(arena, intrinsics, corners)
        which = f", marker {suspect} most" if suspect is not None else ""
        raise CalibrationError(
            f"the floor markers do not fit the arena: {found.error:.1f} pixels rms{which}; "
            "was one moved, or is the calibration for another lens?"
        )
    return found


def misplaced(arena: Arena, intrinsics: Intrinsics, corners: Mapping[int, Array]) -> int | None:
    """The floor marker without which the others fit much better (MISFIT_LEFT), if there is one.

    The misfit of a single marker does not tell: the camera's pose gives way to one that was moved,
    so far that of four only a large shift shows which it was.
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
    """The pose that fits these markers best, however well."""
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
    return Calibration(
        np.linalg.inv(camera_from_map),
        float(np.sqrt((by_marker**2).mean())),
        tuple(m.id for m in seen),
        tuple(by_marker.tolist()),
    )
