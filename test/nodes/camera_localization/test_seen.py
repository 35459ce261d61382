# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the localization keeps of what it saw: the path it shows, and the images' clock."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from bea_ros.localization.observation import Sighting
from bea_ros.nodes.camera_localization.seen import CARRIED, KEPT, POINTS, Seen
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks.fitness import LONGEST

FRAME = 100_000_000  # ns
DURATION = 30 * SECOND


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


def test_the_longest_evaluation_is_kept_whole_and_nothing_before_it() -> None:
    made, step = Seen(), SECOND // 2
    for stamp in range(step, 2 * KEPT, step):
        made.add(stamp, Sighting(stamp, 0.0, 0.0, 0.0, 0.0) if stamp % SECOND else None, "")
    assert made.last_image - made.sightings[0].stamp > LONGEST * SECOND
    for first in (made.sightings[0].stamp, made.unseen[0][0], made.arrivals[0][0]):
        assert first >= made.last_image - KEPT


@pytest.mark.parametrize(
    ("clock", "gained"),
    [
        (lambda at: at, 0.0),
        (lambda at: at + SECOND // 2 * (at > DURATION // 10), 0.5),
        (lambda at: at - SECOND // 2 * (at > DURATION * 9 // 10), -0.5),
        (lambda at: round(0.98 * at), -0.6),  # stamps count images, of which some are missing
    ],
)
def test_an_images_clock_is_told_from_images_that_come_late(
    monkeypatch: pytest.MonkeyPatch, clock: Callable[[int], int], gained: float
) -> None:
    chance, made, now = random.Random(1), Seen(), 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    for at in range(0, DURATION + SECOND, FRAME):
        now = max(now, 1000.0 + at / SECOND + chance.choice((0.02, 0.03, 0.1, 0.2, 0.4)))
        if (stamp := clock(at)) > made.last_image:
            made.add(stamp, None, "")
    assert made.gained(0, DURATION) == pytest.approx(gained, abs=0.1)
