# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Motor models by name.

servo    a hobby servo: torque proportional to the error, up to the joint's effort limit
revolve  the motor of the paper's simulator (Revolve, PositionMotor.cpp and Motor.cpp): each
         command sets a velocity proportional to the error, at most 1 rad/s. The motor holds this
         velocity with at most the joint's effort limit. With servos (Gazebo, a real robot) the
         controller's commands move like this motor
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOTORS = ("servo", "revolve")
REVOLVE_GAIN = 0.9  # P, rad/s per rad of error; I and D are 0
REVOLVE_VELOCITY = 1.0  # rad/s, the default limit of its PID's command


def motor_of(profile: str) -> str:
    """Motor model of an optimizer's profile in simulation."""
    return "servo" if profile == "default" else "revolve"


def check_motor(name: str) -> str:
    """Return the name; raises ValueError if it is not a motor model."""
    if name not in MOTORS:
        raise ValueError(f"unknown motor {name!r}: allowed is one of {', '.join(MOTORS)}")
    return name


def revolve_velocity(error: ArrayLike, gain: float = REVOLVE_GAIN) -> NDArray[np.float64]:
    """Velocity (rad/s) of Revolve's motor for errors (rad), which are target minus angle."""
    return np.clip(gain * np.asarray(error), -REVOLVE_VELOCITY, REVOLVE_VELOCITY)
