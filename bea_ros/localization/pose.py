# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's pose from its marker: a maximum a posteriori estimate.

The distance and tilt of a small marker are uncertain, and their errors affect x and y by parallax.
So a prior for the robot's height and tilt is combined with the image, each weighted by its
uncertainty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from bea_ros.images.arrays import Array
from bea_ros.localization.arena import Marker
from bea_ros.localization.markers.refinement import Refined

_ITERATIONS = 15
_SETTLED = 1e-3  # expected change of the cost
_DIAGONAL = np.diag_indices(8)
_MIRRORED_FROM = math.radians(5)  # above this tilt, the mirrored tilt is tried, too
# A vector (3,) times this (3, 9) is the matrix M (3, 3) for which M x = x cross the vector.
_CROSSED = np.cross(np.eye(3), np.eye(3)[:, None]).transpose(0, 2, 1).reshape(3, 9)


@dataclass(frozen=True)
class Prior:
    """Prior: base_link's height (m), and standard deviations of height (m) and tilt (rad)."""

    height: float
    height_sigma: float = 0.02
    tilt_sigma: float = math.radians(6)


@dataclass(frozen=True)
class Estimate:
    """`pose` (4, 4) of base_link in the map.

    `covariance` (6, 6) is of x, y, z (m) and the rotation about the map's axes (rad). `error` is
    the rms distance of the corners to those predicted by the pose, on the plane z = 1. `cost` is
    the sum of squares of corners and prior, each divided by its standard deviation.
    """

    pose: Array
    covariance: Array
    error: float
    cost: float


@dataclass(frozen=True, eq=False)
class _Fit:
    pose: Array
    information: Array  # (6, 6), the inverse of the covariance
    misfit: Array  # (4, 2), of the corners on the plane z = 1
    cost: float


class PoseEstimator:
    """Estimates base_link's pose from the `marker` that sits at `marker_in_base` (4, 4)."""

    def __init__(
        self,
        marker: Marker,
        marker_in_base: Array,
        prior: Prior,
        corner_sigma: float = 0.03,
        size_sigma: float = 0.001,
    ):
        """Set up with uncertainties of calibration, `corner_sigma` (pixels), and print,
        `size_sigma`.

        `size_sigma` is a share of the marker's side.
        """
        self._marker_in_base = np.asarray(marker_in_base, float)
        rotation, translation = self._marker_in_base[:3, :3], self._marker_in_base[:3, 3]
        self._corners = marker.corners() @ rotation.T + translation  # in base_link's frame
        self._printed = (self._corners - translation)[:, :2]
        self._prior = prior
        self._corner_sigma, self._size_sigma = corner_sigma, size_sigma

    def level(self, corners: Array, camera: Array) -> tuple[Array, float]:
        """Return base_link's pose (4, 4) if level at its usual height, and the marker's side (m).

        `corners` (4, 2) are on the plane z = 1 of the camera, whose pose in the map is `camera`
        (4, 4).
        """
        rays = corners @ camera[:3, :2].T + camera[:3, 2]
        height = self._prior.height + self._marker_in_base[2, 3]
        seen = camera[:2, 3] + rays[:, :2] * ((height - camera[2, 3]) / rays[:, 2:])
        middle = seen.sum(0) / 4
        (xx, xy), (yx, yy) = self._printed.T @ (seen - middle)
        yaw = math.atan2(xy - yx, xx + yy)
        c, s = math.cos(yaw), math.sin(yaw)
        pose = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, self._prior.height], [0, 0, 0, 1]])
        pose[:2, 3] = middle - pose[:2, :2] @ self._marker_in_base[:2, 3]
        return pose, cv2.arcLength(seen.astype(np.float32), True) / 4

    def estimate(
        self, seen: Refined, start: Array, camera: Array, focal_length: float
    ) -> Estimate:
        """Return the most probable pose; the search begins at `start` (4, 4), such as level()'s.

        `camera` (4, 4) is the camera's pose in the map, `focal_length` in pixels.
        """
        corners = seen.corners
        spread = (corners - corners.sum(0) / 4).ravel() * self._size_sigma
        covariance = seen.covariance + spread[:, None] * spread
        covariance[_DIAGONAL] += (self._corner_sigma / focal_length) ** 2
        whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        best = self._refine(start, corners, whiten, camera)
        if math.acos(min(best.pose[2, 2], 1)) > _MIRRORED_FROM:
            mirrored = self._refine(_mirror(best.pose, camera[:3, 3]), corners, whiten, camera)
            best = min(best, mirrored, key=lambda fit: fit.cost)
        error = math.sqrt((best.misfit**2).sum() / 4)
        return Estimate(best.pose, np.linalg.inv(best.information), error, best.cost)

    def _refine(self, start: Array, corners: Array, whiten: Array, camera: Array) -> _Fit:
        """Refine the pose `start` by Gauss-Newton; rotations are updated about the map's axes."""
        to_camera = camera[:3, :3].T
        eye, position, rotation = camera[:3, 3], start[:3, 3], start[:3, :3]
        prior = self._prior
        residual, jacobian = np.zeros(11), np.zeros((11, 6))
        by_point, by_pose = np.zeros((4, 2, 3)), np.empty((4, 2, 6))
        jacobian[8, 2] = 1 / prior.height_sigma
        for _ in range(_ITERATIONS):
            arms = self._corners @ rotation.T
            points = to_camera @ (arms + (position - eye)).T
            z = points[2]
            misfit = (points[:2] / z).T - corners
            up_x, up_y, up_z = (rotation[:, 2] / prior.tilt_sigma).tolist()
            residual[:8] = whiten @ misfit.ravel()
            residual[8] = (position[2] - prior.height) / prior.height_sigma
            residual[9], residual[10] = up_x, up_y
            by_point[:, 0, 0] = by_point[:, 1, 1] = 1 / z
            by_point[:, :, 2] = -(points[:2] / z**2).T
            by_position = by_point @ to_camera
            by_pose[:, :, :3] = by_position
            by_pose[:, :, 3:] = by_position @ (arms @ _CROSSED).reshape(4, 3, 3)
            jacobian[:8] = whiten @ by_pose.reshape(8, 6)
            jacobian[9, 4], jacobian[9, 5] = up_z, -up_y
            jacobian[10, 3], jacobian[10, 5] = -up_z, up_x
            information = jacobian.T @ jacobian
            gradient = jacobian.T @ residual
            step = cv2.solve(information, -gradient[:, None], flags=cv2.DECOMP_CHOLESKY)[1].ravel()
            position = position + step[:3]
            rotation = cv2.Rodrigues(step[3:])[0] @ rotation
            if -(step @ gradient) < _SETTLED:
                break
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation, position
        return _Fit(pose, information, misfit, float(residual @ residual))


def _mirror(pose: Array, eye: Array) -> Array:
    """Return the mirrored pose, which looks nearly the same from `eye`."""
    sight = eye - pose[:3, 3]
    sight /= np.linalg.norm(sight)
    up = pose[:3, 2]
    other = 2 * (up @ sight) * sight - up
    axis = np.cross(up, other)
    sine = np.linalg.norm(axis)
    mirrored = pose.copy()
    if sine > 1e-9:
        turn = cv2.Rodrigues(axis / sine * math.atan2(sine, up @ other))[0]
        mirrored[:3, :3] = turn @ pose[:3, :3]
    return mirrored
