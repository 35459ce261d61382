# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Physics of a simulated world."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Physics:
    """What may differ between worlds, so that a gait can be tried under other physics.

    Raises ValueError for a value that makes no sense.
    """

    timestep: float = 0.005  # s
    friction: float = 1.0  # coefficient of sliding friction of every contact
    mass_scale: float = 1.0
    torque_scale: float = 1.0  # of the motors' full torque and, with it, of a servo's gain
    gain_scale: float = 1.0  # of the motors' gain alone
    servo_delay: float = 0.0  # s from a command to its effect, in whole time steps
    gravity: float = 9.81  # m/s^2

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = "at least" if name == "servo_delay" else "above"
            if not math.isfinite(value) or value < 0 or (value == 0 and least == "above"):
                raise ValueError(f"physics {name} must be {least} 0, not {value}")
