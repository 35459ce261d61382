# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Physics drawn at random, so that what is learned or tried can be tried in other worlds, too."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from bea_ros.simulation.physics import Physics

# Uniform draws, from low to high: what a floor, a battery and a hobby servo may make of a robot.
RANGES = {
    "friction": (0.5, 1.4),
    "mass_scale": (0.85, 1.4),  # the real modules are heavier than Revolve has them
    "torque_scale": (0.7, 1.2),
    "gain_scale": (0.6, 1.5),
    "servo_delay": (0.0, 0.06),  # s
}


def draw_physics(count: int, seed: int) -> list[Physics]:
    """Physics drawn within RANGES; the first of them are the same whatever the count."""
    rng = np.random.default_rng(seed)
    return [
        Physics(**{name: rng.uniform(low, high) for name, (low, high) in RANGES.items()})
        for _ in range(count)
    ]


def spread_physics(count: int, seed: int) -> list[Physics]:
    """Physics spread evenly over RANGES (a Halton sequence), the first in the middle of them.

    The first are the same whatever the count.
    """
    low, high = np.array(list(RANGES.values())).T
    points = qmc.Halton(len(RANGES), seed=np.random.default_rng(seed)).random(max(count - 1, 0))
    middle = np.full((1, len(RANGES)), 0.5)
    spread = low + (high - low) * np.vstack([middle, points])[:count]
    return [Physics(**dict(zip(RANGES, row, strict=True))) for row in spread.tolist()]
