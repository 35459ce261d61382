# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/parameters.md: `python -m bea_ros.nodes.parameter_table > docs/parameters.md`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from bea_ros.nodes.executables import NODES
from bea_ros.nodes.parameters import Parameter

HEAD = """\
# Parameters

Every node's parameters, with their defaults and what is allowed; each is fixed from the node's
start on, and anything else is refused there. `use_sim_time` is every node's as well.

Give them in a parameter file (`config:=FILE` to the launch files, `--config FILE` to `bea`). What
has an argument of its own (`ros2 launch bea_ros learn_gait.launch.py --show-args`) is taken from
there.

(Made by `python -m bea_ros.nodes.parameter_table`.)
"""


def parameter_table() -> str:
    """The parameters of all nodes, as Markdown."""
    sections = [HEAD]
    for name in NODES:
        module = importlib.import_module(f"bea_ros.nodes.{name}")
        sections.append(
            f"## {name}\n\n{str(module.__doc__).splitlines()[0]}\n\n{_rows(module.PARAMETERS)}"
        )
    return "\n".join(sections)


def _rows(parameters: Sequence[Parameter]) -> str:
    lines = ["| parameter | default | allowed | what |", "| --- | --- | --- | --- |"]
    for p in parameters:
        default = "" if p.default in ("", [""]) else f"`{_word(p.default)}`"
        lines.append(f"| `{p.name}` | {default} | {p.allowed} | {p.description} |")
    return "\n".join(lines) + "\n"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    print(parameter_table(), end="")
