# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Refined corners against where the camera's geometry says they are."""

import cv2
import numpy as np
import pytest

from bea_ros.localization.markers.refinement import refine


def true_corners(scene, base, marker_in_base):
    """Where OpenCV projects the corners of the robot's marker."""
    pose = base @ marker_in_base
    corners = scene.arena.robot_marker.corners() @ pose[:3, :3].T + pose[:3, 3]
    to_camera = np.linalg.inv(scene.camera.pose)
    rotation, intrinsics = cv2.Rodrigues(to_camera[:3, :3])[0], scene.camera.intrinsics
    return cv2.projectPoints(
        corners, rotation, to_camera[:3, 3], intrinsics.matrix, intrinsics.distortion
    )[0].reshape(4, 2)


def refined_corners(scene, image, start):
    fit = refine(
        image, scene.camera.intrinsics, scene.arena.cells(scene.arena.robot_marker), start
    )
    return fit, scene.camera.intrinsics.project(np.column_stack([fit.corners, np.ones(4)]))


@pytest.mark.parametrize(
    ("size", "look", "limit"),
    [
        ((640, 480), {}, 0.05),
        ((1280, 960), {}, 0.05),
        ((640, 480), {"blur": 1.0, "noise": 4.0}, 0.15),
        ((640, 480), {"brightness": 0.4}, 0.12),
    ],
)
def test_corners_are_found_to_hundredths_of_a_pixel(
    make_scene, random_bases, marker_in_base, size, look, limit
):
    scene = make_scene(*size, **look)
    rng = np.random.default_rng(1)
    errors, centres = [], []
    for index, base in enumerate(random_bases(25, 1)):
        truth = true_corners(scene, base, marker_in_base)
        start = truth + rng.normal(0, 0.5, (4, 2))
        _, found = refined_corners(scene, scene.picture(base, index), start)
        errors.append(found - truth)
        centres.append((found - truth).mean(0))
    assert np.sqrt(np.mean(np.square(errors))) < limit
    assert np.sqrt(np.mean(np.square(centres))) < limit / 2


def test_the_covariance_tells_the_scatter_under_noise(scene, make_base, marker_in_base):
    base = make_base(0.7, -0.5, 0.6)
    truth = true_corners(scene, base, marker_in_base)
    fits = [refined_corners(scene, scene.picture(base, seed), truth)[0] for seed in range(60)]
    scatter = np.var([fit.corners.ravel() for fit in fits], axis=0)
    claimed = np.mean([np.diag(fit.covariance) for fit in fits], axis=0)
    assert np.all(claimed > 0.3 * scatter)
    assert claimed.sum() < 10 * scatter.sum()


def test_blur_is_measured(make_scene, make_base, marker_in_base):
    base = make_base(0.3, 0.2, 0.4)
    blurs = []
    for blur in (0.4, 0.7, 1.0):
        scene = make_scene(1280, 960, blur=blur)
        truth = true_corners(scene, base, marker_in_base)
        blurs.append(refined_corners(scene, scene.picture(base), truth)[0].blur)
    # A pixel itself blurs like a standard deviation of 1 / sqrt(12).
    np.testing.assert_allclose(blurs, np.hypot([0.4, 0.7, 1.0], 12**-0.5), atol=0.12)


def test_another_pattern_does_not_fit(scene, make_base, marker_in_base):
    base = make_base(0.3, 0.2, 0.4)
    truth = true_corners(scene, base, marker_in_base)
    other = scene.arena.cells(scene.arena.floor_markers[0])
    fit = refine(scene.picture(base), scene.camera.intrinsics, other, truth)
    assert fit is None or fit.correlation < 0.85


def test_bare_floor_does_not_fit(scene):
    cells = scene.arena.cells(scene.arena.robot_marker)
    square = np.array([[300, 200], [316, 200], [316, 216], [300, 216]], float)
    fit = refine(scene.empty(), scene.camera.intrinsics, cells, square)
    assert fit is None or fit.correlation < 0.85


def test_a_marker_cut_off_by_the_image_is_no_error(scene):
    cells = scene.arena.cells(scene.arena.robot_marker)
    square = np.array([[-8, 200], [8, 200], [8, 216], [-8, 216]], float)
    assert refine(scene.empty(), scene.camera.intrinsics, cells, square - [9, 0]) is None
