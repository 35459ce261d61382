# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Records and trajectories as a learner writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bea_ros.tasks import Trajectory


def record(number: int) -> dict[str, Any]:
    """The log's record of an evaluation: the later, the fitter."""
    return {
        "evaluation": number, "stage": "initial", "parameters": {"leg_00": number / 30},
        "fitness": 0.01 * number, "terms": {"duration": 2.0}, "attempts": 1,
        "time": {"at": "2026-01-01T00:00:00", "overhead": 0.001, "evaluation": 0.5,
                 "interruptions": 0},
    }  # fmt: skip


def trajectory(number: int, turn: float = 0.1) -> Trajectory:
    """Its trajectory, of four poses in two seconds, turning by so many rad a second."""
    t = np.linspace(0, 2, 4)
    return Trajectory(t, 0.01 * number * t, 0.0 * t, turn * t)
