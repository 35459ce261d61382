# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The check of camera and arena: what it sees, what it expects, and what it says to do."""

from __future__ import annotations

import math
import shlex
import shutil
from dataclasses import replace

import cv2
import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.bench.localization import Scene
from bea_ros.camera_setup import accuracy as accuracies
from bea_ros.camera_setup.accuracy import Accuracy, Noise, noise_of
from bea_ros.camera_setup.arena_check import check_arena, draw_check
from bea_ros.localization.arena import ArenaError, load_arena
from bea_ros.localization.calibration import calibrate
from bea_ros.localization.camera_info import CameraInfoError, write_camera_info
from bea_ros.localization.pose import Prior
from bea_ros.robots import load_robot
from bea_ros.system.resources import resource_path

ROBOT = load_robot("spider9")
FINE = accuracies.STEP


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """The expected error at few places: at all of them it takes two seconds."""
    monkeypatch.setattr(accuracies, "STEP", 0.5)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene(640, 480, seed=3)


@pytest.fixture(scope="module")
def picture(scene):
    (base, _), *_ = scene.random_poses(1)
    return scene.picture(base, 0)


def accuracy(scene, picture, **changes):
    tracker = scene.tracker
    tracker.reset()
    tracker.update(picture, 0.0)
    noise = noise_of(picture, scene.arena, tracker.intrinsics, tracker.floor_seen,
                     tracker.calibration)  # fmt: skip
    noise = Noise(changes.get("floor", noise.floor), changes.get("times", 1.0) * noise.aligned)
    prior = Prior(ROBOT.standing_height)
    return Accuracy(scene.arena, tracker.intrinsics, tracker.calibration, ROBOT.marker.pose, prior,
                    noise)  # fmt: skip


def test_the_expected_error_is_what_the_localization_makes(scene, picture):
    expected = accuracy(scene, picture)
    squares = []
    for index, (base, _) in enumerate(scene.random_poses(60)):
        scene.tracker.reset()
        seen = scene.tracker.update(scene.picture(base, index), 0.0)
        if seen is not None:
            made = (seen.x - base[0, 3]) ** 2 + (seen.y - base[1, 3]) ** 2
            squares.append((made, expected.at(*base[:2, 3]) ** 2))
    assert len(squares) > 55
    made, foretold = np.sqrt(np.mean(squares, 0))
    assert made < foretold * 1.1  # the floor's corners are taken to be wrong at random
    assert made > foretold * 0.6


@pytest.mark.parametrize("hidden", [None, 3])
def test_the_noise_of_the_floor_is_that_of_its_corners(scene, picture, hidden):
    """Not of their distances in two dimensions, and the pose follows some of it."""
    rng, lens = np.random.default_rng(0), scene.camera.intrinsics
    to_camera = np.linalg.inv(scene.camera.pose)
    told = []
    for _ in range(60):
        corners = {}
        for marker in scene.arena.floor_markers:
            x, y, z = (marker.corners_in_map() @ to_camera[:3, :3].T + to_camera[:3, 3]).T
            noise = rng.normal(0, 0.2 / lens.focal_length, (4, 2))
            if marker.id != hidden:
                corners[marker.id] = np.column_stack([x / z, y / z]) + noise
        found = calibrate(scene.arena, lens, corners, tolerance=5.0)
        blank = np.full_like(picture, 100)
        told.append(noise_of(blank, scene.arena, lens, scene.tracker.floor_seen, found).floor)
    assert np.sqrt(np.mean(np.square(told))) == pytest.approx(0.2, rel=0.1)


def test_more_noise_means_more_error_and_none_leaves_what_the_robot_does(scene, picture):
    places = [(0.4, 0.3), (1.5, 1.0)]
    usual, worse, exact = (
        [accuracy(scene, picture, **change).at(*place) for place in places]
        for change in ({}, {"times": 25.0, "floor": 1.0}, {"times": 0.0, "floor": 1e-4})
    )
    for a, b, c in zip(exact, usual, worse, strict=True):
        assert 0 <= a < b < c


def test_what_is_out_of_the_image_has_no_error(scene, picture):
    expected = accuracy(scene, picture)
    assert math.isnan(expected.at(5.0, 0.0))
    area = expected.over_arena()
    assert area.in_view == 1.0
    assert 0 < area.mean < area.worst < 0.01


def test_a_good_arena_is_ready(scene, picture, monkeypatch):
    monkeypatch.setattr(accuracies, "STEP", FINE)
    check = check_arena([picture], scene.arena, scene.camera.intrinsics, ROBOT)
    assert check.ready
    said = "\n".join(check.report())
    assert "4 of 4 seen" in said
    true_tilt = math.degrees(math.acos(-scene.camera.pose[2, 2]))
    assert f"{true_tilt:.1f} degrees from straight down" in said
    assert check.calibration.height == pytest.approx(scene.camera.pose[2, 3], abs=0.002)
    assert "robot: x" in said


def test_an_arena_without_its_robot_is_not_ready(scene, picture):
    robot = load_robot("gecko7")  # another marker than the one in the picture
    check = check_arena([picture], load_arena(robot), scene.camera.intrinsics, robot)
    assert "robot: robot marker 5 not seen" in "\n".join(check.report())
    assert not check.ready
    assert "put the robot on its feet into the arena" in check.advice()[0]


