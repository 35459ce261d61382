# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a real robot's devices: the driver of its joints, and that of its camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bea_ros.bringup.arguments import CAMERA_ARGUMENTS, CONTROLLER, SERVOS, Argument
from bea_ros.bringup.camera_drivers import driver_of
from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.nodes.executables import REAL

DRIVERS = {  # of real joints: the node, and its own argument
    "hardware": ("servo_driver", SERVOS),
    "ros2_control": ("ros2_control_driver", CONTROLLER),
}


def joint_driver(arguments: Mapping[str, Any], robot: Mapping[str, Any]) -> NodeSpec:
    """Return the driver of a real robot's joints."""
    node, own = DRIVERS[arguments["robot_backend"]]
    return NodeSpec(node, {**robot, own.name: arguments[own.name]})


def refuse_devices(arguments: Mapping[str, Any]) -> None:
    """Raise BringupError for arguments of devices that this backend does not have."""
    backend = arguments["robot_backend"]
    own: list[tuple[Sequence[Argument], str, bool]]
    own = [(CAMERA_ARGUMENTS, " or ".join(REAL), backend in REAL)]
    own += [((its,), name, backend == name) for name, (_, its) in DRIVERS.items()]
    for devices, whose, allowed in own:
        for one in devices:
            if not allowed and arguments[one.name] != one.default:
                raise BringupError(
                    f"{one.name} {arguments[one.name]} is for robot_backend {whose}: "
                    "others have their own"
                )


def camera_driver(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the camera's driver, or nothing if none is asked for; raises CameraInfoError."""
    name = arguments["camera"]
    if name == "none":
        return []
    chosen = (arguments[key] for key in ("camera_device", "camera_info", "image_transport"))
    return [driver_of(name, *chosen)]
