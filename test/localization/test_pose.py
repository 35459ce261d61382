# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's pose from its marker's corners, without images."""

import math

import numpy as np
import pytest

from bea_ros.localization.arena import Marker
from bea_ros.localization.markers.refinement import Refined
from bea_ros.localization.pose import PoseEstimator, Prior

MARKER = Marker(id=0, size=0.1)
FOCAL = 400.0


def seen_from(camera, base, marker_in_base, sigma, rng=None):
    """The marker's corners, with noise of `sigma` (pixels), as refine() gives them."""
    in_camera = np.linalg.inv(camera) @ base @ marker_in_base
    x, y, z = (MARKER.corners() @ in_camera[:3, :3].T + in_camera[:3, 3]).T
    corners = np.column_stack([x / z, y / z])
    if rng is not None:
        corners += rng.normal(0, sigma / FOCAL, (4, 2))
    return Refined(corners, np.eye(8) * (sigma / FOCAL) ** 2, 1.0, 0.6)


def estimate(estimator, seen, camera):
    start, _ = estimator.level(seen.corners, camera)
    return estimator.estimate(seen, start, camera, FOCAL)


@pytest.fixture
def camera(scene):
    return scene.camera.pose


def test_a_level_robot_at_its_height_is_found_exactly(camera, make_base, marker_in_base):
    estimator = PoseEstimator(MARKER, marker_in_base, Prior(0.03))
    base = make_base(1.2, -0.7, 2.1)
    seen = seen_from(camera, base, marker_in_base, 0.02)
    start, side = estimator.level(seen.corners, camera)
    np.testing.assert_allclose(start, base, atol=1e-4)
    assert side == pytest.approx(0.1, rel=1e-3)
    found = estimate(estimator, seen, camera)
    np.testing.assert_allclose(found.pose, base, atol=1e-4)
    assert found.error * FOCAL < 1e-2


@pytest.mark.parametrize("tilt", [(0.2, 0.0), (0.0, -0.2), (0.15, 0.15), (-0.5, 0.3)])
@pytest.mark.parametrize("place", [(0.9, 0.6), (-1.5, 0.8), (0.5, -0.4)])
def test_tilt_and_height_are_found_when_the_image_is_sharp(
    camera, make_base, marker_in_base, tilt, place
):
    prior = Prior(0.03)
    estimator = PoseEstimator(MARKER, marker_in_base, prior, corner_sigma=0.002, size_sigma=1e-5)
    base = make_base(*place, -1.0, 0.045, tilt)
    found = estimate(estimator, seen_from(camera, base, marker_in_base, 0.002), camera)
    np.testing.assert_allclose(found.pose[:3, 3], base[:3, 3], atol=1e-3)
    np.testing.assert_allclose(found.pose[:3, :3], base[:3, :3], atol=0.01)


def test_the_prior_keeps_poor_corners_from_moving_the_robot(camera, make_base, marker_in_base):
    """Depth from one small marker is poor; with the prior it hardly reaches x and y."""
    base = make_base(1.5, 1.0, 0.5)
    errors = {}
    for name, prior in (("known", Prior(0.03)), ("unknown", Prior(0.03, 1.0, 1.0))):
        estimator = PoseEstimator(MARKER, marker_in_base, prior)
        rng = np.random.default_rng(2)
        found = [
            estimate(estimator, seen_from(camera, base, marker_in_base, 0.2, rng), camera)
            for _ in range(40)
        ]
        errors[name] = np.mean([np.linalg.norm(f.pose[:2, 3] - base[:2, 3]) for f in found])
    assert errors["known"] < 0.012
    assert errors["unknown"] > 2 * errors["known"]


def test_the_covariance_fits_the_errors(camera, make_base, marker_in_base):
    """Errors over their covariance, for poses drawn from the prior: 6 on average."""
    rng = np.random.default_rng(3)
    prior = Prior(0.03, 0.01, math.radians(3))
    estimator = PoseEstimator(MARKER, marker_in_base, prior, corner_sigma=1e-4, size_sigma=1e-6)
    squares = []
    for _ in range(200):
        tilt = rng.normal(0, prior.tilt_sigma, 2)
        height = rng.normal(prior.height, prior.height_sigma)
        base = make_base(rng.uniform(0.4, 1.5), rng.uniform(0.4, 1.2), 1.0, height, tilt)
        found = estimate(estimator, seen_from(camera, base, marker_in_base, 0.1, rng), camera)
        turn = base[:3, :3] @ found.pose[:3, :3].T
        error = np.concatenate(
            [
                base[:3, 3] - found.pose[:3, 3],
                np.array(
                    [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
                )
                / 2,
            ]
        )
        squares.append(error @ np.linalg.solve(found.covariance, error))
    assert 4.5 < np.mean(squares) < 8
