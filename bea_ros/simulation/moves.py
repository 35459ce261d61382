# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a robot moved, in its own frame, to compare it with a simulated one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.carried import displacements

Array = NDArray[np.float64]
# Displacements ahead and to the left (m) and turns (rad), shape (n, 3), by their steps.
Moves = dict[int, Array]

STEP = 0.25  # s
STEPS = (2, 4, 8)
FITTED = 4  # steps of the displacements by which worlds are compared


def moves_of(t: Array, x: Array, y: Array, yaw: Array) -> Moves:
    """Displacements of a trajectory in the robot's own frame, and its turns, at every STEP.

    Args:
        t, x, y, yaw: times (s) from 0 on, positions (m) and headings (rad), shape (n,).
    """
    grid = np.arange(0.0, t[-1] + 1e-6, STEP)
    x, y, yaw = (np.interp(grid, t, one) for one in (x, y, np.unwrap(yaw)))
    return {
        steps: np.column_stack([displacements(x, y, yaw, steps), yaw[steps:] - yaw[:-steps]])
        for steps in STEPS
    }


def apart(moves: Moves, other: Moves, steps: int) -> Array:
    """Distances (m) between displacements, of the time that both have."""
    return np.linalg.norm(_difference(moves, other, steps)[:, :2], axis=1)


def turned_apart(moves: Moves, other: Moves, steps: int) -> Array:
    """Differences (rad) of turns, of the time that both have."""
    return np.abs(_difference(moves, other, steps)[:, 2])


def median_distance(moves: Moves, world: Moves) -> float:
    """The median difference (m) from a simulated world; infinite if that is unstable."""
    return float(np.median(apart(moves, world, FITTED))) if world else np.inf


def _difference(moves: Moves, other: Moves, steps: int) -> Array:
    common = min(len(moves[steps]), len(other[steps]))  # the robot may have left the arena
    return moves[steps][:common] - other[steps][:common]
