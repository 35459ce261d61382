# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a camera saw lately: where the robot was, and why it was not seen."""

from __future__ import annotations

import time
from collections import deque

import numpy as np

from bea_ros.localization.window import Sighting
from bea_ros.nodes.shared.stamps import SECOND
from bea_ros.tasks import Trajectory

HISTORY = 120_000  # sightings kept: of the longest evaluation at 30 images per second
TRAIL = 60 * SECOND  # ns of sightings shown as the path
POINTS = 150  # of it: messages of 600 poses took a fast simulation 3 % of its time
CARRIED = SECOND * 9 // 10  # ns unseen after which the path begins anew


class Seen:
    """Images in the order of their stamps (ns), each with the robot or the reason why not."""

    def __init__(self) -> None:
        self.sightings: deque[Sighting] = deque(maxlen=HISTORY)
        self.unseen: deque[tuple[int, str]] = deque(maxlen=HISTORY)
        self.twins: deque[tuple[int, str]] = deque(maxlen=HISTORY)
        self.last_image = 0  # ns, stamp
        self.last_wall = time.monotonic()

    def add(self, stamp: int, sighting: Sighting | None, reason: str, twins: bool = False) -> None:
        """Take what an image showed; `reason` is why it shows no robot, or shows it twice."""
        self.last_image, self.last_wall = stamp, time.monotonic()
        if sighting:
            self.sightings.append(sighting)
        else:
            self.unseen.append((stamp, reason))
        if twins:
            self.twins.append((stamp, reason))

    def forget(self) -> None:
        """Begin anew: times no longer compare."""
        self.sightings.clear()
        self.unseen.clear()
        self.twins.clear()

    def reasons(self, start: int, end: int) -> list[str]:
        """Why the robot was not seen from start to end (ns)."""
        return [reason for stamp, reason in self.unseen if start <= stamp <= end]

    def twice(self, start: int, end: int) -> str:
        """Which marker an image from start to end (ns) shows twice, where and when, or nothing."""
        for stamp, reason in self.twins:
            if start <= stamp <= end:
                return f"{reason}, {(stamp - start) / SECOND:.1f} s after the start"
        return ""

    def trail(self) -> list[Sighting]:
        """Where the robot was lately, since it was last carried away: not each sighting."""
        trail: list[Sighting] = []
        for sighting in reversed(self.sightings):
            later = trail[-1].stamp if trail else sighting.stamp
            if later - sighting.stamp > CARRIED or self.last_image - sighting.stamp > TRAIL:
                break
            trail.append(sighting)
        step = -(-len(trail) // POINTS) or 1
        return trail[::step][::-1]


def trajectory_along(trail: list[Sighting]) -> Trajectory:
    """Times from the first sighting on."""
    first = trail[0].stamp
    return Trajectory(
        [(s.stamp - first) / SECOND for s in trail],
        [s.x for s in trail],
        [s.y for s in trail],
        np.unwrap([s.yaw for s in trail]),
    )
