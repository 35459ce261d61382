#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The picture of the rooms, from the table of who may import whom, for Graphviz:

python tools/draw_rooms.py > docs/images/rooms.dot
dot -Tsvg docs/images/rooms.dot -o docs/images/rooms.svg

An arrow that follows from two others is left out.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "test" / "test_rooms.py"
STYLE = """\
// Made by tools/draw_rooms.py; dot -Tsvg docs/images/rooms.dot -o docs/images/rooms.svg
digraph rooms {
  rankdir=TB; nodesep=0.25; ranksep=0.45; bgcolor=white; pad=0.2;
  node [fontname="Helvetica" fontsize=12 shape=box style="rounded,filled" fillcolor="#e8f0fb"
        color="#3d6db5" margin="0.15,0.08"];
  edge [color="#777777" arrowsize=0.7];
"""


def may_import() -> dict[str, set[str]]:
    """The table, room by room."""
    for node in ast.parse(TABLE.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MAY_IMPORT":
            table: dict[str, str] = ast.literal_eval(node.value)
            return {room: set(others.split()) for room, others in table.items()}
    raise ValueError(f"{TABLE} has no MAY_IMPORT")


def reached(room: str, arrows: dict[str, set[str]]) -> set[str]:
    """Every room that is imported by a room, or by one that it imports, and so on."""
    return arrows[room].union(*(reached(other, arrows) for other in arrows[room]))


def drawing() -> str:
    """The picture, in Graphviz's language."""
    arrows = may_import()
    lines = [STYLE]
    for room, others in arrows.items():
        says = ast.get_docstring(ast.parse((ROOT / "bea_ros" / room / "__init__.py").read_text()))
        what = str(says).split("\n")[0].split(":")[0].split(";")[0].rstrip(".")
        lines.append(f'  {room} [label=<<b>{room}</b>> tooltip="{what}"];')
        indirect: set[str] = set().union(*(reached(other, arrows) for other in others))
        lines += [f"  {room} -> {other};" for other in sorted(others - indirect)]
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    print(drawing(), end="")
