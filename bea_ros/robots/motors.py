# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Motor models by name.

servo    what a hobby servo does: torque proportional to its error, up to the joint's effort limit
revolve  what the paper's simulator had (Revolve, PositionMotor.cpp and Motor.cpp): each command
         sets a velocity proportional to the error, at most 1 rad/s, which the motor holds with at
         most the joint's effort limit. Where joints have servos (Gazebo, a real robot) it is
         the controller's commands that move so
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOTORS = ("servo", "revolve")
REVOLVE_GAIN = 0.9  # rad/s per rad of error: its P; I and D are 0
REVOLVE_VELOCITY = 1.0  # rad/s: the limits of its PID's command, which nobody set otherwise


def motor_of(profile: str) -> str:
    """The motor model of an optimizer's profile, in simulation."""
    return "servo" if profile == "default" else "revolve"


def check_motor(name: str) -> str:
    """The name, if it is that of a motor model; raises ValueError."""
    if name not in MOTORS:
        raise ValueError(f"unknown motor {name!r}: allowed is one of {', '.join(MOTORS)}")
    return name


def revolve_velocity(error: ArrayLike, gain: float = REVOLVE_GAIN) -> NDArray[np.float64]:
    """Velocity (rad/s) that Revolve's motor is set to for errors (rad): target less angle."""
    return np.clip(gain * np.asarray(error), -REVOLVE_VELOCITY, REVOLVE_VELOCITY)
