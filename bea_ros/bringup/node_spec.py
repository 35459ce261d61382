# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node to start, as plain data, and what all that are started have in common."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bea_ros.nodes.executables import REAL

# The nodes' environment variables; the user's own values override them.
ENVIRONMENT = {
    # Nodes share the machine: one BLAS thread each, which also makes sums reproducible.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    # Physics needs no window; otherwise MuJoCo starts an extra process that looks for one.
    "MUJOCO_GL": "disable",
}


class BringupError(ValueError):
    """Arguments from which no graph can be made; the message is one line."""


@dataclass(frozen=True)
class NodeSpec:
    """A node to start. bea_ros's executables are the modules of bea_ros.nodes.

    The graph ends when an `essential` node ends. If another node ends, it continues.
    """

    executable: str
    parameters: dict[str, Any] = field(default_factory=dict)
    package: str = "bea_ros"
    arguments: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    essential: bool = True


def common(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of every node."""
    robot = {name: arguments[name] for name in ("robot", "generation", "masses")}
    return {**robot, **own_time(arguments)}


def own_time(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameter for a node's time: simulated or system time."""
    return {"use_sim_time": arguments["robot_backend"] not in REAL}


def apart(nodes: Sequence[NodeSpec], arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the nodes with relative names, to which a namespace applies, for tf and /clock.

    So each robot has its own tf tree, and each simulator its own time.
    """
    own = ["tf", "tf_static", *(["clock"] if arguments["robot_backend"] not in REAL else [])]
    relative = {f"/{name}": name for name in own}
    return [
        replace(node, remappings=tuple({**dict(node.remappings), **relative}.items()))
        for node in nodes
    ]


def not_installed(node: NodeSpec) -> BringupError:
    """Return the error of a missing executable of another package, with what installs it."""
    distribution = os.environ.get("ROS_DISTRO", "<distribution>")
    return BringupError(
        f"{node.executable} of package {node.package} is not installed: "
        f"sudo apt install ros-{distribution}-{node.package.replace('_', '-')}"
    )
