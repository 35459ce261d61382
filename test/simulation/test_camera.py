# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated camera's pixels against OpenCV's projection, and the work of light and lens."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from bea_ros.localization.arena import Arena, FloorMarker, Marker
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera.overhead import (
    Appearance,
    OverheadCamera,
    default_intrinsics,
    overhead_pose,
)

CLEAN = Appearance(blur=0, noise=0, vignetting=0, gradient=0, shadow=0)
ARENA = Arena(
    width=4.0,
    depth=3.0,
    robot_marker=Marker(id=0, size=0.4),
    floor_markers=tuple(
        FloorMarker(i, 0.5, x, y, yaw)
        for i, (x, y, yaw) in enumerate([(-1.6, -1.1, 0.2), (1.5, -1.0, 1.0), (0.2, 0.9, -0.6)], 1)
    ),
)
LENS = default_intrinsics(1280, 960)
STRONG_LENS = Intrinsics.from_field_of_view(
    1280, 960, math.radians(80), (-0.25, 0.06, 0.002, -0.001, 0.0)
)
NO_BOXES = (np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 4, 4)))


def pose_of(x, y, z, yaw=0.0, tilt=(0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3] = (
        cv2.Rodrigues(np.array([*tilt, 0.0]))[0] @ cv2.Rodrigues(np.array([0.0, 0.0, yaw]))[0]
    )
    pose[:3, 3] = x, y, z
    return pose


def projected(camera, points):
    """OpenCV's projection of points (n, 3) in the map."""
    to_camera = np.linalg.inv(camera.pose)
    rotation, lens = cv2.Rodrigues(to_camera[:3, :3])[0], camera.intrinsics
    return cv2.projectPoints(points, rotation, to_camera[:3, 3], lens.matrix, lens.distortion)[
        0
    ].reshape(-1, 2)


def picture_of_marker(camera, marker, pose):
    """The pixels that a marker should have: thousands of its points, each put where it projects.

    Rows, columns, and mean ink of the pixels that lie wholly on its black square.
    """
    cells = ARENA.cells(marker) > 0
    n = 150 * len(cells)
    jitter = np.random.default_rng(0).random((2, n, n))
    across, down = ((np.mgrid[:n, :n] + jitter) / n).reshape(2, -1)
    ink = cells[(down * len(cells)).astype(int), (across * len(cells)).astype(int)]
    points = np.column_stack([across - 0.5, 0.5 - down, np.zeros(n * n)]) * marker.size
    u, v = projected(camera, points @ pose[:3, :3].T + pose[:3, 3]).round().astype(int).T
    width = camera.intrinsics.width
    hits = np.bincount(v * width + u)
    total = np.bincount(v * width + u, ink)
    whole = np.flatnonzero(hits > 0.9 * np.median(hits[hits > 0]))
    return whole // width, whole % width, total[whole] / hits[whole]


def assert_marker_is_drawn(camera, image, marker, pose):
    rows, columns, ink = picture_of_marker(camera, marker, pose)
    levels = image[rows, columns].astype(float)
    white, black = np.median(levels[ink == 1]), np.median(levels[ink == 0])
    assert white - black > 100
    error = (levels - black) / (white - black) - ink
    edges = (ink > 0) & (ink < 1)
    assert edges.sum() > 200
    # Chance makes 0.015 of it; a shift by 0.05 pixels would make 0.03.
    assert np.abs(error[edges]).mean() < 0.025
    assert np.abs(error[~edges]).mean() < 0.01
    assert np.abs(error).max() < 0.35


@pytest.fixture(scope="module")
def camera():
    return OverheadCamera(ARENA, LENS, overhead_pose(2.5, 0.1, -0.05, 0.05, -0.04), CLEAN)


@pytest.mark.parametrize("lens", [LENS, STRONG_LENS])
def test_floor_markers_are_where_opencv_projects_them(lens):
    camera = OverheadCamera(ARENA, lens, overhead_pose(2.6, 0.1, -0.05, 0.08, -0.05), CLEAN)
    image = camera.render_empty()
    for marker in ARENA.floor_markers:
        assert_marker_is_drawn(camera, image, marker, marker.pose())


@pytest.mark.parametrize(
    "pose",
    [
        pose_of(0.0, -0.2, 0.0),
        pose_of(-1.0, 0.6, 0.3, 0.7, (0.2, -0.1)),
        pose_of(1.2, 0.4, 0.15, -2.0, (-0.1, 0.25)),
        pose_of(-0.4, -0.9, 0.5, 2.5, (0.0, 0.3)),
    ],
)
def test_the_robots_marker_is_drawn_with_height_tilt_and_perspective(camera, pose):
    image = camera.render(*NO_BOXES, pose)
    assert_marker_is_drawn(camera, image, ARENA.robot_marker, pose)


def test_a_box_is_where_opencv_projects_it():
    arena = replace(ARENA, floor_markers=(), robot_marker=Marker(0, 0.001))
    camera = OverheadCamera(arena, LENS, overhead_pose(), CLEAN)
    pose, size = pose_of(0.9, -0.6, 0.1, 0.4, (0.1, 0.2)), np.array([0.3, 0.2, 0.15])
    face_down = pose_of(0.9, -0.6, 0.1, tilt=(math.pi, 0.0))
    image = camera.render([size], [[255, 255, 255]], [pose], face_down)
    changed = image != camera.render_empty()
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2
    outline = cv2.convexHull(
        projected(camera, corners @ pose[:3, :3].T + pose[:3, 3]).astype(np.float32)
    )
    v, u = np.nonzero(changed)
    points = np.column_stack([u, v])
    assert abs(len(points) / cv2.contourArea(outline) - 1) < 0.03
    low, high = outline.min((0, 1)), outline.max((0, 1))
    np.testing.assert_allclose(points.min(0), low, atol=1.2)
    np.testing.assert_allclose(points.max(0), high, atol=1.2)


def test_what_is_nearer_hides_what_is_behind(camera):
    marker = pose_of(0.0, 0.0, 0.1)
    sizes, colours = [[0.6, 0.6, 0.02]], [[90, 90, 90]]
    u, v = projected(camera, np.array([[0.0, 0.0, 0.1]]))[0].astype(int)
    patch = np.s_[v - 30 : v + 30, u - 30 : u + 30]
    below = camera.render(sizes, colours, [pose_of(0, 0, 0.02)], marker)[patch]
    above = camera.render(sizes, colours, [pose_of(0, 0, 0.3)], marker)[patch]
    assert np.ptp(below) > 150
    assert np.ptp(above) < 10


@pytest.mark.parametrize("encoding", ["mono8", "rgb8"])
def test_what_is_black_hides_the_floor_too(encoding):
    camera = OverheadCamera(ARENA, LENS, overhead_pose(), CLEAN, encoding)
    image = camera.render(
        [[0.4, 0.4, 0.1]], [[0, 0, 0]], [pose_of(0, 0, 0.05)], pose_of(1, 1, 0.1)
    )
    u, v = projected(camera, np.array([[0.0, 0.0, 0.1]]))[0].astype(int)
    assert image[v - 10 : v + 10, u - 10 : u + 10].max() <= 1


def test_the_same_arguments_give_the_same_bytes():
    look = Appearance(noise=3)
    one, two = (OverheadCamera(ARENA, default_intrinsics(), None, look) for _ in range(2))
    boxes = ([[0.1, 0.1, 0.1]], [[200, 100, 50]], [pose_of(0.3, 0.2, 0.05)])
    marker = pose_of(0.3, 0.2, 0.11)
    image = one.render(*boxes, marker, seed=5)
    one.render(*boxes, pose_of(-1, 0, 0.1), seed=9)
    assert image.tobytes() == one.render(*boxes, marker, seed=5).tobytes()
    assert image.tobytes() == two.render(*boxes, marker, seed=5).tobytes()
    difference = image.astype(int) - one.render(*boxes, marker, seed=6)
    assert difference.std() == pytest.approx(3 * math.sqrt(2), rel=0.05)


def test_grey_is_the_luminance_of_colour():
    boxes = ([[0.5, 0.4, 0.1]], [[220, 120, 30]], [pose_of(0.3, 0.2, 0.05)])
    marker = pose_of(0.9, 0.2, 0.11)
    pictures = [
        OverheadCamera(ARENA, default_intrinsics(), None, CLEAN, encoding).render(*boxes, marker)
        for encoding in ("mono8", "rgb8")
    ]
    assert pictures[0].shape == (480, 640)
    assert pictures[1].shape == (480, 640, 3)
    luminance = cv2.cvtColor(pictures[1], cv2.COLOR_RGB2GRAY).astype(int)
    assert np.abs(luminance - pictures[0]).mean() < 2
    red, _, blue = pictures[1][200:260, 330:400].reshape(-1, 3).mean(0)
    assert red > blue + 10


def picture_with(**look):
    camera = OverheadCamera(ARENA, default_intrinsics(), None, replace(CLEAN, **look))
    return camera.render_empty().astype(int)


def test_light_and_lens_can_be_turned_up():
    plain = picture_with()
    assert picture_with(brightness=0.0).max() == 0
    assert picture_with(brightness=0.5).mean() == pytest.approx(plain.mean() / 2, rel=0.02)
    assert picture_with(glare=0.8).max() == 255
    dark_corner = picture_with(vignetting=0.5)
    assert dark_corner[:20, :20].mean() < 0.6 * plain[:20, :20].mean()
    assert dark_corner[230:250, 310:330].mean() == pytest.approx(
        plain[230:250, 310:330].mean(), 0.02
    )
    edges = [np.abs(np.diff(picture_with(blur=b), axis=1)).max() for b in (0.0, 0.6, 2.0)]
    assert edges[0] > edges[1] > edges[2]
    noisy = picture_with(noise=5.0)
    assert (noisy - plain).std() == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize(
    "marker",
    [
        pose_of(30.0, 0.0, 0.1),
        pose_of(0.0, 0.0, 5.0),
        pose_of(math.nan, 0.0, 0.1),
    ],
)
def test_a_robot_out_of_view_leaves_the_empty_arena(camera, marker):
    boxes = ([[0.1, 0.1, 0.1]], [[200, 100, 50]], [marker])
    np.testing.assert_array_equal(camera.render(*boxes, marker, 3), camera.render_empty(3))


def test_a_robot_at_the_edge_is_cut_off_there(camera):
    x = camera.intrinsics.rays[480, 1279, 0] * 2.5 + 0.1
    marker = pose_of(x, 0.0, 0.1)
    boxes = ([[0.3, 0.3, 0.05]], [[200, 100, 50]], [pose_of(x, 0.0, 0.05)])
    changed = camera.render(*boxes, marker) != camera.render_empty()
    assert changed[:, -1].any()
    assert not changed[:, :1000].any()


def test_a_marker_is_not_seen_from_behind(camera):
    upside_down = pose_of(0.0, 0.0, 0.2, tilt=(math.pi, 0.0))
    np.testing.assert_array_equal(camera.render(*NO_BOXES, upside_down), camera.render_empty())


@pytest.mark.parametrize(
    ("look", "message"),
    [
        ({"blur": -1.0}, "camera blur must be at least 0, not -1.0"),
        ({"noise": math.nan}, "camera noise"),
        ({"glare": 1.5}, "camera glare must be between 0 and 1, not 1.5"),
        ({"brightness": math.inf}, "camera brightness"),
    ],
)
def test_senseless_appearances_are_refused(look, message):
    with pytest.raises(ValueError, match=message):
        Appearance(**look)


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ValueError, match="mono8 or rgb8, not 'bgr8'"):
        OverheadCamera(ARENA, encoding="bgr8")
