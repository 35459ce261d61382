# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learner on Kilted with a controller and a camera on Jazzy; the other way round on Jazzy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from graph import HANGS, end, start
from learn_arguments import arguments
from make_venv import WHEELS

from bea_ros.bringup.graphs import learn_graph
from bea_ros.bringup.node_spec import ENVIRONMENT
from bea_ros.bringup.supervisor import command_of

pytestmark = pytest.mark.graph
ROOT = Path(__file__).resolve().parents[3]
VERSION = "from importlib.metadata import version as v; print(v('ros-rclpy'))"
INTERFACES = """
from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from bea_ros_interfaces.srv import EvaluateFitness
for kind in (CpgParameters, LearnerStatus, EvaluateFitness.Request, EvaluateFitness.Response):
    print(kind.get_fields_and_field_types())
"""


def find_other() -> Path:
    """Python of the environment that these tests do not run in."""
    name = ".venv" if Path(sys.prefix).name == ".venv-jazzy" else ".venv-jazzy"
    python = ROOT / name / "bin" / "python"
    if not (python.parent.parent / "bea_ros.stamp").exists():
        pytest.skip(f"no {name}: make venv{' ROS=jazzy' if name == '.venv-jazzy' else ''}")
    return python


def test_nodes_of_two_distributions_learn_together(domain, tmp_path):
    other = find_other()
    ours = {k: v for k, v in os.environ.items() if k not in WHEELS}
    ours |= {**ENVIRONMENT, "ROS_DOMAIN_ID": str(domain), "PYTHONPATH": str(ROOT)}

    def printed(code: str) -> set[str]:
        """What both print."""
        pythons = (sys.executable, other)
        return {
            subprocess.check_output([python, "-c", code], env=ours, text=True)
            for python in pythons
        }

    assert len(printed(VERSION)) == 2
    if len(printed(INTERFACES)) > 1:
        pytest.skip(
            f"{other.parents[1].name} has other interfaces: make venv (ROS=jazzy) renews it"
        )
    given = arguments(output=str(tmp_path / "run"), evaluations=10, duration=2.0)
    processes = []
    try:
        for spec in learn_graph(given):
            command = command_of(spec)
            if spec.executable in ("cpg_controller", "camera_localization"):
                command[0] = str(other)
            processes.append(start(command, env=ours))
        assert processes[-1].wait(HANGS) == 0, processes[-1].stdout.read()
    finally:
        end(*processes)
    records = [json.loads(line) for line in (tmp_path / "run/evaluations.jsonl").open()]
    assert [r["attempts"] for r in records] == [1] * 10
    assert all(abs(r["fitness"]) > 1e-4 for r in records)
