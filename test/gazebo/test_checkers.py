# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""World and robots pass the checkers of the formats' own libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bea_ros.gazebo import write_gazebo
from bea_ros.localization.arena import load_arena
from bea_ros.robots import load_robot, robot_names

ROOT = Path(__file__).resolve().parents[2]
ROBOTS = [(name, kind) for name in robot_names() for kind in ("small", "large")]


def checker() -> list[str]:
    """libsdformat's, of Gazebo or of Debian (ignition-tools with libsdformat-dev)."""
    for tool in ("gz", "ign"):
        if shutil.which(tool):
            return [tool, "sdf", "-k"]
    pytest.skip("no libsdformat: neither gz nor ign is installed")


def check(words: list[str], file: Path) -> str:
    environment = {**os.environ, "LANG": "C.UTF-8"}
    done = subprocess.run(
        [*words, str(file)],
        cwd=file.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
    assert "rror" not in done.stdout.replace("Library error", ""), done.stdout
    assert "arning" not in done.stdout, done.stdout
    return done.stdout


def test_the_committed_world_is_valid_sdf() -> None:
    assert "Valid." in check(checker(), ROOT / "config" / "gazebo" / "arena.sdf")


@pytest.mark.parametrize(("name", "generation"), ROBOTS)
def test_a_world_with_a_robot_is_valid_sdf(name: str, generation: str, tmp_path: Path) -> None:
    robot = load_robot(name, generation)
    world = write_gazebo(tmp_path, load_arena(robot), robot)
    assert "Valid." in check(checker(), world)
    assert "Valid." in check(checker(), tmp_path / f"{name}.urdf")


@pytest.mark.parametrize(("name", "generation"), ROBOTS)
def test_every_urdf_passes_check_urdf(
    name: str, generation: str, tmp_path: Path, check_urdf: str
) -> None:
    robot = load_robot(name, generation)
    write_gazebo(tmp_path, load_arena(robot), robot)
    (tmp_path / "plain.urdf").write_text(robot.urdf)
    for file in ("plain.urdf", f"{name}.urdf"):
        assert "Successfully Parsed XML" in check([check_urdf], tmp_path / file)
