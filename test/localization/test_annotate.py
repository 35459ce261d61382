# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The picture for a person at the screen."""

import numpy as np
import pytest

from bea_ros.localization.annotate import annotate


@pytest.mark.parametrize("encoding", ["mono8", "rgb8"])
def test_findings_are_drawn_where_they_are(make_scene, make_base, encoding):
    scene = make_scene(encoding=encoding)
    tracker = scene.tracker()
    image = scene.picture(make_base(0.5, 0.3))
    before = image.copy()
    seen = tracker.update(image, 0.0)
    picture = annotate(image, tracker, np.array([[-1.0, -1.0], [0.0, -1.0]]))
    np.testing.assert_array_equal(image, before)
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (640, 3)
    plain = before if before.ndim == 3 else np.dstack([before] * 3)
    changed = np.abs(picture[:480].astype(int) - plain).max(2) > 40
    for corner in seen.corners:
        u, v = corner.round().astype(int)
        assert changed[v - 1 : v + 2, u - 1 : u + 2].any()
    u, v = scene.camera.project(np.array([[-0.5, -1.0, 0.0]]))[0].round().astype(int)
    assert changed[v, u]
    assert changed.mean() < 0.1
    assert picture[480:].max() > 200  # the text below


def test_a_picture_can_be_had_of_any_failure(scene, make_base):
    tracker = scene.tracker()
    for image in (np.zeros((480, 640), np.uint8), np.zeros((100, 200), np.uint8), scene.empty()):
        assert tracker.update(image, 0.0) is None
        picture = annotate(image, tracker)
        assert picture.shape[1] == image.shape[1]
        assert picture[image.shape[0] :].max() > 200
