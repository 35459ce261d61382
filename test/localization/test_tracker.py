# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""From images to poses: accuracy, dropouts, and what must not be taken for the robot."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from bea_ros.localization.arena import Marker
from bea_ros.localization.tracker import Limits
from bea_ros.simulation.camera.overhead import OverheadCamera


def errors(seen, base):
    """Distance on the floor (m) and yaw (deg) between an observation and the truth."""
    turn = seen.yaw - math.atan2(base[1, 0], base[0, 0])
    distance = math.hypot(seen.x - base[0, 3], seen.y - base[1, 3])
    return distance, abs(math.degrees(math.remainder(turn, 2 * math.pi)))


@pytest.mark.parametrize(
    ("size", "encoding", "mean_distance"),
    [
        ((640, 480), "mono8", 0.002),
        ((640, 480), "rgb8", 0.002),
        ((1280, 960), "mono8", 0.0015),
    ],
)
def test_random_poses_are_recovered(make_scene, random_bases, size, encoding, mean_distance):
    scene = make_scene(*size, encoding)
    tracker = scene.tracker()
    found = []
    for index, base in enumerate(random_bases(30, 5)):
        tracker.reset()
        seen = tracker.update(scene.picture(base, index), 0.0)
        assert seen is not None, tracker.reason
        assert tracker.reason == ""
        found.append((*errors(seen, base), abs(seen.z - base[2, 3])))
    distance, yaw, height = np.array(found).T
    assert distance.mean() < mean_distance
    assert distance.max() < 0.012
    assert yaw.mean() < 0.2
    assert yaw.max() < 1.0
    assert height.mean() < 0.005


def test_what_the_lens_does_is_undone(scene, make_base):
    """Without distortion the camera's model is off by centimetres: the test above is no luck."""
    base = make_base(-1.5, 1.0, 0.3)
    pinhole = replace(scene.camera.intrinsics, distortion=np.zeros(5))
    tracker = scene.tracker()
    tracker.intrinsics = pinhole
    seen = tracker.update(scene.picture(base), 0.0)
    assert seen is None or errors(seen, base)[0] > 0.02


@pytest.mark.parametrize(
    "look", [{"blur": 0.9, "noise": 4.0}, {"brightness": 0.3}, {"glare": 0.6}]
)
def test_poor_pictures_still_do(make_scene, random_bases, look):
    scene = make_scene(**look)
    tracker = scene.tracker()
    found = []
    for index, base in enumerate(random_bases(20, 6)):
        tracker.reset()
        seen = tracker.update(scene.picture(base, index), 0.0)
        found += [errors(seen, base)[0]] if seen else []
    assert len(found) >= 18
    assert np.mean(found) < 0.006


def test_more_pixels_make_poses_no_worse(make_scene, random_bases):
    scene = make_scene(3840, 2880)
    tracker, found = scene.tracker(), []
    for index, base in enumerate(random_bases(8, 6)):
        tracker.reset()
        found.append(errors(tracker.update(scene.picture(base, index), 0.0), base)[0])
    assert np.mean(found) < 0.0013  # m


def test_a_tilted_robot_is_told_from_a_level_one(make_scene, make_base):
    scene = make_scene(1280, 960)
    tracker = scene.tracker()
    for degrees in (0, 10, 20, 30):
        base = make_base(1.0, 0.6, 0.4, tilt=(math.radians(degrees), 0.0))
        tracker.reset()
        seen = tracker.update(scene.picture(base), 0.0)
        assert math.degrees(seen.tilt) == pytest.approx(degrees, abs=2)
        assert errors(seen, base)[0] < 0.006


def test_a_walk_is_tracked_without_searching_again(scene, make_base):
    tracker = scene.tracker()
    for step in range(12):
        base = make_base(-0.3 + 0.03 * step, 0.1, 0.1 * step)
        seen = tracker.update(scene.picture(base, step), 0.25 * step)
        assert seen.full_search == (step == 0)
        assert errors(seen, base)[0] < 0.006


def test_a_short_dropout_is_bridged_and_a_long_one_forgotten(scene, make_base):
    def after(gap):
        """Whether the robot, unseen for `gap` (s), was found by tracking; and where."""
        tracker = scene.tracker()
        assert tracker.update(scene.picture(make_base(0.0, 0.2)), 0.0)
        for stamp in np.arange(0.1, gap, 0.1):
            assert tracker.update(scene.empty(), stamp) is None
            assert "robot marker 0 not seen" in tracker.reason
        return tracker.update(scene.picture(make_base(0.05, 0.2)), gap)

    assert not after(0.5).full_search
    assert after(1.2).full_search


