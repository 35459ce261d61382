# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The camera's pose from the floor markers."""

from dataclasses import replace

import numpy as np
import pytest

from bea_ros.localization.arena import Arena
from bea_ros.localization.calibration import CalibrationError, calibrate


def seen_corners(scene, ids, noise=0.0):
    """Corners of the floor markers on the plane z = 1, by id, with noise in pixels."""
    rng = np.random.default_rng(0)
    to_camera = np.linalg.inv(scene.camera.pose)
    seen = {}
    for marker in scene.arena.floor_markers:
        x, y, z = (marker.corners_in_map() @ to_camera[:3, :3].T + to_camera[:3, 3]).T
        seen[marker.id] = np.column_stack([x / z, y / z])
        seen[marker.id] += rng.normal(0, noise / scene.camera.intrinsics.focal_length, (4, 2))
    return {i: seen[i] for i in ids}


def angle_between(one, other):
    return np.degrees(np.arccos(np.clip((np.trace(one[:3, :3].T @ other[:3, :3]) - 1) / 2, -1, 1)))


@pytest.mark.parametrize("ids", [(1, 2, 3, 4), (1, 2, 4), (2, 3, 4)])
def test_exact_corners_give_the_exact_pose(scene, ids):
    found = calibrate(scene.arena, scene.camera.intrinsics, seen_corners(scene, ids))
    np.testing.assert_allclose(found.pose, scene.camera.pose, atol=1e-5)
    assert found.error < 1e-3
    assert found.markers == ids


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1280, 960)])
def test_an_image_gives_the_pose_to_a_millimetre(make_scene, make_base, width, height):
    scene = make_scene(width, height)
    tracker = scene.tracker()
    assert tracker.update(scene.picture(make_base(0.2, 0.1)), 0.0)
    found = tracker.calibration.pose
    assert np.linalg.norm(found[:3, 3] - scene.camera.pose[:3, 3]) < 1e-3
    assert angle_between(found, scene.camera.pose) < 0.03
    assert tracker.calibration.height == pytest.approx(2.5, abs=1e-3)
    assert tracker.calibration.error < 0.4


def test_too_few_markers_are_named(scene):
    with pytest.raises(CalibrationError, match=r"2 of 4 .* 3 needed; not seen: 2, 4"):
        calibrate(scene.arena, scene.camera.intrinsics, seen_corners(scene, (1, 3)))


def test_a_moved_marker_is_named(scene):
    markers = list(scene.arena.floor_markers)
    markers[2] = replace(markers[2], x=markers[2].x - 0.15)
    arena = replace(scene.arena, floor_markers=tuple(markers))
    assert isinstance(arena, Arena)
    with pytest.raises(CalibrationError, match=r"do not fit the arena.*marker 3 most"):
        calibrate(arena, scene.camera.intrinsics, seen_corners(scene, (1, 2, 3, 4)))


def test_of_three_markers_one_that_was_moved_is_noticed(scene):
    """The pose follows it: most displacements of 5 to 10 cm leave less than a pixel."""
    rng, refused = np.random.default_rng(3), 0
    for hidden in (1, 2, 3, 4) * 5:
        markers = list(scene.arena.floor_markers)
        (moved,) = rng.choice([i for i, m in enumerate(markers) if m.id != hidden], 1)
        angle, distance = rng.uniform(0, 2 * np.pi), rng.uniform(0.05, 0.1)
        x, y = distance * np.cos(angle), distance * np.sin(angle)
        marker = markers[moved]
        markers[moved] = replace(marker, x=marker.x + x, y=marker.y + y)
        arena = replace(scene.arena, floor_markers=tuple(markers))
        seen = seen_corners(scene, {1, 2, 3, 4} - {hidden}, noise=0.1)
        try:
            calibrate(arena, scene.camera.intrinsics, seen)
        except CalibrationError:
            refused += 1
    assert refused >= 18
