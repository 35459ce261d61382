# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""rviz, and the nodes that publish its scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bea_ros.bringup.node_spec import NodeSpec, apart, common, own_time
from bea_ros.system.resources import resource_path

ROOM = 1.0  # m between two arenas, for the first one's text
RVIZ_PACE = 4.0  # real-time factor that rviz can follow


def rviz_graph(arguments: Mapping[str, Any], essential: bool = True) -> list[NodeSpec]:
    """Return rviz and the nodes that complete its scene, beside the robot's own nodes."""
    beside = arguments.get("second", "")
    layout = resource_path("config/two_robots.rviz" if beside else "config/learn.rviz")
    nodes = _shown(arguments)
    if beside:
        nodes += _second(arguments, *beside.partition("=")[::2])
    nodes.append(
        NodeSpec("rviz2", own_time(arguments), package="rviz2", arguments=("-d", str(layout)))
    )
    return apart([replace(node, essential=essential) for node in nodes], arguments)


def _shown(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the nodes that publish a robot's scene."""
    from bea_ros.robots import load_robot
    from bea_ros.robots.footprint import with_footprint

    shown = load_robot(arguments["robot"], arguments["generation"], arguments["masses"])
    model = {"robot_description": with_footprint(shown), **own_time(arguments)}
    return [
        NodeSpec("monitor", {**common(arguments), "arena": arguments["arena"]}),
        NodeSpec("robot_state_publisher", model, package="robot_state_publisher"),
    ]


def _second(arguments: Mapping[str, Any], namespace: str, robot: str) -> list[NodeSpec]:
    """Return the nodes of a second robot's scene, with its own frames and topics."""
    from bea_ros.localization.arena import load_arena
    from bea_ros.robots import load_robot

    theirs = f"/{namespace.strip('/')}"
    ours = {"monitor": ("markers", "learner/status")}
    ours["robot_state_publisher"] = ("robot_description", "joint_states")
    arena = load_arena(load_robot(arguments["robot"]), arguments["arena"])
    beside = {"of": theirs, "beside": arena.depth + ROOM}
    nodes = [NodeSpec("second_robot", {**beside, **own_time(arguments)})]
    for node in _shown({**arguments, "robot": robot or arguments["robot"]}):
        said, heard = ours[node.executable]
        names = (("__node", f"second_{node.executable}"), (said, f"second/{said}"))
        remapped = (*names, (heard, f"{theirs}/{heard}"))
        parameters = {**node.parameters, "frame_prefix": "second/"}
        nodes.append(replace(node, parameters=parameters, remappings=remapped))
    return nodes
