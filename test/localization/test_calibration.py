# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The camera's pose from the floor markers."""

from dataclasses import replace

import numpy as np
import pytest

from bea_ros.localization.arena import Arena
from bea_ros.localization.calibration import Calibration, CalibrationError, calibrate
from bea_ros.localization.steadiness import FloorPlaces
from bea_ros.simulation.camera.overhead import overhead_pose


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


@pytest.mark.parametrize("width", [640, 1920])
def test_errors_of_a_tape_are_allowed_however_many_pixels_show_them(make_scene, width):
    scene = make_scene(width, width * 3 // 4)
    ways = ((0.004, -0.004), (-0.004, -0.004), (0.004, 0.004), (0.004, -0.004))
    measured = [
        replace(m, x=m.x + x, y=m.y + y)
        for m, (x, y) in zip(scene.arena.floor_markers, ways, strict=True)
    ]
    arena = replace(scene.arena, floor_markers=tuple(measured))
    found = calibrate(arena, scene.camera.intrinsics, seen_corners(scene, (1, 2, 3, 4)))
    assert found.height == pytest.approx(2.5, abs=0.02)


def test_the_misfit_that_a_small_displacement_leaves_and_what_it_changes(scene):
    """Of three markers: the misfit is too small to be noticed in any number of images."""
    rng, changed = np.random.default_rng(0), []
    arena, corners = scene.arena, seen_corners(scene, (1, 2, 3, 4))
    ends = np.array([[0.5, 0.5], [-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]])
    for distance in (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08):
        errors, worst = [], 0.0
        for hidden in (1, 2, 3, 4) * 20:
            markers = [m for m in arena.floor_markers if m.id != hidden]
            place, way = rng.choice(3), rng.uniform(0, 2 * np.pi)
            x, y = distance * np.cos(way), distance * np.sin(way)
            one = markers[place]
            markers[place] = replace(one, x=one.x + x, y=one.y + y)
            elsewhere = replace(arena, floor_markers=tuple(markers))
            seen = {m.id: corners[m.id] for m in markers}
            found = calibrate(elsewhere, scene.camera.intrinsics, seen, tolerance=100.0)
            errors.append(found.error)
            if found.error < 0.5:
                there = on_floor(found.pose, in_view(scene.camera.pose, ends))
                lengths = [np.linalg.norm(p[0::2] - p[1::2], axis=1) for p in (ends, there)]
                worst = max(worst, float(abs(lengths[1] / lengths[0] - 1).max()))
        noticed = np.mean(np.array(errors) > 0.5)
        print(
            f"{100 * distance:.0f} cm: misfit {np.median(errors):.2f} pixels, noticed "
            f"{100 * noticed:.0f} %, others change distances by at most {100 * worst:.1f} %"
        )
        changed.append(worst)
    assert noticed == 1, "the farthest"
    assert max(changed) < 0.015


def in_view(pose, places):
    """Places (n, 2) on the floor (m) as the camera sees them, on the plane z = 1."""
    to_camera = np.linalg.inv(pose)
    seen = np.column_stack([places, np.zeros(len(places))]) @ to_camera[:3, :3].T
    seen += to_camera[:3, 3]
    return seen[:, :2] / seen[:, 2:]


def on_floor(pose, views):
    """The inverse of `in_view`."""
    rays = np.column_stack([views, np.ones(len(views))]) @ pose[:3, :3].T
    return (pose[:3, 3] - rays * pose[2, 3] / rays[:, 2:])[:, :2]


@pytest.mark.parametrize(("distance", "noticed"), [(0.008, False), (0.03, True)])
@pytest.mark.parametrize("width", [640, 1280])
@pytest.mark.parametrize(("hidden", "way"), [(1, 0.0), (2, 2.0), (3, 4.0), (None, 5.0)])
def test_a_marker_that_is_moved_later_is_noticed(
    make_scene, make_base, width, hidden, way, distance, noticed
):
    """With three in view, too, where the camera's pose follows it."""
    scene, base = make_scene(width, width * 3 // 4), make_base(0.3, 0.2, 0.1)
    markers = [m for m in scene.arena.floor_markers if m.id != hidden]
    first, tracker = scene.with_floor(markers).picture(base, 0), scene.tracker()
    assert tracker.update(first, 0.0)
    x, y = markers[1].x + distance * np.cos(way), markers[1].y + distance * np.sin(way)
    markers[1] = replace(markers[1], x=x, y=y)
    tracker.reset()
    found = tracker.update(scene.with_floor(markers).picture(base, 1), 10.0)
    assert (found is None) == noticed
    assert ("moved" in tracker.reason) == noticed
    if noticed and hidden and width == 640:  # with more pixels, or four markers, it misfits
        assert f"floor marker {markers[1].id} was moved by 3 cm" in tracker.reason
    assert tracker.update(first, 20.0), "it was put back"


@pytest.mark.parametrize(("roll", "height", "y"), [(0.0, 2.6, 0.0), (0.6, 3.2, -2.5)])
@pytest.mark.parametrize("marker", [1, 4])
@pytest.mark.parametrize("way", [(0.05, 0.0), (0.0, 0.05)])
def test_a_marker_was_moved_by_as_much_as_is_said_also_below_a_tilted_camera(
    scene, marker, way, roll, height, y
):
    pose, places = overhead_pose(height, 0.0, y, roll=roll), FloorPlaces()
    for dx, dy in ((0.0, 0.0), way):
        corners = {}
        for one in scene.arena.floor_markers:
            shift = (dx, dy) if one.id == marker else (0.0, 0.0)
            corners[one.id] = in_view(pose, one.corners_in_map()[:, :2] + shift)
        found = Calibration(pose, 0.1, tuple(corners), corners=tuple(corners.values()))
        said = places.objection(found, 400.0)
    assert said.startswith(f"floor marker {marker} was moved by 5 cm")


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
