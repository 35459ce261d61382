# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file of learning under launch_testing, ROS 2's own way to test launch files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from installed import prefix_in

pytest.importorskip("launch_testing", reason="launch_testing is not installed")
pytest.importorskip("launch_ros", reason="launch_ros is not installed")


@pytest.mark.graph
def test_a_robot_learns_by_its_launch_file(tmp_path: Path, domain: int) -> None:
    file = Path(__file__).with_name("learning.launch_test.py")
    prefix = f"{prefix_in(tmp_path)}:{os.environ.get('AMENT_PREFIX_PATH', sys.prefix)}"
    environment = {**os.environ, "AMENT_PREFIX_PATH": prefix, "ROS_DOMAIN_ID": str(domain)}
    environment["TMPDIR"] = str(tmp_path)
    command = [sys.executable, "-m", "launch_testing.launch_test", str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
