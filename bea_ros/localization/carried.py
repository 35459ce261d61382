# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a hand carried the robot: it moved as it did at no other time of the evaluation.

A gait repeats itself, a hand does not. Each displacement over a short while, in the robot's own
frame, has another one like it at some other time; how much like it is what this gait's own
displacements tell. `bea bench carried` shows how often both go wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bea_ros.images.arrays import Array
from bea_ros.localization.observation import Sighting

SECOND = 10**9  # ns
STEP = 0.25  # s
UNLIKE = {1: 0.055, 2: 0.075, 4: 0.085, 8: 0.09}  # m that displacements over so many steps differ
USUAL = 5.0  # times what they usually do, and besides
USUALLY = 0.8  # quantile
LIFT, LIFT_SHORT = 0.025, 0.25  # m that it rises higher than at any other time; m s
REARED = 0.1  # m from the middle to the end of a body, which rises about the other one
APART = 2.5  # s that make another time, when it rises
START = 1.5  # s in which a gait begins as it never moves again
LEAST = 10.0  # s in which a gait repeats itself


def carried(seen: Sequence[Sighting]) -> tuple[str, float] | None:
    """What a robot cannot have done of itself, and when (s after the first of these sightings).

    None of a short evaluation, or where nothing speaks against the robot.
    """
    t = np.array([sighting.stamp - seen[0].stamp for sighting in seen]) / SECOND
    if t[-1] < LEAST:
        return None
    grid = np.arange(0.0, t[-1], STEP)
    x, y = (np.interp(grid, t, [getattr(s, axis) for s in seen]) for axis in "xy")
    yaw = np.interp(grid, t, np.unwrap([sighting.yaw for sighting in seen]))
    for steps, most in UNLIKE.items():
        unlike = _unlike(_displacements(x, y, yaw, steps), steps)[round(START / STEP) :]
        excess = unlike - USUAL * float(np.quantile(unlike, USUALLY))
        worst = int(excess.argmax())
        if excess[worst] > most:
            what = f"moved {unlike[worst]:.2f} m in {steps * STEP:g} s otherwise than ever else"
            return what, START + worst * STEP
    heights = [sighting.z - REARED * math.sin(sighting.tilt) for sighting in seen]
    if all(math.isfinite(z) for z in heights):
        return _lifted(grid, np.interp(grid, t, heights))
    return None


def _displacements(x: Array, y: Array, yaw: Array, steps: int) -> Array:
    """(n, 2): how far it comes in so many steps, ahead and to the left."""
    dx, dy = x[steps:] - x[:-steps], y[steps:] - y[:-steps]
    c, s = np.cos(yaw[:-steps]), np.sin(yaw[:-steps])
    return np.column_stack([c * dx + s * dy, c * dy - s * dx])


def _unlike(moves: Array, steps: int) -> Array:
    """(n,): how far (m) each displacement (n, 2) is from the one most like it at another time."""
    number = np.arange(len(moves))
    apart = np.linalg.norm(moves[:, None] - moves[None], axis=2)
    apart[np.abs(number[:, None] - number[None]) <= steps] = np.inf
    return apart.min(axis=1)


def _lifted(t: Array, z: Array) -> tuple[str, float] | None:
    """As `carried`, by heights z (m) at t (s)."""
    other = np.where(np.abs(t[:, None] - t[None]) > APART, z[None], -np.inf).max(axis=1)
    higher = np.where(t >= START, z - other, 0.0)
    worst = int(higher.argmax())
    if higher[worst] <= LIFT + LIFT_SHORT / t[-1]:
        return None
    return f"was {higher[worst]:.2f} m higher than at any other time", float(t[worst])
