# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's pose from its marker: maximum a posteriori, with the robot's usual height and tilt as prior.

One small marker alone tells its distance and tilt poorly, and both leak into x and y by parallax. What the robot's
build tells (it stands about so high, and about level) is weighed against the image by their uncertainties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.arena import Marker
from bea_ros.localization.refinement import Refined

Array = NDArray[np.float64]

_ITERATIONS = 15
_CONVERGED = 1e-5  # m and rad
_MIRRORED_FROM = math.radians(4)  # from this tilt on, the mirrored tilt is tried as well


@dataclass(frozen=True)
class Prior:
    """What is known before looking: height of base_link above the floor (m), and standard deviations (m, rad)."""

    height: float
    height_sigma: float = 0.015
    tilt_sigma: float = math.radians(6)


@dataclass(frozen=True)
class Estimate:
    """`pose` (4, 4) of base_link in the map; `covariance` (6, 6) of x, y, z and rotation about the map's axes.

    `error` is the distance, rms, of the corners from where the pose puts them, on the plane z = 1; `cost` the sum of
    squares, corners and prior, each over its standard deviation.
    """

    pose: Array
    covariance: Array
    error: float
    cost: float


class PoseEstimator:
    """Estimates base_link's pose from the refined corners of the `marker` at `marker_in_base` (4, 4)."""

    def __init__(
        self,
        marker: Marker,
        marker_in_base: Array,
        prior: Prior,
        corner_sigma: float = 0.03,
        size_sigma: float = 0.001,
    ):
        """`corner_sigma` (pixels) and `size_sigma` (share of the size) are what calibration and print leave unknown."""
        self._marker_in_base = np.asarray(marker_in_base, float)
        rotation, translation = self._marker_in_base[:3, :3], self._marker_in_base[:3, 3]
        self._flat = marker.corners()
        self._corners = self._flat @ rotation.T + translation  # in base_link's frame
        self._prior = prior
        self._corner_sigma, self._size_sigma = corner_sigma, size_sigma

    def level(self, corners: Array, camera: Array) -> tuple[Array, float]:
        """Pose (4, 4) of base_link if the robot stood level at its usual height, and the marker's side then (m).

        `corners` (4, 2) on the plane z = 1 of the camera, which is at `camera` (4, 4) in the map.
        """
        rays = np.column_stack([corners, np.ones(4)]) @ camera[:3, :3].T
        height = self._prior.height + self._marker_in_base[2, 3]
        seen = camera[:3, 3] + rays * ((height - camera[2, 3]) / rays[:, 2:])
        around = seen[:, :2] - seen[:, :2].mean(0)
        print_x, print_y = self._corners[:, :2].T - self._corners[:, :2].mean(0)[:, None]
        yaw = math.atan2(
            print_x @ around[:, 1] - print_y @ around[:, 0],
            print_x @ around[:, 0] + print_y @ around[:, 1],
        )
        pose = np.eye(4)
        pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
        pose[:2, 3] = seen[:, :2].mean(0) - pose[:2, :2] @ self._corners[:, :2].mean(0)
        pose[2, 3] = self._prior.height
        side = np.linalg.norm(around - np.roll(around, 1, 0), axis=1).mean()
        return pose, float(side)

    def estimate(self, seen: Refined, camera: Array, focal_length: float) -> Estimate:
        """The most probable pose; `camera` (4, 4) is the camera's pose in the map, `focal_length` in pixels."""
        corners = seen.corners
        spread = (corners - corners.mean(0)).ravel() * self._size_sigma
        covariance = seen.covariance + np.outer(spread, spread)
        covariance[np.diag_indices(8)] += (self._corner_sigma / focal_length) ** 2
        whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        start, _ = self.level(corners, camera)
        best = self._refine(start, corners, whiten, camera)
        if math.acos(min(best.pose[2, 2], 1)) > _MIRRORED_FROM:
            mirrored = _mirror_tilt(best.pose, camera[:3, 3])
            best = min(best, self._refine(mirrored, corners, whiten, camera), key=lambda e: e.cost)
        return best

    def _refine(self, start: Array, corners: Array, whiten: Array, camera: Array) -> Estimate:
        """Gauss-Newton from the pose `start`; rotations are updated on the left, about the map's axes."""
        to_camera = camera[:3, :3].T
        position, rotation = start[:3, 3].copy(), start[:3, :3].copy()
        prior = self._prior
        jacobian = np.zeros((11, 6))
        jacobian[8, 2] = 1 / prior.height_sigma
        cost = math.inf
        for _ in range(_ITERATIONS):
            arms = self._corners @ rotation.T
            x, y, z = to_camera @ (arms + position - camera[:3, 3]).T
            misfit = np.column_stack([x / z, y / z]) - corners
            up = rotation[:, 2]
            residual = np.concatenate(
                [
                    whiten @ misfit.ravel(),
                    [(position[2] - prior.height) / prior.height_sigma],
                    up[:2] / prior.tilt_sigma,
                ]
            )
            previous, cost = cost, float(residual @ residual)
            by_point = _projection_jacobian(x, y, z) @ to_camera  # (4, 2, 3)
            by_turn = -by_point @ _cross_matrices(arms)
            jacobian[:8] = whiten @ np.concatenate([by_point, by_turn], axis=2).reshape(8, 6)
            jacobian[9, 3:] = 0, up[2] / prior.tilt_sigma, -up[1] / prior.tilt_sigma
            jacobian[10, 3:] = -up[2] / prior.tilt_sigma, 0, up[0] / prior.tilt_sigma
            information = jacobian.T @ jacobian
            step = -np.linalg.solve(information, jacobian.T @ residual)
            position = position + step[:3]
            rotation = cv2.Rodrigues(step[3:])[0] @ rotation
            if np.abs(step).max() < _CONVERGED or abs(previous - cost) < 1e-4:
                break
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation, position
        error = float(np.sqrt((misfit**2).sum(1).mean()))
        return Estimate(pose, np.linalg.inv(information), error, cost)


def _projection_jacobian(x: Array, y: Array, z: Array) -> Array:
    """d(x / z, y / z) / d(x, y, z) for n points, (n, 2, 3)."""
    jacobian = np.zeros((len(z), 2, 3))
    jacobian[:, 0, 0] = jacobian[:, 1, 1] = 1 / z
    jacobian[:, 0, 2] = -x / z**2
    jacobian[:, 1, 2] = -y / z**2
    return jacobian


def _cross_matrices(vectors: Array) -> Array:
    """(n, 3, 3): the matrices that take the cross product of `vectors` (n, 3) with what follows."""
    matrices = np.zeros((len(vectors), 3, 3))
    matrices[:, [2, 0, 1], [1, 2, 0]] = vectors
    matrices[:, [1, 2, 0], [2, 0, 1]] = -vectors
    return matrices


def _mirror_tilt(pose: Array, eye: Array) -> Array:
    """The pose that looks nearly the same from `eye`: tilted to the other side of the line of sight."""
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
