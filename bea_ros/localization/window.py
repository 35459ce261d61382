# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's trajectory in a window of time, from its sightings, if they can be trusted."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bea_ros.localization.arena import Arena
from bea_ros.localization.carried import carried
from bea_ros.localization.observation import Sighting
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Trajectory


class Untrusted(Exception):
    """The sightings are no measurement of the robot; the message says why, for the operator."""


class Tumbled(Untrusted):
    """The robot fell over or was out of sight, which a candidate may cause at each attempt."""


class OutOfSight(Tumbled):
    """The robot was not seen for too long."""


def blame(why: Exception, unseen: Iterable[str]) -> tuple[str, bool]:
    """Why an evaluation is no measurement, in words, and whether its candidate may have caused it.

    `unseen` has the reason of each image without the robot.
    """
    reasons = Counter(unseen)
    # Without images it is not the robot that was out of sight.
    blind = isinstance(why, OutOfSight) and not reasons
    most = f" ({reasons.most_common(1)[0][0]})" if reasons else ""
    return f"{why}{most}", isinstance(why, Tumbled) and not blind


@dataclass(frozen=True)
class Trust:
    """Conditions under which a trajectory is a measurement."""

    gap: float = 1.0  # s for which the robot may be unseen
    tilt: float = math.radians(60)  # above which the robot has fallen over
    edge: float = 0.15  # m from the arena's border, nearer than which the robot is leaving
    # A robot that leaves has stayed for this share of the duration, or else has walked this share
    # of the way from the middle to the edge.
    share: float = 0.5
    # Between two sightings it moves by at most `jump` + `speed` * time; its turns likewise.
    jump: float = 0.2  # m
    speed: float = 0.25  # m/s; twice the study's fastest make 0.22 for a second
    turn: float = 0.7  # rad
    turn_rate: float = 2.4  # rad/s; the study's fastest make 2

    @property
    def half_turn(self) -> float:
        """s in which the robot may make half a turn: which way it turned is then unknown."""
        return math.pi / self.turn_rate


def at_edge(sighting: Sighting, arena: Arena, trust: Trust) -> bool:
    """Whether the robot is leaving the arena, while it can still be seen."""
    return (
        abs(sighting.x) > arena.width / 2 - trust.edge
        or abs(sighting.y) > arena.depth / 2 - trust.edge
    )


@dataclass(frozen=True)
class Window:
    """The sightings of an evaluation: the last one before it, those within, and the next one.

    It lasts from `start` to `end` (ns).
    """

    seen: Sequence[Sighting]
    start: int
    end: int

    @cached_property
    def trajectory(self) -> Trajectory:
        """Poses at the sightings, and between them at the start and the end; times from 0 on."""
        t = np.array([s.stamp - self.start for s in self.seen], dtype=np.int64) / SECOND
        at = np.concatenate([[0.0], t[1:-1], [(self.end - self.start) / SECOND]])
        yaw = np.unwrap([s.yaw for s in self.seen])
        return Trajectory(
            at,
            np.interp(at, t, [s.x for s in self.seen]),
            np.interp(at, t, [s.y for s in self.seen]),
            np.interp(at, t, yaw),
        )

    @property
    def suspicion(self) -> str:
        """Say that a hand may have carried the robot, or ""; a rare gait looks so as well."""
        found = carried(self.seen)
        if found is None:
            return ""
        what, when = found
        since = (self.seen[0].stamp - self.start) / SECOND + when
        return f"the robot {what}, {since:.1f} s after the start: it was carried"


def window_of(
    sightings: Iterable[Sighting], start: int, duration: float, arena: Arena, trust: Trust
) -> Window:
    """The sightings from `start` (ns) on over `duration` (s).

    If the robot leaves the arena, the window ends there. Raises Untrusted if the robot was not
    seen at the start, at the end or for too long, fell over, moved further than it can, or came to
    the arena's edge early without having walked far.
    """
    seen = sorted(sightings, key=lambda sighting: sighting.stamp)
    end = _end(seen, start, duration, arena, trust)
    before = [s for s in seen if s.stamp <= start]
    after = [s for s in seen if s.stamp >= end]
    if not before:
        raise Untrusted("the robot was not seen at the start")
    if not after:
        last = (seen[-1].stamp - start) / SECOND
        since = f", nor after {last:.1f} s" if last > 0 else ""
        raise OutOfSight(f"the robot was not seen at the end{since}")
    inside = [s for s in seen if start < s.stamp < end]
    used = [before[-1], *inside, after[0]]
    stamps = np.array([s.stamp for s in used], dtype=np.int64)
    longest = int(np.diff(stamps).max())
    if longest > trust.gap * SECOND:
        when = (stamps[int(np.diff(stamps).argmax())] - start) / SECOND
        raise OutOfSight(
            f"the robot was not seen for {longest / SECOND:.1f} s, {when:.1f} s after the start"
        )
    _check_moves(used, start, trust)
    return Window(used, start, end)


def _end(seen: Sequence[Sighting], start: int, duration: float, arena: Arena, trust: Trust) -> int:
    """When an evaluation ends (ns): after its duration, or when the robot comes to the edge.

    Raises Untrusted if it comes there early without having walked far: it began near the edge.
    """
    end = start + round(duration * SECOND)
    inside = [s for s in seen if start <= s.stamp < end]
    leaving = next((s for s in inside if at_edge(s, arena, trust)), None)
    if leaving is None:
        return end
    stayed = (leaving.stamp - start) / SECOND
    came = math.hypot(leaving.x - inside[0].x, leaving.y - inside[0].y)
    way = max(min(arena.width, arena.depth) / 2 - trust.edge, trust.jump)
    walked = trust.share * way < came < trust.jump + trust.speed * stayed
    if stayed < trust.share * duration and not walked:
        raise Untrusted(
            f"the robot came to the arena's edge after {stayed:.1f} s and {came:.2f} m"
        )
    return leaving.stamp


def _check_moves(seen: Sequence[Sighting], start: int, trust: Trust) -> None:
    """Raise Untrusted if the robot fell over, or moved or turned further than it can.

    Motion is checked from image to image and, as a hand may be slow, from second to second.
    """
    if seen[0].tilt > trust.tilt:
        raise Untrusted("the robot lay on its side at the start")
    stamps = [sighting.stamp for sighting in seen]
    for number, sighting in enumerate(seen):
        if sighting.tilt > trust.tilt:
            when = (sighting.stamp - start) / SECOND
            raise Tumbled(
                f"the robot fell over {when:.1f} s after the start "
                f"(tilted by {math.degrees(sighting.tilt):.0f} degrees)"
            )
        a_second_before = bisect_right(stamps, sighting.stamp - SECOND) - 1
        for before in (number - 1, a_second_before):
            _check_carried(seen[max(before, 0)], sighting, start, trust)


def _check_carried(before: Sighting, sighting: Sighting, start: int, trust: Trust) -> None:
    passed = (sighting.stamp - before.stamp) / SECOND
    moved = math.hypot(sighting.x - before.x, sighting.y - before.y)
    turned = abs(math.remainder(sighting.yaw - before.yaw, math.tau))
    if moved > trust.jump + trust.speed * passed:
        what = f"moved {moved:.2f} m"
    elif turned > trust.turn + trust.turn_rate * passed:
        what = f"turned by {math.degrees(turned):.0f} degrees"
    else:
        return
    when = (before.stamp - start) / SECOND
    raise Untrusted(
        f"the robot {what} in {passed:.2f} s, {when:.1f} s after the start: it was carried"
    )
