# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the camera saw in a window of time, as a trajectory, if it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bea_ros.localization.arena import Arena
from bea_ros.tasks import Trajectory

SECOND = 10**9  # ns


class Untrusted(Exception):
    """Why what was seen is no measurement of the robot; the message is for the operator."""


@dataclass(frozen=True)
class Sighting:
    """The robot in one image: base_link at `stamp` (ns) in map (m, rad), and its tilt (rad)."""

    stamp: int
    x: float
    y: float
    yaw: float
    tilt: float


@dataclass(frozen=True)
class Trust:
    """What makes a trajectory a measurement."""

    gap: float = 1.0  # s the robot may go unseen
    tilt: float = math.radians(60)  # more, and it has fallen over
    edge: float = 0.15  # m from the arena's border at which it is leaving
    share: float = 0.5  # of the duration it must stay within that


def at_edge(sighting: Sighting, arena: Arena, trust: Trust) -> bool:
    """Whether the robot is leaving the arena, while it can still be seen."""
    return (
        abs(sighting.x) > arena.width / 2 - trust.edge
        or abs(sighting.y) > arena.depth / 2 - trust.edge
    )


def trajectory_in(
    sightings: Iterable[Sighting], start: int, duration: float, arena: Arena, trust: Trust
) -> Trajectory:
    """The trajectory from `start` (ns) on over `duration` (s); times count from the start.

    Poses at the very start and end are interpolated between sightings where there is none at
    that moment. The trajectory of a robot that leaves the arena ends there. Raises Untrusted when
    the robot was not seen at an end or for too long, left the arena too early, or fell over.
    """
    end = start + round(duration * SECOND)
    seen = sorted(sightings, key=lambda sighting: sighting.stamp)
    leaving = [s.stamp for s in seen if start <= s.stamp < end and at_edge(s, arena, trust)]
    if leaving:
        stayed = (leaving[0] - start) / SECOND
        if stayed < trust.share * duration:
            raise Untrusted(f"the robot came to the arena's edge after {stayed:.1f} s")
        end = leaving[0]
    before = [s for s in seen if s.stamp <= start]
    after = [s for s in seen if s.stamp >= end]
    if not before or not after:
        raise Untrusted(f"the robot was not seen at the {'end' if before else 'start'}")
    inside = [s for s in seen if start < s.stamp < end]
    used = [before[-1], *inside, after[0]]
    stamps = np.array([s.stamp for s in used], dtype=np.int64)
    longest = int(np.diff(stamps).max())
    if longest > trust.gap * SECOND:
        when = (stamps[int(np.diff(stamps).argmax())] - start) / SECOND
        raise Untrusted(
            f"the robot was not seen for {longest / SECOND:.1f} s, {when:.1f} s after the start"
        )
    for sighting in used:
        when = (sighting.stamp - start) / SECOND
        if sighting.tilt > trust.tilt:
            raise Untrusted(
                f"the robot fell over {when:.1f} s after the start "
                f"(tilted by {math.degrees(sighting.tilt):.0f} degrees)"
            )
    t = (stamps - start) / SECOND
    at = np.concatenate([[0.0], t[1:-1], [(end - start) / SECOND]])
    yaw = np.unwrap([s.yaw for s in used])
    return Trajectory(
        at,
        np.interp(at, t, [s.x for s in used]),
        np.interp(at, t, [s.y for s in used]),
        np.interp(at, t, yaw),
    )
