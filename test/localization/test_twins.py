# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A marker that is in the image twice: neither is followed, and it is said which and where."""

import numpy as np
import pytest


def put(scene, image, base, *, seed=0, share=1.0):
    """The image with a second robot at `base`, of whose marker a `share` can be seen."""
    (u, v), reach = scene.camera.project(base[None, :3, 3])[0].astype(int), 22
    other, image = scene.picture(base, seed), image.copy()
    rows, columns = slice(max(v - reach, 0), v + reach), slice(max(u - reach, 0), u + reach)
    image[rows, columns] = other[rows, columns]
    if share < 1:
        image[rows, u - reach + round(2 * reach * share) : u + reach] = 90
    return image


def test_of_two_robots_with_one_marker_none_is_followed(scene, make_base):
    """An idle one nearer the middle, or further, or nearer the camera: none is the robot's."""
    own, idle = make_base(0.6, 0.4, 0.3), make_base(-0.2, -0.1, 1.0)
    for one, other in ((own, idle), (idle, own)):
        tracker = scene.tracker()
        assert tracker.update(put(scene, scene.picture(one, 1), other), 0.0) is None
        assert tracker.twins
        assert "robot marker 0 is in the image twice" in tracker.reason
        assert "at x +0.6" in tracker.reason
        assert "at x -0.2" in tracker.reason
    assert tracker.update(scene.picture(own, 2), 0.1), "the other one was taken away"
    assert not tracker.twins


def test_a_twin_that_comes_later_is_noticed(scene, make_base):
    tracker, own, twin = scene.tracker(), make_base(0.6, 0.4), make_base(-0.8, -0.3)
    alone = scene.picture(own, 1)
    both = put(scene, alone, twin)
    assert tracker.update(alone, 0.0)
    seen = [tracker.update(both, 0.25 * step) for step in range(1, 40)]
    assert seen[0].x == pytest.approx(0.6, abs=0.01), "it is tracked as before"
    assert seen[-1] is None
    assert tracker.twins


def test_a_twin_is_looked_for_when_the_robot_is_seen_again(scene, make_base):
    tracker, own = scene.tracker(), make_base(0.6, 0.4)
    assert tracker.update(scene.picture(own, 1), 0.0)
    assert tracker.update(scene.empty(2), 0.25) is None
    assert tracker.update(put(scene, scene.picture(own, 3), make_base(-0.8, 0.1)), 0.5) is None
    assert tracker.twins


def test_the_twin_of_a_floor_marker_is_named(scene, make_base):
    corner = scene.arena.floor_markers[1]
    u, v = scene.camera.project(np.array([[corner.x, corner.y, 0.0]]))[0].astype(int)
    image = scene.picture(make_base(0.6, 0.4), 1).copy()
    image[200:240, 300:340] = image[v - 20 : v + 20, u - 20 : u + 20]
    tracker = scene.tracker()
    assert tracker.update(image, 0.0) is None
    assert tracker.twins
    assert f"floor marker {corner.id} is in the image twice" in tracker.reason


def test_a_mirror_and_a_hidden_twin_are_not_taken_for_the_robot(scene, make_base):
    own = make_base(0.6, 0.4, 0.3)
    image = scene.picture(own, 1).copy()
    (u, v) = scene.camera.project(own[None, :3, 3])[0].astype(int)
    image[200:244, 260:304] = image[v - 22 : v + 22, u - 22 : u + 22][:, ::-1]
    hidden = put(scene, scene.picture(own, 1), make_base(-0.2, 0.0), share=0.6)
    for picture in (image, hidden):
        seen = scene.tracker().update(picture, 0.0)
        assert seen.x == pytest.approx(0.6, abs=0.01)
