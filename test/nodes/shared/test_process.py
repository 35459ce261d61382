# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node that is told to end ends, also while it starts, and where its middleware hangs."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from graph import HANGS, in_domain, refusal

STARTED = """
import os, signal, sys, time
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from bea_ros.nodes.shared.process import run_node

def with_signal(method):
    def call(*args, **kwargs):
        if {when!r} == "before":
            os.kill(os.getpid(), signal.{name})
        method(*args, **kwargs)
        if {when!r} != "before":
            os.kill(os.getpid(), signal.{name})
        while {when!r} == "made" and rclpy.ok():
            time.sleep(0.01)
    return call

{owner} = with_signal({owner})
sys.exit(run_node(lambda: Node("one")))
"""


@pytest.mark.graph
@pytest.mark.parametrize("name", [signal.SIGTERM.name, signal.SIGINT.name])
@pytest.mark.parametrize(
    ("owner", "when"),
    [("Context.init", "before"), ("Context.init", "after"), ("Node.__init__", "made")],
)
def test_a_signal_while_a_node_starts_ends_it(
    domain: int, owner: str, when: str, name: str
) -> None:
    said = subprocess.run(
        [sys.executable, "-c", STARTED.format(owner=owner, when=when, name=name)],
        env=in_domain(domain),
        capture_output=True, text=True, timeout=HANGS,
    )  # fmt: skip
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.graph
@pytest.mark.parametrize(
    ("node", "parameter"),
    [("second_robot", "of:='b b'"), ("ros2_control_driver", "controller:='b b'")],
)
def test_a_name_that_ros_does_not_allow_is_one_line(
    domain: int, node: str, parameter: str
) -> None:
    line = refusal(node, domain, "-p", parameter)
    assert line.startswith(f"{node}: Invalid topic name: ")
    assert "b b/" in line


WOKEN_TOO_EARLY = """
import sys, threading
import rclpy
from rclpy.node import Node
from bea_ros.nodes.shared.process import run_node

def make():
    node = Node("one")
    threading.Timer(1.0, node.context.handle.shutdown).start()
    return node

sys.exit(run_node(make))
"""


@pytest.mark.graph
def test_a_node_that_waits_again_before_a_signal_shuts_it_down_ends(domain: int) -> None:
    """As rclpy's thread wakes a node first, and then shuts its context down."""
    command = [sys.executable, "-c", WOKEN_TOO_EARLY]
    assert subprocess.run(command, env=in_domain(domain), timeout=HANGS).returncode == 0


HANGS_AT_ITS_END = """
import ctypes, sys
import rclpy
from rclpy.node import Node
from bea_ros.nodes.shared import process

class Hanging(Node):
    def destroy_node(self):
        ctypes.PyDLL(None).sleep(600)  # no other thread of Python runs meanwhile

process.ENDING = 1
sys.exit(process.run_node(lambda: Hanging("one"), work=lambda node, executor: 0))
"""


@pytest.mark.graph
def test_a_node_that_hangs_at_its_end_is_killed(domain: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGS_AT_ITS_END],
        env=in_domain(domain),
        capture_output=True, text=True, timeout=HANGS,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (-signal.SIGALRM, "")
