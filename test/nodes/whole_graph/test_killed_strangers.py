# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stranger that is killed, which DDS does not know yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from graph import SHORT, config, in_domain, learned_alone
from stranger import Stranger, measured

from bea_ros.system.processes import die_with_parent

pytestmark = pytest.mark.graph

GHOST = """
import sys, rclpy
from bea_ros_interfaces.msg import CpgParameters
from sensor_msgs.msg import Image
rclpy.init()
node = rclpy.create_node("ghost")
input()
ones = [node.create_publisher(*one, 1) for one in
        ((CpgParameters, "cpg_parameters"), (Image, "image_raw"))]
rclpy.spin(node)
"""


def test_a_stranger_that_is_killed_is_waited_for(domain: int, tmp_path: Path) -> None:
    """DDS believes for 20 s that it is still there; each failed attempt would end this run."""
    path = config(tmp_path, learner={"attempts": 1})
    learned_alone(tmp_path / "undisturbed", 4, *SHORT)
    slow = ("--real-time-factor", "1")  # lest it is over before the learner has seen two
    words = ("--evaluations", "4", *SHORT, *slow, "--config", path)
    with Stranger(tmp_path / "run", domain, *words) as stranger:
        ghost = subprocess.Popen(
            [sys.executable, "-c", GHOST],
            env=in_domain(domain),
            preexec_fn=die_with_parent,
            stdin=subprocess.PIPE,
            text=True,
        )
        with ghost:
            stranger.wait_for(lambda: stranger.done)
            print(file=ghost.stdin, flush=True)
            stranger.wait_for(lambda: "waiting: 2 publish" in stranger.words)
            ghost.kill()
        assert stranger.finish() == measured(tmp_path / "undisturbed")
