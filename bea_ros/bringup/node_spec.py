# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node to start, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
