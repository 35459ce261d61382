# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Physics of a simulated world, also at random, to try gaits under other physics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Ranges = Mapping[str, Sequence[float]]  # of uniform draws: lower and upper bound by name

# Ranges of uniform draws: variation due to floors, batteries and hobby servos, and masses from
# those of the simulated modules to those of the real ones, which are twice as heavy.
RANGES: Ranges = {
    "friction": (0.5, 1.4),
    "mass_scale": (0.85, 2.2),
    "torque_scale": (0.6, 1.2),
    "gain_scale": (0.6, 1.5),
    "servo_delay": (0.0, 0.06),  # s
}


def stored(ranges: Ranges) -> dict[str, list[float]]:
    """Return ranges as they are read from JSON and YAML."""
    return {name: list(bounds) for name, bounds in ranges.items()}


@dataclass(frozen=True)
class Physics:
    """Parameters that may differ between worlds.

    Raises ValueError for a value that is not allowed.
    """

    timestep: float = 0.005  # s
    friction: float = 1.0  # coefficient of sliding friction of every contact
    mass_scale: float = 1.0
    base_mass_scale: float = 1.0  # of base_link and what is fixed to it, on top of mass_scale
    torque_scale: float = 1.0  # of the motors' full torque and, with it, of a servo's gain
    gain_scale: float = 1.0  # of the motors' gain alone
    servo_delay: float = 0.0  # s from a command to its effect, in whole time steps
    gravity: float = 9.81  # m/s^2

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = "at least" if name == "servo_delay" else "above"
            if not math.isfinite(value) or value < 0 or (value == 0 and least == "above"):
                raise ValueError(f"physics {name} must be {least} 0, not {value}")


def draw_physics(count: int, seed: int, ranges: Ranges = RANGES) -> list[Physics]:
    """Physics drawn within ranges; the first ones do not depend on `count`.

    Raises ValueError if the ranges are not possible.
    """
    rng = np.random.default_rng(seed)
    try:
        return [
            Physics(**{name: rng.uniform(low, high) for name, (low, high) in ranges.items()})
            for _ in range(count)
        ]
    except (TypeError, ValueError, ArithmeticError):
        raise ValueError(f"impossible ranges of physics: {ranges}") from None


def spread_physics(count: int, rng: np.random.Generator, ranges: Ranges = RANGES) -> list[Physics]:
    """Physics spread evenly over ranges (a Halton sequence), the first in the middle of them.

    The first ones do not depend on `count`.
    """
    from scipy.stats import qmc  # imported here: it takes a second, and most nodes do not need it

    low, high = np.array(list(ranges.values())).T
    points = qmc.Halton(len(ranges), seed=rng).random(max(count - 1, 0))
    middle = np.full((1, len(ranges)), 0.5)
    spread = low + (high - low) * np.vstack([middle, points])[:count]
    return [Physics(**dict(zip(ranges, row, strict=True))) for row in spread.tolist()]
