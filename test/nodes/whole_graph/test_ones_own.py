# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot and a task of one's own: command line, graph, log and report know them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
from graph import BEA, HANGS, SHORT, learn_command

from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.runs.learned import read_learned

pytestmark = pytest.mark.graph

TASK = """
from bea_ros.tasks import task

@task(duration=20.0, unit="m")
def strolling(trajectory, *, axis="x"):
    x, y = float(trajectory.x[-1] - trajectory.x[0]), float(trajectory.y[-1] - trajectory.y[0])
    return {"fitness": y if axis == "y" else x, "y": y, "poses": len(trajectory.t)}
"""


def block(name: str) -> str:
    """The tutorial's text of the file of that name."""
    tutorial = Path(__file__).resolve().parents[3] / "docs" / "tutorials" / "own_robot.md"
    match = re.search(rf"`{re.escape(name)}`:\n\n((?: {{4}}.*\n)+)", tutorial.read_text())
    assert match, name
    return dedent(match[1])


def learn(command: list[str], folder: Path, tasks: Path) -> None:
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": f"{tasks}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        timeout=HANGS,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr


def test_ones_own_robot_learns_a_task_of_ones_own(tmp_path: Path) -> None:
    """A function and a line make the task. The robot is found from another directory, too."""
    (tmp_path / "sitecustomize.py").write_text(TASK)  # as if it stood in bea_ros/tasks
    for name in ("walker.urdf.xacro", "walker.yaml"):
        (tmp_path / name).write_text(block(name))
    run = tmp_path / "elsewhere" / "run"
    words = ("--robot", "walker.urdf.xacro", "--task", "strolling:axis=y")
    learn(learn_command(run, 4, 1, *words, *SHORT), tmp_path, tmp_path)
    learned = read_learned(run)
    assert learned.request["robot"] == str(tmp_path / "walker.urdf.xacro")
    assert len(learned.weights) == 10
    records = read_evaluations(run)
    assert len(records) == 4
    assert all(record["terms"]["poses"] > 5 for record in records)
    assert len({record["fitness"] for record in records}) == 4
    assert all(record["fitness"] == record["terms"]["y"] for record in records)
    page = (run / "report.html").read_text()
    assert "<h1>walker: strolling" in page
    assert "strolling:axis=y" in page
    more = ["learn", "--output", "run", "--evaluations", "5", "--in-process"]
    learn([*BEA, *more], run.parent, tmp_path)
    assert len(read_evaluations(run)) == 5
