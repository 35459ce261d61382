# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/parameters.md: `python tools/parameter_table.py > docs/parameters.md`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from bea_ros.nodes.executables import MODULES
from bea_ros.nodes.shared.parameters import Parameter

HEAD = """\
# Parameters

The parameters of each node, with defaults and allowed values. A node reads them once, when it
starts, and refuses any other value; only `damage.JOINT` may change later. Every node also has
`use_sim_time`.

Set them in a parameter file: `config:=FILE` for launch files, `--config FILE` for `bea`. An
argument (`evaluations:=300`) overrides the file, and the file overrides the default. When
`bea learn` resumes a run, the run keeps its arguments and the learner's parameters. Options of the
optimizer, for `ros2 launch`:

    learner:
      ros__parameters:
        options: ["compare=parameters"]

(Made by `python tools/parameter_table.py`.)
"""


def parameter_table() -> str:
    """The parameters of all nodes, as Markdown."""
    sections = [HEAD]
    for name, module_name in MODULES.items():
        module = importlib.import_module(module_name)
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
