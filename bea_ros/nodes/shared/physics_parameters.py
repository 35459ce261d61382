# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a simulator that its twin in the learner has to know."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bea_ros.nodes.shared.parameters import Parameter
from bea_ros.simulation.physics import Physics

CONTROL_RATE = Parameter(
    "control_rate", 20.0, "control periods per second, as the controller's", 4.0, 200.0
)
PHYSICS_PARAMETERS = [
    Parameter("physics.timestep", 0.005, "s", 0.0005, 0.02),
    Parameter("physics.friction", 1.0, "coefficient of sliding friction", 0.01, 5.0),
    Parameter("physics.mass_scale", 1.0, "factor on all masses", 0.1, 10.0),
    Parameter(
        "physics.base_mass_scale",
        1.0,
        "another factor on the mass of base_link and what is fixed to it",
        0.1,
        10.0,
    ),
    Parameter("physics.torque_scale", 1.0, "factor on motors' torque and servos' gain", 0.1, 10.0),
    Parameter("physics.gain_scale", 1.0, "factor on the motors' gain alone", 0.01, 100.0),
    Parameter("physics.servo_delay", 0.0, "s from a command to its effect", 0.0, 0.5),
    Parameter("physics.gravity", 9.81, "m/s^2", 0.001, 30.0),
]


def physics_of(values: dict[str, Any]) -> Physics:
    """Return the physics of a simulator's parameters."""
    return Physics(**{field.name: values[f"physics.{field.name}"] for field in fields(Physics)})
