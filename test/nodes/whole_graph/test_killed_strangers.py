# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stranger that is killed, which DDS does not know yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from graph import config, in_domain
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


def test_a_stranger_that_is_killed_is_waited_for(
    undisturbed_run: tuple[Path, str], domain: int, tmp_path: Path
) -> None:
    """DDS believes for 20 s that it is still there; each failed attempt would end this run."""
    path = config(tmp_path, learner={"attempts": 1})
    slow = ("--real-time-factor", "2")  # lest it is over before the learner has seen two
    with Stranger(tmp_path / "run", domain, "--config", path, *slow) as stranger:
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
        assert stranger.finish() == measured(undisturbed_run[0])
