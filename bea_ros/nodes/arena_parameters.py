# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter by which camera and simulator are told about the arena."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bea_ros.localization.arena import Arena, Marker
from bea_ros.nodes.parameters import Parameter
from bea_ros.resources import resource_path
from bea_ros.robots import Robot

ARENA_PARAMETERS = [
    Parameter("arena", "", "YAML file of the arena's size and floor markers; empty: the default"),
]


def arena_of(values: dict[str, Any], robot: Robot) -> Arena:
    """The arena that a node's parameters name, with this robot's marker; raises ArenaError."""
    arena = Arena.load(values["arena"] or resource_path("config/arena.yaml"))
    return replace(arena, robot_marker=Marker(robot.marker.id, robot.marker.size))
