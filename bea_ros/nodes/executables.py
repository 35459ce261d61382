# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Entry points for `ros2 run` and `ros2 launch`.

If a node is interrupted while it still loads, its process ends without a message.
"""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable

MODULES = {
    "learner": "bea_ros.nodes.learner.node",
    "validator": "bea_ros.nodes.validator",
    "cpg_controller": "bea_ros.nodes.cpg_controller",
    "simulator": "bea_ros.nodes.simulator.node",
    "camera_localization": "bea_ros.nodes.camera_localization.node",
    "monitor": "bea_ros.nodes.monitor",
    "second_robot": "bea_ros.nodes.second_robot",
    "gazebo": "bea_ros.nodes.gazebo",
    "recorder": "bea_ros.nodes.recorder",
    "page": "bea_ros.nodes.page.node",
    "servo_driver": "bea_ros.nodes.servo_driver",
    "ros2_control_driver": "bea_ros.nodes.ros2_control_driver.node",
}
NODES = tuple(MODULES)
NAMES = {module: name for name, module in MODULES.items()}  # by module
REAL = ("hardware", "ros2_control")  # backends of real robots
BACKENDS = ("simulator", "gazebo", *REAL)  # what moves the joints


def _executable(name: str) -> Callable[[], int]:
    def main() -> int:
        # Loading takes a second or more; a traceback from the middle of it would not help.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(0))
        return int(importlib.import_module(MODULES[name]).main())

    return main


def __getattr__(name: str) -> Callable[[], int]:
    """Return the entry point of a node by its name."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _executable(name)
