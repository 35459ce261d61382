# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recent observations: poses of the robot, and reasons why it was not seen."""

from __future__ import annotations

import time
from collections import deque

from bea_ros.localization.window import Sighting
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks.fitness import LONGEST

KEPT = round((LONGEST + 60.0) * SECOND)  # ns of observations: of the longest evaluation
TRAIL = 60 * SECOND  # ns of sightings shown as the path
POINTS = 150  # of it: messages of 600 poses took a fast simulation 3 % of its time
CARRIED = SECOND * 9 // 10  # ns unseen after which the path begins anew
ENDS = 2 * SECOND  # ns at each end of an evaluation, of which the promptest image counts


class Seen:
    """Observations in the order of their stamps (ns): sightings, or reasons why there are none."""

    def __init__(self) -> None:
        self.sightings: deque[Sighting] = deque()
        self.unseen: deque[tuple[int, str]] = deque()
        self.twins: deque[tuple[int, str]] = deque()
        self.arrivals: deque[tuple[int, int]] = deque()  # ns: stamp, steady clock
        self.last_image = 0  # ns, stamp
        self.last_wall = time.monotonic()

    def add(self, stamp: int, sighting: Sighting | None, reason: str, twins: bool = False) -> None:
        """Add an observation; `reason` says why the robot is not seen, or is seen twice."""
        self.last_image, self.last_wall = stamp, time.monotonic()
        self.arrivals.append((stamp, round(self.last_wall * SECOND)))
        if sighting:
            self.sightings.append(sighting)
        else:
            self.unseen.append((stamp, reason))
        if twins:
            self.twins.append((stamp, reason))
        old = stamp - KEPT
        while self.sightings and self.sightings[0].stamp < old:
            self.sightings.popleft()
        for observations in (self.unseen, self.twins, self.arrivals):
            while observations and observations[0][0] < old:
                observations.popleft()

    def forget(self) -> None:
        """Clear everything, as times cannot be compared any more."""
        self.sightings.clear()
        self.arrivals.clear()
        self.unseen.clear()
        self.twins.clear()

    def reasons(self, start: int, end: int) -> list[str]:
        """Reasons why the robot was not seen from start to end (ns)."""
        return [reason for stamp, reason in self.unseen if start <= stamp <= end]

    def twice(self, start: int, end: int) -> str:
        """Say which marker is in an image twice from start to end (ns); empty if none is."""
        for stamp, reason in self.twins:
            if start <= stamp <= end:
                return f"{reason}, {(stamp - start) / SECOND:.1f} s after the start"
        return ""

    def gained(self, start: int, end: int) -> float:
        """Time (s) that the images' clock gained on a steady one from start to end (ns)."""
        part = min(ENDS, (end - start) // 2)
        first, last = (
            [s - wall for s, wall in self.arrivals if since <= s <= since + part]
            for since in (start, end - part)
        )
        # The promptest image of each end counts: others were delayed.
        return (max(last) - max(first)) / SECOND if first and last else 0.0

    def trail(self) -> list[Sighting]:
        """Recent sightings since the robot was last carried, thinned out."""
        trail: list[Sighting] = []
        for sighting in reversed(self.sightings):
            later = trail[-1].stamp if trail else sighting.stamp
            if later - sighting.stamp > CARRIED or self.last_image - sighting.stamp > TRAIL:
                break
            trail.append(sighting)
        step = -(-len(trail) // POINTS) or 1
        return trail[::step][::-1]
