# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tracks the robot through a sequence of overhead images.

A tracked robot is searched for near its last place. At first, after the robot was lost, and after
the camera has moved, the whole image is searched, and the camera's pose is calibrated from the
floor markers. Results then depend only on the images since.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.images.pictures import grey_of
from bea_ros.localization.arena import Arena
from bea_ros.localization.calibration import Calibration, CalibrationError, calibrate
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.last_look import LastLook
from bea_ros.localization.markers.aruco import marker_cells
from bea_ros.localization.markers.detector import Box, Found, MarkerDetector, subpixel_corners
from bea_ros.localization.markers.refinement import USUAL_BLUR, Refined, refine
from bea_ros.localization.observation import Observation
from bea_ros.localization.pose import PoseEstimator, Prior
from bea_ros.localization.steadiness import FloorLooks, FloorPlaces, RecentImages
from bea_ros.localization.twins import twins_in
from bea_ros.robots import Robot


@dataclass(frozen=True)
class Limits:
    """Limits of what counts as the robot; a marker outside them is another one."""

    memory: float = 0.75  # the last pose is forgotten after this time (s)
    speed: float = 0.4  # up to which the robot is found near its last place (m/s)
    correlation: float = 0.9  # least share of the image that the marker's pattern explains
    covered: float = 0.12  # most that a black cell may be too bright (share of the contrast)
    reprojection: float = 0.35  # largest rms distance of corners from the pose's (pixels), ...
    outline: float = 0.02  # ... or this share of the marker's side in the image
    likeness: float = 0.7  # least correlation with its last image, if it is not detected
    height: float = 0.08  # largest difference from the standing height (m)
    fallen: float = 0.3  # least height of the marker above the floor (share of the usual)
    size: float = 0.15  # largest difference of the marker's size from the expected (share)
    quick_fit: float = 0.5  # rms misfit above which floor markers are refined (pixels)
    darkness: float = 8.0  # an image whose brightest parts are below this is black (grey levels)
    identical: bool = True  # whether an image may equal the one before (camera without noise)
    look: float = 5.0  # time between searches for twins while the robot is tracked (s)


class _NotSeen(Exception):
    """Why an image gave no pose."""


class _Twins(_NotSeen):
    """A marker is in the image more than once."""


