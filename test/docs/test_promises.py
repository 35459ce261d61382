# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tests that the pages name for what they promise are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# `file.py`, `file.py::test`, `file.py::its_beginning…`, and `…part_of_a_name…` of a file before.
NAMED = re.compile(r"`(?:([\w/]*test_\w+\.py)(?:::(\w+)(…?))?|…(\w+)…)`")


@pytest.mark.parametrize("page", ["reliability.md", "security.md"])
def test_a_promise_names_tests_that_exist(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    names: list[str] = []
    count = 0
    for file, name, begins, part in NAMED.findall(text):
        count += 1
        if file:
            found = [p for p in (ROOT / "test").rglob("test_*.py") if str(p).endswith(f"/{file}")]
            assert found, f"{file} is not there"
            names = re.findall(r"def (test_\w+)\(", "".join(p.read_text() for p in found))
        if name and not begins:
            assert name in names, f"{file} has no {name}"
        elif name:
            assert any(one.startswith(name) for one in names), f"{file} has no {name}…"
        elif part:
            assert any(part in one for one in names), f"no test before has …{part}…"
    assert count >= 10
