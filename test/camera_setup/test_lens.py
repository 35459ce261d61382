# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Calibration from drawn views of the board, whose lens is known, and views that do not do."""

import re

import cv2
import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.camera_setup import lens
from bea_ros.camera_setup.board import Board
from bea_ros.camera_setup.collector import Collector, ViewError
from bea_ros.camera_setup.lens import LensError, calibrate_lens
from bea_ros.camera_setup.views import Collection, View, find_view
from bea_ros.localization.camera_info import read_camera_info
from bea_ros.localization.intrinsics import Intrinsics


def collected(pictures, wanted=20):
    collector = Collector(Board(), wanted, live=False)
    for picture in pictures:
        collector.offer(picture)
    return collector.collection


def bend(lens):
    """Where (n, 2) the lens puts points all over its view, beside a pinhole's with its matrix."""
    pinhole_plane = np.stack(np.meshgrid(np.linspace(-0.75, 0.75, 9), np.linspace(-0.55, 0.55, 7)))
    points = np.column_stack([pinhole_plane.reshape(2, -1).T, np.ones(63)])
    return lens.project(points) - points @ lens.matrix[:2].T


def test_a_known_lens_comes_back_within_half_a_percent(photographer, tour):
    lens = calibrate_lens(photographer.board, collected(tour))
    truth = photographer.lens
    for row, column in ((0, 0), (1, 1), (0, 2), (1, 2)):
        found, true = lens.intrinsics.matrix[row, column], truth.matrix[row, column]
        assert found == pytest.approx(true, rel=0.005)
    strongest = np.abs(bend(truth)).max()
    assert strongest > 15  # pixels: there is something to find
    assert np.abs(bend(lens.intrinsics) - bend(truth)).max() < max(0.005 * strongest, 0.35)
    assert lens.error < 0.3
    assert (lens.deviations < 1.5).all()


def seen_by_a_wide_lens(points):
    """Pixels of points (n, 3) in an equidistant lens, 110 degrees wide."""
    radius, focal = np.hypot(points[:, 0], points[:, 1]), 640 / np.radians(55)
    along = np.arctan2(radius, points[:, 2]) / np.maximum(radius, 1e-9)
    return focal * along[:, None] * points[:, :2] + (640, 480)


def views_of_a_wide_lens(seed):
    board, rng = Board(), np.random.default_rng(seed)
    collection = Collection((1280, 960), 20)
    while len(collection.views) < 20:
        turn = cv2.Rodrigues(rng.normal(0.0, 0.4, 3))[0]
        aside, around = np.radians(60) * np.sqrt(rng.uniform()), rng.uniform(0, 2 * np.pi)
        way = np.sin(aside) * np.cos(around), np.sin(aside) * np.sin(around), np.cos(aside)
        points = (board.corners - board.corners.mean(0)) @ turn.T
        points += rng.uniform(0.2, 0.5) * np.array(way)
        pixels = seen_by_a_wide_lens(points) + rng.normal(0.0, 0.1, (len(points), 2))
        inside = ((pixels > 0) & (pixels < (1279, 959))).all(1) & (points[:, 2] > 0.02)
        if inside.sum() >= 8:
            outline = rng.uniform(0, 1e4, (4, 2))  # each view counts as another
            collection.add(View(pixels[inside], np.flatnonzero(inside), outline))
    return collection


def test_a_lens_wider_than_90_degrees_is_known_to_its_edge():
    found = calibrate_lens(Board(), views_of_a_wide_lens(1)).intrinsics
    x, y = np.meshgrid(np.linspace(-1.3, 1.3, 9), np.linspace(-0.9, 0.9, 7))
    points = np.column_stack([x.ravel(), y.ravel(), np.ones(63)])
    assert (
        np.abs(found.project(points) - seen_by_a_wide_lens(points)).max() < 2.5
    )  # pixels; 10 by five coefficients


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_lens_has_no_pole_in_the_image(seed):
    """Near one, no floor marker was found, and the calibration was called good."""
    found = calibrate_lens(Board(), views_of_a_wide_lens(seed)).intrinsics
    u, v = np.meshgrid(np.arange(0, 1280, 8), np.arange(0, 960, 8))
    pixels = np.column_stack([u.ravel(), v.ravel()])
    rays = np.column_stack([found.normalize(pixels), np.ones(len(pixels))])
    angles = np.degrees(np.arctan(np.hypot(*rays[:, :2].T)))
    true = np.degrees(np.hypot(*(pixels - (640, 480)).T) * np.radians(55) / 640)
    assert np.mean(np.abs(angles - true) > 1.0) < 0.01
    assert np.abs(angles - true).max() < 6.0


