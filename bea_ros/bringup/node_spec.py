# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node to start, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bea_ros.nodes.executables import REAL


class BringupError(ValueError):
    """Arguments that make no graph; the message is one line."""


@dataclass(frozen=True)
class NodeSpec:
    """A node to start. bea_ros's executables are the modules of bea_ros.nodes.

    The graph ends with an `essential` node; without another one it goes on.
    """

    executable: str
    parameters: dict[str, Any] = field(default_factory=dict)
    package: str = "bea_ros"
    arguments: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    essential: bool = True


def common(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of every node."""
    robot = {name: arguments[name] for name in ("robot", "generation", "masses")}
    return {**robot, **own_time(arguments)}


def own_time(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Whose time a node goes by: a simulation's, or that of the day."""
    return {"use_sim_time": arguments["robot_backend"] not in REAL}


def apart(nodes: Sequence[NodeSpec], arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The nodes with names that a namespace applies to, also where ROS has absolute ones.

    So each robot has its own tf tree, and each simulator's time is its own.
    """
    own = ["tf", "tf_static", *(["clock"] if arguments["robot_backend"] not in REAL else [])]
    relative = {f"/{name}": name for name in own}
    return [
        replace(node, remappings=tuple({**dict(node.remappings), **relative}.items()))
        for node in nodes
    ]
