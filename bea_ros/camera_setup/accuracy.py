# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Expected accuracy of the localization over an arena, by propagating pixel noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import Arena, ArenaError
from bea_ros.localization.calibration import Calibration
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.markers.aruco import marker_cells
from bea_ros.localization.markers.refinement import Refined, refine
from bea_ros.localization.pose import PoseEstimator, Prior
from bea_ros.localization.window import Trust

STEP = 0.2  # m between the points of the map
LEAST_NOISE = 0.01  # pixels
# Standard deviations of a moving robot's height and tilt about those at rest.
LIFT, SWAY = 0.010, math.radians(3)  # m, rad


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise of the markers' corners in the image.

    `floor` is the standard deviation of the floor markers' corners (pixels). `aligned` (8, 8) is
    the covariance of an aligned marker's corners (see refinement) times its side (pixels^3): a
    longer edge has more pixels, so its position is more certain.
    """

    floor: float
    aligned: Array

    def robot(self, side: float) -> Array:
        """Covariance (8, 8) in pixels^2 of the corners of a robot marker of `side` pixels."""
        return self.aligned / side + LEAST_NOISE**2 * np.eye(8)


def noise_of(
    image: Image,
    arena: Arena,
    intrinsics: Intrinsics,
    seen: Mapping[int, Array],
    calibration: Calibration,
) -> Noise:
    """Noise of a grey image; `seen` has the corners (4, 2) of floor markers in pixels, by id."""
    aligned = [np.zeros((8, 8))]
    for i in calibration.markers:
        fit = refine(image, intrinsics, marker_cells(arena.dictionary, i), seen[i])
        if fit is not None:
            side = cv2.arcLength(seen[i].astype(np.float32), True) / 4
            aligned.append(fit.covariance * (intrinsics.focal_length / fit.stride) ** 2 * side)
    corners = 4 * len(calibration.markers)  # of two coordinates each; the pose took six
    floor = calibration.error * math.sqrt(corners / (2 * corners - 6))
    return Noise(max(floor, LEAST_NOISE), max(aligned, key=np.trace))


@dataclass(frozen=True, eq=False)
class AccuracyMap:
    """`error` (m, n): expected error (m, rms distance on the floor) at `x` (n,) and `y` (m,).

    It is nan where the robot's marker would be outside the image.
    """

    x: Array
    y: Array
    error: Array

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.error)) if self.in_view else float("nan")

    @property
    def worst(self) -> float:
        return float(np.nanmax(self.error)) if self.in_view else float("nan")

    @property
    def in_view(self) -> float:
        """Share of the arena that the camera sees."""
        return float(np.isfinite(self.error).mean())


class Accuracy:
    """Accuracy for robots with a marker at `marker_in_base` (4, 4) under a calibrated camera.

    Each uncertain quantity is changed by one standard deviation, and the shift of the localized
    robot is its error. `noise` moves the corners of the robot's marker and, through the floor
    markers, the camera's estimated pose. A moving robot lifts and tilts, which one small marker
    shows poorly, and parallax turns it into distance. Errors of the lens's calibration and of the
    tape measure are not included.
    """

    def __init__(
        self,
        arena: Arena,
        intrinsics: Intrinsics,
        calibration: Calibration,
        marker_in_base: Array,
        prior: Prior,
        noise: Noise,
    ) -> None:
        self.arena, self.intrinsics, self.prior = arena, intrinsics, prior
        self._camera = calibration.pose
        self._noise = noise
        self._estimator = PoseEstimator(arena.robot_marker, marker_in_base, prior)
        corners = arena.robot_marker.corners() @ marker_in_base[:3, :3].T
        self._corners = corners + marker_in_base[:3, 3]
        self._cameras = list(self._other_cameras(calibration.markers))

    def over_arena(self) -> AccuracyMap:
        """Map of the expected error over the arena.

        Raises ArenaError if no place of the arena is away from its edge.
        """
        edge = Trust().edge
        reach = np.array([self.arena.width, self.arena.depth]) / 2 - edge
        if not reach.min() > 0:
            raise ArenaError(
                f"arena: width and depth must be above {2 * edge:g} m, as an evaluation ends "
                f"{edge:g} m from the border"
            )
        x, y = (np.linspace(-r, r, max(round(2 * r / STEP), 1) + 1) for r in reach)
        return AccuracyMap(x, y, np.array([[self.at(u, v) for u in x] for v in y]))

    def at(self, x: float, y: float) -> float:
        """Expected error (m, rms) of a robot at x, y (m); nan if its marker is not in view."""
        place = np.array([x, y])
        level = self._view(place, 0.0, np.zeros(3))
        if not self._in_image(level):
            return math.nan
        side = cv2.arcLength(self.intrinsics.project(level).astype(np.float32), True) / 4
        noise = self._noise.robot(side) / self.intrinsics.focal_length**2
        seen = level[:, :2] / level[:, 2:]
        right = self._estimate(seen, noise, self._camera)
        total = 0.0
        for change in np.linalg.cholesky(noise).T:
            moved = seen + change.reshape(4, 2)
            total += _squared(self._estimate(moved, noise, self._camera) - right)
        for camera in self._cameras:
            total += _squared(self._estimate(seen, noise, camera) - right)
        for up, *turn in ((LIFT, 0.0, 0.0, 0.0), (0.0, SWAY, 0.0, 0.0), (0.0, 0.0, SWAY, 0.0)):
            points = self._view(place, up, np.array(turn))
            found = self._estimate(points[:, :2] / points[:, 2:], noise, self._camera)
            total += _squared(found - place)
        return math.sqrt(total)

    def _view(self, place: Array, up: float, turn: Array) -> Array:
        """The marker's corners (4, 3) in the camera's frame (m)."""
        base = np.append(place, self.prior.height + up)
        corners = self._corners @ cv2.Rodrigues(turn)[0].T + base
        to_camera = np.linalg.inv(self._camera)
        return corners @ to_camera[:3, :3].T + to_camera[:3, 3]

    def _in_image(self, points: Array) -> bool:
        if (points[:, 2] <= 0).any():
            return False
        pixels, i = self.intrinsics.project(points), self.intrinsics
        return bool((pixels >= 2).all() and (pixels <= [i.width - 3, i.height - 3]).all())

    def _estimate(self, seen: Array, noise: Array, camera: Array) -> Array:
        """Localized position (2,) in map (m) for corners `seen` (4, 2), normalized coordinates."""
        fit = Refined(seen, noise, 1.0, 1.0)
        level, _ = self._estimator.level(seen, camera)
        found = self._estimator.estimate(fit, level, camera, self.intrinsics.focal_length)
        return found.pose[:2, 3]

    def _other_cameras(self, markers: tuple[int, ...]) -> Iterator[Array]:
        """Camera poses (4, 4), each one standard deviation off in one uncertain direction."""
        floor = [m.corners_in_map() for m in self.arena.floor_markers if m.id in markers]
        to_camera = np.linalg.inv(self._camera)
        turn, place = cv2.Rodrigues(to_camera[:3, :3])[0].ravel(), to_camera[:3, 3]
        _, jacobian = cv2.projectPoints(np.concatenate(floor), turn, place, np.eye(3), np.zeros(4))
        by_pose = np.asarray(jacobian)[:, :6] * (self.intrinsics.focal_length / self._noise.floor)
        spread = np.linalg.cholesky(np.linalg.inv(by_pose.T @ by_pose))
        for change in spread.T:
            other = np.eye(4)
            other[:3, :3] = cv2.Rodrigues(turn + change[:3])[0]
            other[:3, 3] = place + change[3:]
            yield np.linalg.inv(other)


def _squared(shift: Array) -> float:
    return float(shift @ shift)