@pytest.mark.parametrize(
    ("k", "rises"),
    [
        ([-0.12, 0.05, 0.001, 0.001, -0.01], True),
        ([-0.2, 0, 0, 0, 0], False),  # folds 344 pixels from the middle, and the corner is at 400
        ([0.2, 0.1, 0, 0, 0, 0.6, 0.1, 0], True),
        ([-1.94, -0.204, 0, 0, 0, -1.5, -1.0, 0], False),  # a pole beside a root
        ([-0.1, 0, 0, 0, 0], True),  # folds 487 pixels from the middle
    ],
)
def test_a_lens_that_folds_within_the_image_is_told_from_others(k, rises):
    matrix = np.array([[400.0, 0.0, 320.0], [0.0, 400.0, 240.0], [0.0, 0.0, 1.0]])
    assert lens._rises(Intrinsics(640, 480, matrix, np.array(k, float))) == rises


def test_models_are_compared_on_the_corners_that_a_lens_is_from():
    """Also where corners are left out to the last round."""
    board, rng = Board(), np.random.default_rng(2)
    matrix = np.array([[400.0, 0.0, 320.0], [0.0, 400.0, 240.0], [0.0, 0.0, 1.0]])
    views = []
    while len(views) < 40:
        ids = rng.permutation(len(board.corners))[:8]
        turn, place = (
            rng.normal(0.0, 0.4, 3),
            np.append(rng.uniform((-0.35, -0.3), (0.2, 0.15)), 0.4),
        )
        pixels = cv2.projectPoints(board.corners[ids], turn, place, matrix, None)[0][:, 0]
        pixels += rng.normal(0.0, 0.05, (8, 2))
        pixels[0] += (15.0, -15.0)  # one is wrong in each view
        views.append(View(pixels, ids, np.zeros((4, 2))))
    found, kept = lens._solve_robustly(board, views, (640, 480), lens.K1_K2_K4_K5)
    assert found.corners == sum(len(view.ids) for view in kept) < 320


