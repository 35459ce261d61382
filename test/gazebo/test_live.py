# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot learns in Gazebo, for real, where Gazebo is installed.

GAZEBO_RENDER_ENGINE (ogre2 or ogre) chooses what draws the camera's images; Ogre 1 needs a display
and gets one from xvfb-run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from python_bridge import bindings

from bea_ros.robots import robot_names
from bea_ros.runs.folder.run_folder import read_evaluations, read_trajectories

ENGINE = os.environ.get("GAZEBO_RENDER_ENGINE", "ogre2")
BRIDGE = Path(__file__).with_name("python_bridge.py")

pytestmark = pytest.mark.graph


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `bea learn` finds ros_gz_bridge with, or what stands in for it."""
    if shutil.which("gz") is None:
        pytest.skip("Gazebo is not installed: no gz")
    if b"sim" not in subprocess.run(["gz", "--commands"], capture_output=True).stdout:
        pytest.skip("Gazebo is not installed: gz has no sim")
    from ament_index_python.packages import get_package_prefix

    try:
        get_package_prefix("ros_gz_bridge")
        return dict(os.environ)
    except (LookupError, OSError):
        pass
    try:
        bindings()
    except ImportError as error:
        pytest.skip(f"neither ros_gz_bridge nor gz-transport's Python bindings: {error}")
    prefix = tmp_path_factory.mktemp("prefix")
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "ros_gz_bridge").touch()
    program = prefix / "lib" / "ros_gz_bridge" / "parameter_bridge"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{BRIDGE}" "$@"\n')
    program.chmod(0o755)
    known = os.environ.get("AMENT_PREFIX_PATH", sys.prefix)
    return {**os.environ, "AMENT_PREFIX_PATH": f"{prefix}{os.pathsep}{known}"}


def learn(folder: Path, environment: dict[str, str], *more: str) -> subprocess.CompletedProcess:
    words = [
        sys.executable, "-m", "bea_ros", "learn", "--robot-backend", "gazebo", "--headless",
        "--render-engine", ENGINE, "--output", str(folder), *more,
    ]  # fmt: skip
    if ENGINE == "ogre" and not os.environ.get("DISPLAY"):
        if shutil.which("xvfb-run") is None:
            pytest.skip("Ogre 1 needs a display, or xvfb-run (apt install xvfb)")
        words = ["xvfb-run", "-a", *words]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("robot", robot_names())
def test_a_robot_learns_in_gazebo(robot: str, environment: dict[str, str], tmp_path: Path) -> None:
    short = (
        "--evaluations",
        "3",
        "--duration",
        "3",
        "--algorithm",
        "bo",
        "--option",
        "initial_samples=2",
    )
    done = learn(tmp_path, environment, "--robot", robot, *short)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    complaints = [line for line in lines if "[Wrn]" in line or "[Err]" in line]
    # A busy machine lets Gazebo fall behind the controller, which is no fault of the world's.
    assert [line for line in complaints if "while executing a previous" not in line] == []
    assert len(read_evaluations(tmp_path)) == 3
    for evaluation, trajectory in read_trajectories(tmp_path).items():
        # Each began where the robot is put back, at rest, and went somewhere.
        assert np.hypot(trajectory.x[0], trajectory.y[0]) < 0.05, evaluation
        assert np.hypot(np.ptp(trajectory.x), np.ptp(trajectory.y)) > 0.002, evaluation
