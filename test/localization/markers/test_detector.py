# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The search of a whole image, of any size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.markers.detector import MarkerDetector
from bea_ros.simulation.camera.overhead import OverheadCamera, overhead_pose


@pytest.mark.parametrize("size", [(1, 1), (7, 7), (7, 900), (1600, 15)])
def test_an_image_without_room_for_a_marker_has_none(size) -> None:
    noise = np.random.default_rng(0).integers(0, 255, size, np.uint8)
    assert MarkerDetector("DICT_4X4_50").search(noise, 0) == {}


def test_a_little_wider_image_is_searched_no_worse(scene, random_bases) -> None:
    """One of 848 pixels was searched at half its size, and 18 of these 20 robots were found."""
    lens = Intrinsics.from_field_of_view(848, 636, math.radians(90), (-0.12, 0.02, 0.0, 0.0, 0.0))
    camera = OverheadCamera(scene.arena, lens, overhead_pose(3.0))
    detector = MarkerDetector(scene.arena.dictionary)
    for index, base in enumerate(random_bases(20, 2)):
        assert 0 in detector.search(type(scene)(camera).picture(base, index), 0)