class Tracker:
    """Computes base_link's poses in the map from images.

    `marker_in_base` (4, 4) is the marker's pose on the robot. After update(), `reason` says why
    there was no observation ("" if there was one), and `twins` whether a marker was in the image
    more than once. `moved` says whether the camera has moved and was calibrated again.
    `calibration` has the camera's pose. `floor_seen` has the corners (4, 2) of the floor markers
    that could be read in the last whole image that was searched (pixels), by id.
    """

    def __init__(
        self,
        arena: Arena,
        intrinsics: Intrinsics,
        marker_in_base: Array,
        prior: Prior,
        limits: Limits | None = None,
    ):
        self.arena, self.intrinsics = arena, intrinsics
        self.limits = limits or Limits()
        self.reason = "no image yet"
        self.twins = self.moved = False
        self.calibration: Calibration | None = None
        self.last: Observation | None = None
        self.floor_seen: dict[int, Array] = {}
        self._detector = MarkerDetector(arena.dictionary)
        self._estimator = PoseEstimator(arena.robot_marker, marker_in_base, prior)
        self._prior, self._marker = prior, marker_in_base[:3, 3]
        self._blur = USUAL_BLUR
        self._last_look = LastLook()
        self._recent, self._places = RecentImages(), FloorPlaces()
        self._floor: FloorLooks | None = None
        self._looked = -math.inf  # s, when the whole image was last searched

    @classmethod
    def of(
        cls, robot: Robot, arena: Arena, intrinsics: Intrinsics, limits: Limits | None = None
    ) -> Tracker:
        """The tracker of a robot, in an arena that has its marker."""
        return cls(arena, intrinsics, robot.marker.pose, Prior(robot.standing_height), limits)

    def reset(self) -> None:
        """Forget the robot and the camera's pose, as before the first image."""
        self.last, self.calibration = None, None

    def update(self, image: Image, stamp: float) -> Observation | None:
        """The robot in `image`, uint8 (height, width) or RGB (height, width, 3), at `stamp` (s).

        None if it is not there or cannot be trusted, or the image is unusable (see `reason`).
        """
        if self.last and not 0 <= stamp - self.last.stamp <= self.limits.memory:
            self.reset()
        missed, self.twins, self.moved = bool(self.reason), False, False
        try:
            self._check(image, stamp)
            if self.last and (missed or stamp - self._looked >= self.limits.look):
                self._check_alone(grey_of(image), stamp)
            tracked = self.last and self._is_steady(image)
            found = self._track(image, stamp) if tracked else self._search(image, stamp)
        except _NotSeen as why:
            self.reason, self.twins = str(why), isinstance(why, _Twins)
            if self.twins:  # the one tracked so far may be the wrong one
                self.reset()
            return None
        self.reason, self.last = "", found
        return found

    def _check(self, image: Image, stamp: float) -> None:
        i = self.intrinsics
        if image.dtype != np.uint8 or image.ndim < 2 or image.shape[2:] not in ((), (3,)):
            raise _NotSeen(f"image is {image.dtype} {image.shape}; mono8 or rgb8 is needed")
        if image.shape[:2] != (i.height, i.width):
            raise _NotSeen(
                f"image is {image.shape[1]}x{image.shape[0]}, but the camera's calibration is for "
                f"{i.width}x{i.height}"
            )
        known = not self.limits.identical and self._recent.has(image, stamp)
        if image[::16, ::16].max() < self.limits.darkness:
            raise _NotSeen("image is black")
        if known:
            raise _NotSeen("image is the very one before, or an earlier one: the camera is stuck")

    def _search(self, image: Image, stamp: float) -> Observation:
        """Search the whole image, and calibrate the camera's pose."""
        self.reset()
        grey = grey_of(image)
        self._looked = stamp
        markers = self._detector.search(grey, self.arena.robot_marker.id)
        single = {i: found[0] for i, found in markers.items() if len(found) == 1}
        floor = {m.id: single[m.id] for m in self.arena.floor_markers if m.id in single}
        self.floor_seen = floor
        try:
            self.calibration = self._calibrate(grey, floor)
        except CalibrationError as error:
            self._check_twins(markers)
            raise _NotSeen(str(error)) from error
        self._check_twins(markers)
        if moved := self._places.objection(self.calibration, self.intrinsics.focal_length):
            raise _NotSeen(moved)
        self._floor = FloorLooks(image, floor)
        self._blur = self._lens_blur(grey, floor)
        return self._observe(grey, single.get(self.arena.robot_marker.id), stamp, True)

    def _check_alone(self, grey: Image, stamp: float) -> None:
        """Search the whole image for a marker that is there twice, while the robot is tracked."""
        self._looked = stamp
        self._check_twins(self._detector.search(grey, self.arena.robot_marker.id))

    def _is_steady(self, image: Image) -> bool:
        """Whether the camera has not moved since its calibration, as far as can be seen."""
        if self._floor is None or not self._floor.differ(image):
            return True
        found = self._detector.search(grey_of(image), self.arena.robot_marker.id)
        self.moved = self._floor.moved(found)
        self._floor.renew(image)
        return not self.moved

    def _check_twins(self, markers: Found) -> None:
        found = twins_in(markers, self.arena, self.intrinsics, self._estimator, self.calibration)
        if found:
            raise _Twins(found)

    def _calibrate(self, grey: Image, found: dict[int, Array]) -> Calibration:
        """The camera's pose from the floor markers at the pixels `found` (4, 2), by id.

        The markers are refined only if one is blurred or partly hidden.
        """
        cells = len(self.arena.cells(self.arena.robot_marker))
        quick = {
            i: self.intrinsics.normalize(subpixel_corners(grey, corners, cells))
            for i, corners in found.items()
        }
        quick_fit = self.limits.quick_fit
        try:
            return calibrate(self.arena, self.intrinsics, quick, quick_fit, misplaced_by=0.0)
        except CalibrationError:
            fits = {i: self._refined(grey, i, corners) for i, corners in found.items()}
            good = {i: fit.corners for i, fit in fits.items() if fit is not None}
            self.floor_seen = {i: found[i] for i in good}
            return calibrate(self.arena, self.intrinsics, good)

    def _lens_blur(self, grey: Image, found: dict[int, Array]) -> float:
        """The image's blur (pixels), from a floor marker, which is larger than the robot's."""
        fits = (self._refined(grey, i, corners) for i, corners in sorted(found.items()))
        return next((fit.blur for fit in fits if fit is not None), USUAL_BLUR)

    def _refined(self, grey: Image, marker_id: int, corners: Array) -> Refined | None:
        """The floor marker with this id, aligned; None if its pattern does not fit."""
        cells = marker_cells(self.arena.dictionary, marker_id)
        fit = refine(grey, self.intrinsics, cells, corners)
        return fit if fit is not None and fit.correlation >= self.limits.correlation else None

    def _track(self, image: Image, stamp: float) -> Observation:
        """Search near the last place."""
        assert self.last is not None
        corners = self.last.corners
        sides = corners - corners[[3, 0, 1, 2]]
        side = float(np.sqrt((sides * sides).sum(1)).mean())
        per_metre = side / self.arena.robot_marker.size
        reach = 1.3 * side + self.limits.speed * (stamp - self.last.stamp) * per_metre
        u, v = corners.mean(0)
        box: Box = (
            max(int(u - reach), 0),
            max(int(v - reach), 0),
            min(int(u + reach) + 1, self.intrinsics.width),
            min(int(v + reach) + 1, self.intrinsics.height),
        )
        grey = grey_of(image, box)
        nearby = self._detector.search_region(grey, box, side)
        self._check_twins(nearby)
        found = next(iter(nearby.get(self.arena.robot_marker.id, [])), None)
        if found is None:  # its border is blurred or covered: search for its last image
            found = self._last_look.find(grey, box, self.limits.likeness)
        return self._observe(grey, found, stamp, False)

    @property
    def _sought(self) -> str:
        return f"robot marker {self.arena.robot_marker.id}"

    def _observe(
        self, grey: Image, corners: Array | None, stamp: float, full_search: bool
    ) -> Observation:
        """The robot whose marker is at `corners` (pixels); raises _NotSeen if a check fails."""
        assert self.calibration is not None
        if corners is None:
            where = "in the image" if full_search else "near its last place"
            raise _NotSeen(f"{self._sought} not seen {where}")
        fit = self._aligned(grey, corners)
        camera, size = self.calibration.pose, self.arena.robot_marker.size
        level, side = self._estimator.level(fit.corners, camera)
        if abs(side / size - 1) > self.limits.size:
            raise _NotSeen(
                f"{self._sought} seems {1000 * side:.0f} mm wide, not {1000 * size:.0f} mm: it is "
                "another one, or tilted too far"
            )
        focal = self.intrinsics.focal_length
        estimate = self._estimator.estimate(fit, level, camera, focal)
        corners = self.intrinsics.project(np.column_stack([fit.corners, np.ones(4)]))
        wide = cv2.arcLength(corners.astype(np.float32), True) / 4
        if estimate.error * focal > max(self.limits.reprojection, self.limits.outline * wide):
            raise _NotSeen(
                f"{self._sought} does not fit its outline ({estimate.error * focal:.1f} pixels)"
            )
        self._check_height(estimate.pose)
        self._last_look.keep(grey, corners)
        return Observation(
            stamp=stamp,
            pose=estimate.pose,
            covariance=estimate.covariance,
            corners=corners,
            reprojection_error=estimate.error * focal,
            correlation=fit.correlation,
            full_search=full_search,
        )

    def _aligned(self, grey: Image, corners: Array) -> Refined:
        """The robot's marker, aligned; raises _NotSeen if its pattern does not fit."""
        cells = self.arena.cells(self.arena.robot_marker)
        fit = refine(grey, self.intrinsics, cells, corners, self._blur)
        least, most = self.limits.correlation, self.limits.covered
        if fit is None or fit.correlation < least or fit.covered > most:
            raise _NotSeen(f"{self._sought} is blurred, hidden in part or another pattern")
        return fit

    def _check_height(self, pose: Array) -> None:
        """Raise _NotSeen if the robot cannot be so high or low; `pose` is (4, 4)."""
        height, usual = pose[2, 3], self._prior.height
        if abs(height - usual) > self.limits.height:
            raise _NotSeen(
                f"{self._sought} would put the robot {height:.2f} m above the floor, "
                f"not {usual:.2f} m"
            )
        above = height + pose[2, :3] @ self._marker
        if above < self.limits.fallen * (usual + self._marker[2]):
            raise _NotSeen(f"{self._sought} is on the floor, not on the robot")
