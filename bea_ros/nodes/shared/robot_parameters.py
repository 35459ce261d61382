# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters that several nodes have: of the robot, its arena and camera, and of a simulator."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bea_ros.nodes.shared.parameters import Parameter
from bea_ros.robots import GENERATIONS, MASSES, Robot, load_robot
from bea_ros.robots.cpg import USUAL_GAIN
from bea_ros.robots.motors import MOTORS
from bea_ros.simulation.physics import Physics

ROBOT_PARAMETERS = [
    Parameter("robot", "spider9", "name of a robot (bea robots) or path of a NAME.urdf.xacro"),
    Parameter("generation", "small", "generation of the modules", choices=GENERATIONS),
    Parameter("masses", "nominal", "nominal masses, or those measured", choices=MASSES),
]
ARENA_PARAMETERS = [
    Parameter("arena", "", "YAML file of the arena's size and floor markers; empty: the default"),
]
IMAGE_PARAMETERS = [
    Parameter("reliable_images", True, "QoS of the images; false: best effort (camera drivers)"),
    Parameter("image_transport", "raw", "compressed: listens to image_raw/compressed",
              choices=("raw", "compressed")),
]  # fmt: skip
MOTOR = Parameter("motor", "servo", "motor model of the joints; revolve: the paper's",
                  choices=MOTORS)  # fmt: skip
GAIN = Parameter("gain", USUAL_GAIN, "steepness of the controller's tanh output; a parameter file "
                 "gives it to cpg_controller alone", 0.01, 100.0)  # fmt: skip
# The twin in the learner has to know these of a simulator.
CONTROL_RATE = Parameter(
    "control_rate", 20.0, "control periods per second, as the controller's", 4.0, 200.0
)
PHYSICS_PARAMETERS = [
    Parameter("physics.timestep", 0.005, "s", 0.0005, 0.02),
    Parameter("physics.friction", 1.0, "coefficient of sliding friction", 0.01, 5.0),
    Parameter("physics.mass_scale", 1.0, "factor on all masses", 0.1, 10.0),
    Parameter("physics.base_mass_scale", 1.0, "another factor on the mass of base_link and what "
              "is fixed to it", 0.1, 10.0),
    Parameter("physics.torque_scale", 1.0, "factor on motors' torque and servos' gain", 0.1, 10.0),
    Parameter("physics.gain_scale", 1.0, "factor on the motors' gain alone", 0.01, 100.0),
    Parameter("physics.servo_delay", 0.0, "s from a command to its effect", 0.0, 0.5),
    Parameter("physics.gravity", 9.81, "m/s^2", 0.001, 30.0),
]  # fmt: skip


def robot_of(values: dict[str, Any]) -> Robot:
    """Return the robot named by a node's parameters; raises RobotError."""
    return load_robot(values["robot"], values["generation"], values["masses"])


def physics_of(values: dict[str, Any]) -> Physics:
    """Return the physics of a simulator's parameters."""
    return Physics(**{field.name: values[f"physics.{field.name}"] for field in fields(Physics)})
