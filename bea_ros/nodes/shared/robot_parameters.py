# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the robot (its name, motors and gain), of its arena and of the camera."""

from __future__ import annotations

from typing import Any

from bea_ros.nodes.shared.parameters import Parameter
from bea_ros.robots import GENERATIONS, MASSES, Robot, load_robot
from bea_ros.robots.cpg import USUAL_GAIN
from bea_ros.robots.motors import MOTORS

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


def robot_of(values: dict[str, Any]) -> Robot:
    """Return the robot named by a node's parameters; raises RobotError."""
    return load_robot(values["robot"], values["generation"], values["masses"])
