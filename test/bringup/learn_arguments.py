# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of a learning run, as nobody changed them, and the names of its nodes."""

from __future__ import annotations

from typing import Any

from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.node_spec import NodeSpec


def arguments(**changes: Any) -> dict[str, Any]:
    defaults = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    return {**defaults, **changes}


def names(nodes: list[NodeSpec]) -> list[str]:
    return [node.executable for node in nodes]
