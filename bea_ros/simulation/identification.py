# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the physics of a robot from how it moves (system identification)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.simulation import physics
from bea_ros.simulation.physics import Physics, spread_physics

Array = NDArray[np.float64]

WORLDS = 9  # the usual one, and others that are spread over RANGES
RANGES: physics.Ranges = {**physics.RANGES, "base_mass_scale": (0.8, 3.0)}
LOW, HIGH = np.array(list(RANGES.values())).T
WEIGHTS = np.array([0.5, 0.3, 0.15, 0.05])  # of the best worlds, in the mean of the next ones
STEP, SHRINKING, LEAST = 0.25, 0.9, 0.03  # step size in parts of a range: first, factor, least


class Identification:
    """Worlds that become more like the robot's, a generation with each call of `learn`.

    An evolution strategy: the best world stays, and others are drawn around the weighted mean of
    the best.
    """

    def __init__(self, rng: np.random.Generator, state: Mapping[str, Any] | None = None) -> None:
        """Begin, or continue from a `state` with the draws of `rng`."""
        self._rng, self._step = rng, STEP
        if state is None:
            self.worlds = [Physics(), *spread_physics(WORLDS - 1, rng, RANGES)]
        else:
            self.worlds, self._step = _worlds(state["worlds"]), state["step"]

    def state(self) -> dict[str, Any]:
        """Return what to continue from, as JSON types."""
        return {"worlds": _points(self.worlds).tolist(), "step": self._step}

    def learn(self, errors: Array) -> None:
        """Learn how much the robot differed from each of the `worlds` (m), shape (WORLDS,).

        The next ones are the best of them, then the mean, then those around it.
        """
        ranked = [self.worlds[number] for number in np.argsort(errors)[: len(WEIGHTS)]]
        best = _points(ranked)
        mean = WEIGHTS @ best
        self._step = max(self._step * SHRINKING, LEAST)
        steps = self._rng.standard_normal((WORLDS - 2, len(mean)))
        drawn = mean + self._step * (HIGH - LOW) * steps
        points = np.clip(np.vstack([best[0], mean, drawn]), LOW / 2, 2 * HIGH)
        self.worlds = _worlds(points.tolist())


def _points(worlds: Sequence[Physics]) -> Array:
    """The parameters of m worlds that are identified, shape (m, len(RANGES))."""
    return np.array([[vars(world)[name] for name in RANGES] for world in worlds])


def _worlds(points: Sequence[Sequence[float]]) -> list[Physics]:
    return [Physics(**dict(zip(RANGES, point, strict=True))) for point in points]
