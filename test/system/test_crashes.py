# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that crash, or hang, in a run of pytest with several processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import crashes
import pytest

FINE = "def test_fine():\n    pass\n"
CRASHES = """
import os, pathlib, time

def test_hangs_once():
    if not pathlib.Path("hung").exists():
        pathlib.Path("hung").touch()
        time.sleep(600)

def test_crashes_always():
    os._exit(1)
"""


def test_a_test_that_crashes_is_tried_again_once(tmp_path):
    pytest.importorskip("xdist", "3.8")
    version = tuple(map(int, pytest.__version__.split(".")[:2]))
    if version < (8, 4):
        pytest.skip("pytest before 8.4 ends no process that hangs")
    (tmp_path / "conftest.py").write_text(Path(crashes.__file__).read_text())
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nfaulthandler_timeout=1\nfaulthandler_exit_on_timeout=true\n"
    )
    for name, text in (("a", FINE), ("b", CRASHES + FINE), ("c", FINE)):
        (tmp_path / f"test_{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-rA", "-n", "1", "--dist", "loadfile"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    said = done.stdout
    assert done.returncode == 1, said
    assert "1 failed, 4 passed, 2 skipped" in said
    assert said.count("its process crashed or hung, and it is tried again") == 2
    assert "FAILED test_b.py::test_crashes_always" in said
    assert "Timeout" in done.stderr
