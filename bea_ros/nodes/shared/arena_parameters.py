# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter that names the arena."""

from __future__ import annotations

from typing import Any

from bea_ros.localization.arena import Arena, load_arena
from bea_ros.nodes.shared.parameters import Parameter
from bea_ros.robots import Robot

ARENA_PARAMETERS = [
    Parameter("arena", "", "YAML file of the arena's size and floor markers; empty: the default"),
]


def arena_of(values: dict[str, Any], robot: Robot) -> Arena:
    """Return the arena that parameters name, with this robot's marker; raises ArenaError."""
    return load_arena(robot, values["arena"])
