# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md names files, classes and functions that exist; its pictures are current."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from draw_rooms import drawing

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")


def names_in(tree: ast.Module) -> set[str]:
    """Functions and classes of a module, and methods as Class.method."""
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{m.name}" for m in node.body if isinstance(m, ast.FunctionDef)}
    return names


def test_the_names_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    known: set[str] = set()
    for path in (ROOT / "bea_ros").rglob("*.py"):
        known |= names_in(ast.parse(path.read_text()))
    named = set(re.findall(r"`([A-Z]\w+\.\w+|[a-z]\w+_\w+)`", text)) - {"joint_trajectory"}
    rooms = {path.name for path in (ROOT / "bea_ros").iterdir()}
    functions = {name for name in named if "." in name}
    functions |= {name for name in named if name in ("to_weights", "window_of", "robot_graph")}
    assert len(functions) > 12
    assert functions - rooms <= known, functions - known


@pytest.mark.parametrize("page", PAGES)
def test_the_files_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    for name in re.findall(r"[`(\s]((?:[\w.]+/)+[\w.]*\w\.\w+)", text):
        places = [ROOT / name, ROOT / "bea_ros" / name, ROOT / "docs" / name]
        places += [ROOT / "test/faults/kinds" / name, (ROOT / page).parent / name]
        assert "NAME" in name or any(place.exists() for place in places), name


def test_the_picture_of_the_rooms_is_drawn_from_the_table() -> None:
    assert (ROOT / "docs/images/rooms.dot").read_text() == drawing(), (
        "run: python tools/draw_rooms.py > docs/images/rooms.dot; "
        "dot -Tsvg docs/images/rooms.dot -o docs/images/rooms.svg"
    )