def test_the_smallest_arena_is_drawn_and_smaller_ones_are_refused(scene, picture, tmp_path):
    intrinsics = scene.camera.intrinsics
    small = replace(scene.arena, width=0.4, depth=0.31)
    draw_check(tmp_path / "small.png", check_arena([picture], small, intrinsics, ROBOT))
    assert (tmp_path / "small.png").exists()
    with pytest.raises(ArenaError, match=r"width and depth must be above 0\.3 m"):
        check_arena([picture], replace(small, depth=0.3), intrinsics, ROBOT)


def test_a_marker_that_was_moved_is_told_and_never_another_one_named(scene, picture):
    markers = list(scene.arena.floor_markers)
    for shift, words in (
        (0.02, "measure again where"),
        (0.06, "do not fit the arena"),
        (0.25, "pixels rms, marker 2 most"),
    ):
        markers[1] = replace(markers[1], x=scene.arena.floor_markers[1].x + shift)
        arena = replace(scene.arena, floor_markers=tuple(markers))
        check = check_arena([picture], arena, scene.camera.intrinsics, ROBOT)
        assert not check.ready
        said = "\n".join([*check.report(), *check.advice()])
        assert words in said
        assert not any(f"marker {i}" in said for i in (1, 3, 4))


def test_hidden_corners_are_named_and_drawn(scene, picture, tmp_path):
    half = picture.copy()
    half[:, :150] = 120
    check = check_arena([half], scene.arena, scene.camera.intrinsics, ROBOT)
    assert check.calibration is None
    assert check.accuracy is None
    assert "2 of 4 seen; not 1 at x -1.85 y -1.35; not 4" in check.report()[0]
    assert "three corners at least" in check.advice()[0]
    draw_check(tmp_path / "half.png", check)
    green_and_red = [(27, 120, 55), (178, 24, 43)]
    drawn = cv2.imread(str(tmp_path / "half.png"))[:, :, ::-1].astype(int)
    for colour in green_and_red:
        assert (np.abs(drawn - colour).max(2) < 30).sum() > 300


def test_an_image_that_is_too_bright_is_no_arena_to_measure_again(scene, picture):
    bright = np.clip(3.0 * picture + 60, 0, 255).astype(np.uint8)
    check = check_arena([bright], scene.arena, scene.camera.intrinsics, ROBOT)
    assert check.report()[0].startswith("corners: 0 of 4 seen")
    assert "evenly lit" in check.advice()[0]


def test_an_image_of_another_size_is_refused(scene, picture):
    words = "the image is 480x640, but the calibration is for 640x480: take images of that size"
    with pytest.raises(CameraInfoError, match=words):
        check_arena([np.rot90(picture)], scene.arena, scene.camera.intrinsics, ROBOT)


def test_the_first_image_that_does_is_taken(scene, picture):
    dark = np.zeros_like(picture)
    intrinsics = scene.camera.intrinsics
    assert check_arena([dark, dark, picture], scene.arena, intrinsics, ROBOT).ready
    assert "black" in check_arena([dark, dark], scene.arena, intrinsics, ROBOT).reason


def test_the_command_tells_and_draws(scene, picture, tmp_path, capsys):
    image, info, output = (str(tmp_path / n) for n in ("seen.png", "camera.yaml", "arena.png"))
    cv2.imwrite(image, picture)
    write_camera_info(tmp_path / "camera.yaml", "overhead", scene.camera.intrinsics)
    assert main(["check-arena", image, "--camera-info", info, "--output", output]) == 0
    said = capsys.readouterr().out
    assert "expected error: " in said
    next_command = f"bea learn --robot-backend hardware --camera-info {info}"
    assert said.splitlines()[-1] == f"all is well: {next_command}"
    assert cv2.imread(output).std() > 20
    arena = str(tmp_path / "my arena.yaml")
    shutil.copy(resource_path("config/arena.yaml"), arena)
    more = ["--arena", arena, "--compressed"]
    assert main(["check-arena", image, "--camera-info", info, "--output", output, *more]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert shlex.split(last.removeprefix("all is well: ")) == [
        "bea", "learn", "--robot-backend", "hardware", "--arena", arena, "--camera-info", info,
        "--image-transport", "compressed",
    ]  # fmt: skip
    assert main(["check-arena", image, "--camera-info", info, "--output", image]) == 2
    assert f"--output {image} is the image itself" in capsys.readouterr().err
    assert (cv2.imread(image, cv2.IMREAD_GRAYSCALE) == picture).all()
    assert main(["check-arena", image]) == 2
    assert "a picture has no calibration" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["arena.txt", "arena"])
def test_a_picture_that_cannot_be_written_is_refused_first(name, tmp_path, capsys):
    assert main(["check-arena", "no.png", "--output", str(tmp_path / name)]) == 2
    said = f"--output {tmp_path / name}: it ends in none of .jpg, .pdf, .png, .svg"
    assert capsys.readouterr().err == f"bea check-arena: {said}\n"


def test_two_robots_with_one_marker_are_said_first():
    scene = Scene(640, 480, seed=5)  # its own: where the robots stand depends on no other test
    said = 0
    for index in range(5):
        (base, _), (other, _), (third, _) = scene.random_poses(3)
        one, two, away = (scene.picture(b, index) for b in (base, other, third))
        robot = (cv2.absdiff(two, one) > 25) & (cv2.absdiff(two, away) > 25)
        robot = cv2.dilate(robot.astype(np.uint8), np.ones((15, 15))) > 0
        check = check_arena([np.where(robot, two, one)], scene.arena, scene.tracker.intrinsics,
                            ROBOT)  # fmt: skip
        if check.twins:
            said += 1
            assert not check.ready
            (advice,) = check.advice()
            assert "robot marker 0 is in the image twice" in advice
            assert "take all but one away" in advice
    assert said >= 4  # one picture may hide one of the two
