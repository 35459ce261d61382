# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The path that the localization shows of what it saw."""

from __future__ import annotations

from bea_ros.localization.observation import Sighting
from bea_ros.nodes.camera_localization.seen import CARRIED, POINTS, Seen

FRAME = 100_000_000  # ns


def seen(frames: int) -> Seen:
    made = Seen()
    for number in range(1, frames + 1):
        made.add(number * FRAME, Sighting(number * FRAME, number / 1000, 0.0, 0.0, 0.0), "")
    return made


def test_a_long_path_is_thinned_and_ends_where_the_robot_is() -> None:
    trail = seen(600).trail()
    assert POINTS / 2 < len(trail) <= POINTS
    assert trail[-1].stamp == 600 * FRAME
    assert trail[0].stamp < 10 * FRAME, "it begins where the robot was first"


def test_a_short_path_has_each_sighting_since_the_robot_was_carried() -> None:
    made = seen(5)
    begin = made.last_image + CARRIED + 1
    for stamp in (begin, begin + FRAME):
        made.add(stamp, Sighting(stamp, 0.0, 0.0, 0.0, 0.0), "")
    assert [s.stamp for s in made.trail()] == [begin, begin + FRAME]
    assert Seen().trail() == []