def test_a_robot_carried_elsewhere_is_found_after_the_memory_or_a_reset(scene, make_base):
    tracker = scene.tracker(limits=Limits(memory=0.5))
    assert tracker.update(scene.picture(make_base(-1.0, 0.0)), 0.0)
    elsewhere = make_base(1.2, 0.5)
    assert tracker.update(scene.picture(elsewhere), 0.1) is None
    assert tracker.update(scene.picture(elsewhere), 0.6).full_search
    tracker.reset()
    assert tracker.update(scene.picture(make_base(-1.0, 0.0)), 0.7).full_search


def test_time_that_jumps_back_starts_a_new_search(scene, make_base):
    tracker = scene.tracker()
    image = scene.picture(make_base())
    assert tracker.update(image, 5.0)
    assert tracker.update(image, 1.0).full_search


def test_nothing_before_the_last_full_search_matters(scene, random_bases, make_base):
    walk = [scene.picture(make_base(0.02 * i, 0.3, 0.1 * i), i) for i in range(6)]

    def follow(tracker, start):
        return [tracker.update(image, start + 0.2 * i) for i, image in enumerate(walk)]

    fresh = follow(scene.tracker(), 0.0)
    experienced = scene.tracker()
    for index, base in enumerate(random_bases(5, 8)):
        experienced.update(scene.picture(base, 100 + index), 0.3 * index)
    again = follow(experienced, 50.0)
    for one, other in zip(fresh, again, strict=True):
        assert one.full_search == other.full_search
        for name in ("pose", "covariance", "corners"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


def with_marker(scene, marker):
    """The scene's camera over an arena whose robot has another marker."""
    arena = replace(scene.arena, robot_marker=marker)
    camera = scene.camera
    return type(scene)(
        OverheadCamera(arena, camera.intrinsics, camera.pose, camera.appearance, camera.encoding)
    )


@pytest.mark.parametrize(
    ("marker", "reason"),
    [
        (Marker(id=7, size=0.1), "robot marker 0 not seen in the image"),
        (Marker(id=0, size=0.14), "seems 140 mm wide, not 100 mm"),
    ],
)
def test_another_marker_is_not_the_robot(scene, make_base, marker, reason):
    other = with_marker(scene, marker)
    tracker = scene.tracker()
    assert tracker.update(other.picture(make_base(0.5, 0.5)), 0.0) is None
    assert reason in tracker.reason


def test_a_marker_held_in_the_air_is_not_the_robot(scene, make_base):
    tracker = scene.tracker()
    assert tracker.update(scene.picture(make_base(0.5, 0.5, z=0.25)), 0.0) is None
    assert "0.2" in tracker.reason
    assert "above the floor, not 0.03 m" in tracker.reason


def test_a_marker_that_fell_off_is_not_the_robot(scene, make_base):
    """It would be a robot that stands still for ever."""
    tracker = scene.tracker()
    for at in ((0.5, 0.5), (-1.2, 0.8), (0.0, -1.0)):
        assert tracker.update(scene.picture(make_base(*at, z=-0.04)), 0.0) is None
        assert tracker.reason == "robot marker 0 is on the floor, not on the robot"


def test_an_arena_without_robot_shows_none(scene):
    tracker = scene.tracker()
    for seed in range(20):
        assert tracker.update(scene.empty(seed), float(seed)) is None


def test_unusable_images_are_named(scene, make_base):
    tracker = scene.tracker()
    image = scene.picture(make_base())
    for bad, reason in (
        (np.zeros_like(image), "image is black"),
        (image[:240, :320], "image is 320x240, but the camera's calibration is for 640x480"),
        (image.astype(float), "mono8 or rgb8 is needed"),
        (np.dstack([image] * 4), "mono8 or rgb8 is needed"),
    ):
        assert tracker.update(bad, 0.0) is None
        assert reason in tracker.reason
    assert tracker.update(image, 0.0)


def test_hidden_floor_markers_are_named(scene, make_base):
    image = scene.picture(make_base())
    for marker in scene.arena.floor_markers[:2]:
        u, v = scene.camera.project(np.array([[marker.x, marker.y, 0.0]]))[0].astype(int)
        image[v - 25 : v + 25, max(u - 25, 0) : u + 25] = 120
    tracker = scene.tracker()
    assert tracker.update(image, 0.0) is None
    assert "2 of 4 floor markers in view, 3 needed; not seen: 1, 2" in tracker.reason


def test_a_stuck_camera_shows_no_robot(scene, make_base):
    tracker = scene.tracker(limits=Limits(identical=False))
    base = make_base(0.3, 0.2, 0.1)
    assert tracker.update(scene.picture(base, 1), 0.0)
    assert tracker.update(scene.picture(base, 2), 0.1), "noise differs: another image"
    assert tracker.update(scene.picture(base, 2), 0.2) is None
    assert "the camera is stuck" in tracker.reason
    assert tracker.update(scene.picture(base, 2), 1.2) is None, "however long it is stuck"
    assert tracker.update(scene.picture(base, 3), 1.3)


def test_a_driver_that_shows_its_buffers_again_and_again_is_stuck(scene, make_base):
    tracker = scene.tracker(limits=Limits(identical=False))
    images = [scene.picture(make_base(0.3 + 0.01 * i, 0.2), i) for i in range(4)]
    assert all(tracker.update(image, 0.1 * i) for i, image in enumerate(images))
    for i in range(4, 40):
        assert tracker.update(images[i % 4], 0.1 * i) is None
        assert "the camera is stuck" in tracker.reason
    assert tracker.update(scene.picture(make_base(0.5, 0.2), 9), 4.0)
    assert tracker.update(images[0], 10.0), "of a simulation that has begun anew"


def test_a_camera_that_is_bumped_moves_no_robot(scene, make_scene, make_base):
    """Turned by 0.05 rad, which is 14 cm on the floor."""
    base, bumped = make_base(0.3, 0.2, 0.1), make_scene(roll=0.07)
    tracker = scene.tracker()
    assert tracker.update(scene.picture(base, 0), 0.0)
    for i in range(1, 4):
        found = tracker.update(bumped.picture(base, i), 0.1 * i)
        assert tracker.moved == found.full_search == (i == 1)
        assert errors(found, base)[0] < 0.006


@pytest.mark.parametrize("colours", [(), (3,)])
def test_a_camera_that_sags_moves_no_robot(scene, make_base, colours):
    """By 12 pixels, a third at a time: 8 cm on the floor, if nobody looked at the floor."""
    base, tracker, moved = make_base(0.3, 0.2, 0.1), scene.tracker(), 0
    for i in range(40):
        sunk = np.float32([[1, 0, 0], [0, 1, i / 3]])
        image = cv2.warpAffine(scene.picture(base, i), sunk, (640, 480), borderValue=90)
        image = np.repeat(image[..., None], 3, 2) if colours else image
        found = tracker.update(image, 0.1 * i)
        assert errors(found, base)[0] < 0.02
        moved += tracker.moved
    assert moved > 3


def test_a_camera_that_turns_about_two_markers_is_calibrated_again(make_scene, make_base):
    """By 0.006 rad about the left ones, which stay: they do not say that the others were moved."""
    scene = make_scene(1280, 960)
    base, tracker = make_base(1.2, 0.6, 0.3), scene.tracker()
    turned = cv2.getRotationMatrix2D((48.0, 480.0), math.degrees(0.006), 1.0)
    assert tracker.update(scene.picture(base, 0), 0.0)
    moved = 0
    for i in range(1, 11):
        picture = cv2.warpAffine(scene.picture(base, i), turned, (1280, 960), borderValue=90)
        if i == 6:
            tracker.reset()
        found = tracker.update(picture, 0.1 * i)
        assert found, tracker.reason
        moved += tracker.moved
    assert moved
    assert errors(found, base)[0] < 0.004


def test_whoever_covers_markers_or_changes_the_light_moves_no_camera(scene, make_base):
    tracker, base = scene.tracker(), make_base(0.3, 0.2, 0.1)
    assert tracker.update(scene.picture(base, 0), 0.0).full_search
    for i in range(1, 9):
        image = scene.picture(base, i).copy()
        if i < 5:
            image[:, :200] = 90  # somebody stands on the left of the arena
        else:
            image = (0.7 * image + 20 * (i % 2)).astype(np.uint8)
        found = tracker.update(image, 0.1 * i)
        assert not tracker.moved
        assert not found.full_search
        assert errors(found, base)[0] < 0.006