@pytest.mark.parametrize("model", [lens.PLUMB_BOB, lens.K1_K4_K5, lens.K1_K2_K4_K5])
def test_a_focal_length_spreads_as_much_as_is_said(model):
    """Eight coefficients of a lens without distortion were said to leave "fx 395.3 +-0.0" pixels,
    or "nan"."""
    board, rng = Board(), np.random.default_rng(3)
    matrix = np.array([[395.0, 0.0, 327.0], [0.0, 392.0, 232.0], [0.0, 0.0, 1.0]])
    exact = []
    for i in range(12):
        far = rng.uniform(0.3, 0.45)
        spot = np.array([i % 3 - 1, i // 3 % 3 - 1]) * 0.5 * far * [0.81, 0.6]
        lean = 0.5 * np.array([(-1) ** i, (-1) ** (i // 2)]) * rng.uniform(0.5, 1, 2)
        turn = np.append(lean, rng.normal(0, 0.3))
        place = np.append(spot, far) - cv2.Rodrigues(turn)[0] @ board.corners.mean(0)
        exact.append(cv2.projectPoints(board.corners, turn, place, matrix, None)[0][:, 0])
    ids = np.arange(len(board.corners))
    focal, said = [], []
    for _ in range(24):
        views = [View(e + rng.normal(0, 0.1, e.shape), ids, np.zeros((4, 2))) for e in exact]
        found, _ = lens._solve(board, views, (640, 480), model)
        focal.append(np.diag(found.intrinsics.matrix)[:2])
        said.append(found.deviations[:2])
    low, high = np.percentile(focal, [16, 84], axis=0)  # two deviations apart
    ratio = 2 * np.median(said, axis=0) / (high - low)
    assert 0.5 < ratio.min() < ratio.max() < 2, ratio
    assert np.min(said) > np.median(said) / 2


def test_the_command_reads_a_folder_and_writes_what_drivers_read(
    photographer, tour, tmp_path, capsys
):
    folder = tmp_path / "views"
    folder.mkdir()
    for i, picture in enumerate(tour):
        cv2.imwrite(str(folder / f"{i:02}.png"), picture)
    cv2.imwrite(str(folder / "empty.png"), np.full_like(tour[0], 120))
    output = tmp_path / "camera.yaml"
    assert main(["calibrate-camera", str(folder), "--output", str(output)]) == 0
    said = capsys.readouterr().out
    assert re.search("2[234] of 25 images show the board", said)
    assert "good (below 0.5 is good, above 1 is refused)" in said
    assert said.endswith(f"now: bea check-arena PICTURE --camera-info {output}\n")
    found = read_camera_info(output)
    assert found.matrix[0, 0] == pytest.approx(photographer.lens.matrix[0, 0], rel=0.005)


@pytest.mark.parametrize(
    ("pick", "message"),
    [
        (lambda tour: [], "0 different views of the board: 10 are needed"),
        (lambda tour: tour[:6], "6 different views of the board: 10 are needed"),
        (lambda tour: tour[:2] * 9, "2 different views of the board, and 16 too similar"),
    ],
)
def test_too_few_and_too_similar_views_are_refused(tour, pick, message):
    collection = collected(pick(tour)) or Collection((640, 480), 20)
    with pytest.raises(LensError, match=message):
        calibrate_lens(Board(), collection)


def test_a_board_that_was_only_in_the_middle_is_refused(photographer, monkeypatch):
    monkeypatch.setattr(lens, "LEAST_VIEWS", 5)
    rng = np.random.default_rng(2)
    pictures = [
        photographer.take([*rng.uniform(-0.05, 0.05, 2), 0.55], rng.normal(0, 0.4, 3), seed)
        for seed in range(30)
    ]
    with pytest.raises(LensError, match="the board was never at the top left, top"):
        calibrate_lens(photographer.board, collected(pictures))


def test_a_board_that_always_faced_the_camera_is_refused(photographer):
    """Then a longer lens farther away would see the same."""
    pictures = []
    for i in range(18):
        spot = np.array([(i % 3) - 1, (i // 3 % 3) - 1]) * [0.26, 0.18]
        pictures.append(photographer.take([*spot, 0.5 + 0.14 * (i // 9)], [0, 0, 0.02 * i], i))
    collection = collected(pictures)
    assert "tilted" in collection.missing()
    with pytest.raises(LensError, match="0 views with the board tilted, 3 are needed"):
        calibrate_lens(photographer.board, collection)


def test_views_of_two_cameras_are_refused(photographer, tour):
    squeezed = [cv2.warpAffine(p, np.array([[0.6, 0, 60], [0, 1.0, 0]]), (640, 480)) for p in tour]
    with pytest.raises(LensError, match=r"do not fit each other|is known to .* only"):
        calibrate_lens(Board(), collected([*tour[:12], *squeezed[12:]]))
    collector = Collector(Board(), 20, live=False)
    collector.offer(tour[0])
    with pytest.raises(ViewError, match="320x240 and 640x480 pixels: all must be of one size"):
        collector.offer(tour[0][::2, ::2])


def test_in_front_of_a_camera_the_board_must_be_held_still_and_is_told_where_to_go(tour):
    collector = Collector(Board(), 20, live=True)
    for picture in tour:
        collector.offer(picture)
    assert collector.collection.views == []  # it was never where it had been
    for picture in tour[:9]:
        collector.offer(picture)
        collector.offer(picture)
    assert len(collector.collection.views) == 9
    assert "view 9 kept; missing: 11 more views" in collector.wish
    assert not collector.done
    for picture in tour:
        collector.offer(picture)
        collector.offer(picture)
        if collector.done:
            break
    assert collector.wish == f"view {len(collector.collection.views)} kept; enough"


def test_the_missing_regions_are_named(photographer):
    board = photographer.board
    collection = Collection((640, 480), 1)
    assert len(collection.uncovered()) == 9
    view = find_view(board, photographer.take([-0.18, -0.12, 0.4], [0, 0, 0], 1))
    assert collection.add(view)
    assert not collection.add(view)
    assert "bottom right" in collection.uncovered()
    assert "top left" not in collection.uncovered()
