# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arena's description: what it means, and what is refused."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from bea_ros.localization.arena import Arena, ArenaError, FloorMarker
from bea_ros.system.resources import resource_path

GOOD = {
    "width": 4.0,
    "depth": 3.0,
    "robot_marker": {"id": 0, "size": 0.1},
    "floor_markers": [
        {"id": 1, "size": 0.2, "x": -1.8, "y": -1.3},
        {"id": 2, "size": 0.2, "x": 1.8, "y": -1.3, "yaw": 0.5},
        {"id": 3, "size": 0.2, "x": 1.8, "y": 1.3},
    ],
}


def test_the_arena_that_comes_with_the_package_has_a_marker_in_each_corner():
    arena = Arena.load(resource_path("config/arena.yaml"))
    corners = {(np.sign(m.x), np.sign(m.y)) for m in arena.floor_markers}
    assert len(corners) == 4
    reach = np.abs(np.concatenate([m.corners_in_map() for m in arena.floor_markers])).max(0)
    assert reach[0] <= arena.width / 2
    assert reach[1] <= arena.depth / 2


def test_floor_marker_corners_run_clockwise_from_the_top_left_and_turn_with_the_yaw():
    flat = FloorMarker(id=3, size=0.2, x=1.0, y=2.0).corners_in_map()
    np.testing.assert_allclose(
        flat, [[0.9, 2.1, 0], [1.1, 2.1, 0], [1.1, 1.9, 0], [0.9, 1.9, 0]], atol=1e-12
    )
    turned = FloorMarker(id=3, size=0.2, x=1.0, y=2.0, yaw=np.pi / 2).corners_in_map()
    np.testing.assert_allclose(turned[0], [0.9, 1.9, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"widht": 4.0}, "unknown key widht"),
        ({"width": None}, "width must be a finite number"),
        ({"width": float("nan")}, "width must be a finite number"),
        ({"depth": -3.0}, "above 0 m"),
        ({"dictionary": "DICT_NO"}, "unknown dictionary 'DICT_NO'"),
        ({"robot_marker": {"id": 50, "size": 0.1}}, "id 50 is not in DICT_4X4_50"),
        ({"robot_marker": {"id": 0.5, "size": 0.1}}, "robot_marker: id must be a whole number"),
        ({"robot_marker": {"id": 1, "size": 0.1}}, "id 1 is used twice"),
        ({"robot_marker": {"id": 0}}, "robot_marker: missing size"),
        ({"floor_markers": {"id": 1}}, "must be a list"),
        ({"floor_markers": [{"id": 1, "size": 0.0, "x": 0, "y": 0}]}, "marker 1: size must be"),
        (
            {"floor_markers": [{"id": i, "size": 0.2, "x": 0.1 * i, "y": 0} for i in (1, 2)]},
            "1 and 2 overlap",
        ),
        ({"floor_markers": GOOD["floor_markers"][:2]}, "2 floor markers: at least 3 are needed"),
    ],
)
def test_a_wrong_entry_is_named(change, message):
    data = copy.deepcopy(GOOD) | change
    with pytest.raises(ArenaError, match=message):
        Arena.from_dict(data)


def test_a_missing_entry_is_named():
    with pytest.raises(ArenaError, match="missing floor_markers"):
        Arena.from_dict({k: v for k, v in GOOD.items() if k != "floor_markers"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file or directory. --arena FILE names another"),
        ("a: [", "not YAML"),
        ("5", "must be a mapping"),
        ("", "mapping"),
        ("width: 4\ndepth: 3\nwidth: 5", "line 3: width is there a second time"),
        ("width: 4\ndepth: 017", "line 2: 017 would be octal: write it without the 0"),
        ("!!map [1, 2]", "not YAML"),
    ],
)
def test_an_unusable_file_is_named(tmp_path, text, message):
    path = tmp_path / "arena.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ArenaError, match=message) as error:
        Arena.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_each_arena_has_a_map_frame_of_its_own():
    arena = Arena.from_dict(GOOD)
    first, second, third = arena.floor_markers
    others = [
        replace(arena, width=5.0),
        replace(arena, robot_marker=replace(arena.robot_marker, size=0.12)),
        replace(arena, floor_markers=(replace(first, x=first.x + 0.001), second, third)),
        replace(arena, floor_markers=(first, replace(second, yaw=0.0), third)),
        replace(arena, floor_markers=(replace(first, id=2), replace(second, id=1), third)),
        replace(arena, dictionary="DICT_5X5_50"),
    ]
    assert len({arena.frame, *(other.frame for other in others)}) == 1 + len(others)
    whole = {**copy.deepcopy(GOOD), "width": 4, "depth": 3}
    whole["floor_markers"].reverse()
    assert Arena.from_dict(whole).frame == arena.frame
