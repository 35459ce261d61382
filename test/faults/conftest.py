# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Faults are done to nodes, which need ROS 2 and the compiled interfaces."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzzing import tried

collect_ignore_glob = []
if not (find_spec("rclpy") and find_spec("bea_ros_interfaces")):
    print("skipped: tests of faults of nodes (rclpy or bea_ros_interfaces is not installed)")
    fuzzed = [f"fuzz/test_fuzz_{what}.py" for what in ("nodes", "robots", "learner", "bags")]
    collect_ignore_glob = [*fuzzed, "test_faults.py", "test_security.py"]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """In memory where there is such a place: thousands of files follow."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as path:
        yield Path(path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How much was tried."""
    if tried:
        counts = ", ".join(f"{what} {number}" for what, number in sorted(tried.items()))
        terminalreporter.line(f"fuzzed inputs: {counts}; in all {sum(tried.values())}")
