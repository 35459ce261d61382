# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A task of one's own is one decorated function: command line, graph, log and report know it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from graph import HANGS, SHORT, learn_command

from bea_ros.runs.folder.run_folder import read_evaluations

pytestmark = pytest.mark.graph

TASK = """
from bea_ros.tasks import task

@task(duration=20.0, unit="m")
def strolling(trajectory, *, axis="x"):
    x, y = float(trajectory.x[-1] - trajectory.x[0]), float(trajectory.y[-1] - trajectory.y[0])
    return {"fitness": y if axis == "y" else x, "y": y, "poses": len(trajectory.t)}
"""


def test_a_function_and_a_line_make_a_task(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(TASK)  # as if it stood in bea_ros/tasks
    run = tmp_path / "run"
    done = subprocess.run(
        learn_command(run, 4, 1, "--task", "strolling:axis=y", *SHORT),
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stderr
    records = read_evaluations(run)
    assert len(records) == 4
    assert all(record["terms"]["poses"] > 5 for record in records)
    assert len({record["fitness"] for record in records}) == 4
    assert all(record["fitness"] == record["terms"]["y"] for record in records)
    assert "strolling:axis=y" in (run / "report.html").read_text()
