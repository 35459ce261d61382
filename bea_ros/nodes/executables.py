# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What `ros2 run` and `ros2 launch` start: each node in a process that ends without a word when it
is interrupted while it still loads.
"""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable

NODES = (
    "learner",
    "validator",
    "cpg_controller",
    "simulator",
    "camera_localization",
    "monitor",
    "gazebo",
    "recorder",
    "servo_driver",
)


def _executable(name: str) -> Callable[[], int]:
    def main() -> int:
        # Loading takes a second or more; an exception in the middle of it would tell nothing.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(0))
        return int(importlib.import_module(f"bea_ros.nodes.{name}").main())

    return main


(
    learner,
    validator,
    cpg_controller,
    simulator,
    camera_localization,
    monitor,
    gazebo,
    recorder,
    servo_driver,
) = map(_executable, NODES)
