# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""rviz, and the nodes that make what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bea_ros.bringup.node_spec import NodeSpec, apart, common, own_time
from bea_ros.system.resources import resource_path

ROOM = 1.0  # m between two arenas, for the text of the first
RVIZ_PACE = 4.0  # simulated s per s that rviz can follow


def rviz_graph(arguments: Mapping[str, Any], essential: bool = True) -> list[NodeSpec]:
    """rviz, and what it shows beside what the robot's own nodes publish."""
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
    """What makes the scene of a robot."""
    from bea_ros.robots import load_robot
    from bea_ros.robots.footprint import with_footprint

    shown = load_robot(arguments["robot"], arguments["generation"], arguments["masses"])
    model = {"robot_description": with_footprint(shown), **own_time(arguments)}
    return [
        NodeSpec("monitor", {**common(arguments), "arena": arguments["arena"]}),
        NodeSpec("robot_state_publisher", model, package="robot_state_publisher"),
    ]


def _second(arguments: Mapping[str, Any], namespace: str, robot: str) -> list[NodeSpec]:
    """What makes the scene of a second robot, with frames and topics of its own."""
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
