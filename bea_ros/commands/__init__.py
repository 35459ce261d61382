# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of `bea`, a module each, with `add(commands)` to describe it to the parser."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

ROS = ("rclpy", "bea_ros_interfaces")  # which pip does not install

# By the word behind `bea`, in the order of `bea --help`.
MODULES = {
    "learn": "learn",
    "adapt": "adapt",
    "operator": "operator",
    "replay": "replay",
    "validate": "validate",
    "watch": "runs.watch",
    "report": "runs.report",
    "list": "runs.list_runs",
    "compare": "runs.compare",
    "export": "runs.export",
    "explore": "explore",
    "repertoire": "repertoire",
    "bench": "bench",
    "doctor": "doctor",
    "robots": "robots",
    "markers": "camera.markers",
    "film": "camera.film",
    "calibrate-camera": "camera.calibrate_camera",
    "check-arena": "camera.check_arena",
    "servo": "servo",
    "localize": "camera.localize",
    "gazebo": "gazebo",
}


def commands_for(words: Sequence[str]) -> list[ModuleType]:
    """The command that these words begin with, else all: `bea operator stop` loads no other."""
    asked = [name for name in words[:1] if name in MODULES] or MODULES
    return [import_module(f"{__name__}.{MODULES[name]}") for name in asked]
