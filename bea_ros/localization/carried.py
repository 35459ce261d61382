# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Detects that a hand carried the robot: it moved as at no other time of the evaluation.

A gait repeats itself, a hand does not. In a gait, each displacement over a short time, in the
robot's frame, is similar to one at another time. The displacements of the gait itself determine
how similar they must be. `bea bench carried` prints how often carrying is missed, and how often a
gait is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bea_ros.images.arrays import Array
from bea_ros.localization.observation import Sighting
from bea_ros.system.nanoseconds import SECOND

STEP = 0.25  # s
# m by which displacements over this number of steps may differ, ...
UNLIKE = {1: 0.07, 2: 0.09, 4: 0.1, 8: 0.09}
USUAL = 5.0  # ... beyond this multiple of the usual difference
USUALLY = 0.8  # quantile of the usual difference
LIFT, LIFT_SHORT = 0.025, 0.25  # m above the height at all other times; m s
REARED = 0.1  # m from the middle of the body to its end, for a body that rears
APART = 2.5  # s between two different times, for heights
START = 1.5  # s at the start, whose motion does not repeat
LEAST = 10.0  # s, shortest evaluation that is checked


def carried(seen: Sequence[Sighting]) -> tuple[str, float] | None:
    """Return what a hand did, in words, and when (s after the first sighting).

    None if nothing was found, or the evaluation is too short.
    """
    t = np.array([sighting.stamp - seen[0].stamp for sighting in seen]) / SECOND
    if t[-1] < LEAST:
        return None
    grid = np.arange(0.0, t[-1], STEP)
    x, y = (np.interp(grid, t, [getattr(s, axis) for s in seen]) for axis in "xy")
    yaw = np.interp(grid, t, np.unwrap([sighting.yaw for sighting in seen]))
    for steps, most in UNLIKE.items():
        unlike = _unlike(displacements(x, y, yaw, steps), steps)[round(START / STEP) :]
        excess = unlike - USUAL * float(np.quantile(unlike, USUALLY))
        worst = int(excess.argmax())
        if excess[worst] > most:
            what = f"moved {unlike[worst]:.2f} m in {steps * STEP:g} s unlike at any other time"
            return what, START + worst * STEP
    heights = [sighting.z - REARED * math.sin(sighting.tilt) for sighting in seen]
    if all(math.isfinite(z) for z in heights):
        return _lifted(grid, np.interp(grid, t, heights))
    return None


def displacements(x: Array, y: Array, yaw: Array, steps: int) -> Array:
    """Displacements (m) over `steps`, ahead and to the left, shape (n, 2)."""
    dx, dy = x[steps:] - x[:-steps], y[steps:] - y[:-steps]
    c, s = np.cos(yaw[:-steps]), np.sin(yaw[:-steps])
    return np.column_stack([c * dx + s * dy, c * dy - s * dx])


def _unlike(moves: Array, steps: int) -> Array:
    """Distance (m) of each displacement (n, 2) to the most similar one at another time, (n,)."""
    from scipy.spatial import KDTree  # slow to load

    # Of the most similar ones, itself and 2 steps at most are of the same time.
    apart, others = KDTree(moves).query(moves, 2 * steps + 2)
    same = np.abs(others - np.arange(len(moves))[:, None]) <= steps
    return np.where(same, np.inf, apart).min(axis=1)


def _lifted(t: Array, z: Array) -> tuple[str, float] | None:
    """Like `carried`, from heights z (m) at times t (s)."""
    never = [-np.inf]
    highest_before = np.concatenate([never, np.maximum.accumulate(z)])
    highest_from = np.concatenate([np.maximum.accumulate(z[::-1])[::-1], never])
    before, after = np.searchsorted(t, t - APART), np.searchsorted(t, t + APART, "right")
    other = np.maximum(highest_before[before], highest_from[after])
    higher = np.where(t >= START, z - other, 0.0)
    worst = int(higher.argmax())
    if higher[worst] <= LIFT + LIFT_SHORT / t[-1]:
        return None
    return f"was {higher[worst]:.2f} m higher than at any other time", float(t[worst])
