# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Computes fitness from sightings, in the same way for a live robot and for a recording."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bea_ros.localization.arena import Arena
from bea_ros.localization.window import Sighting, Trust, Window, window_of
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Fitness, Task

_USUAL = Trust()


class Referee:
    """Measures the robot in an arena, with the parameters of camera_localization.

    It uses `dropout`, `tilt`, `edge` and `jump`; a missing one has its default.
    """

    def __init__(self, parameters: Mapping[str, Any], arena: Arena) -> None:
        self.arena = arena
        self.trust = Trust(
            parameters.get("dropout", _USUAL.gap),
            math.radians(parameters.get("tilt", math.degrees(_USUAL.tilt))),
            parameters.get("edge", _USUAL.edge),
            jump=parameters.get("jump", _USUAL.jump),
        )

    def measure(
        self, task: Task, sightings: Iterable[Sighting], start: int, duration: float
    ) -> tuple[Fitness, Window]:
        """The fitness from `start` (ns) on over `duration` (s), and the window that it is of.

        Raises Untrusted if the sightings are no measurement of the robot.
        """
        trust = self.trust
        if task.turns:
            trust = replace(trust, gap=min(trust.gap, trust.half_turn))
        since = start - trust.gap * SECOND
        seen = [sighting for sighting in sightings if sighting.stamp >= since]
        window = window_of(seen, start, duration, self.arena, trust)
        return task.evaluate(window.trajectory, duration), window
