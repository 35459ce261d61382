# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node under test, in a process of its own, and one beside it that talks to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from graph import end
from hypothesis import strategies as st
from rclpy.executors import SingleThreadedExecutor

from bea_ros.nodes.executables import MODULES
from bea_ros.robots.cpg import LARGEST_WEIGHT
from bea_ros.system.processes import die_with_parent

uint32 = st.integers(0, 2**32 - 1)
odd_floats = st.floats() | st.sampled_from([1e308, -1e308, LARGEST_WEIGHT * 1.01, 5e-324])
stamps = st.builds(Time, sec=st.integers(-(2**31), 2**31 - 1), nanosec=uint32)


def carried(text: str) -> str:
    """The text as DDS carries it: without lone surrogates and zeros."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


class Peer:
    """A node, and the process of the node under test beside it."""

    def __init__(self, name: str, domain: int, *words: str, namespace: str = "/") -> None:
        environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                MODULES[name],
                "--ros-args",
                *words,
                "-r",
                f"__ns:={namespace}",
            ],
            env=environment,
            preexec_fn=die_with_parent,
        )
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("fuzzer", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def wait_for(self, condition: Any, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, "the node died"
            assert time.monotonic() < deadline, "waited in vain"
            self.executor.spin_once(timeout_sec=0.01)

    @staticmethod
    def after(seconds: float) -> Callable[[], bool]:
        """A condition that holds from then on."""
        end = time.monotonic() + seconds
        return lambda: time.monotonic() > end

    def close(self) -> None:
        if self.process.poll() is None:
            end(self.process)
            assert self.process.returncode in (0, -signal.SIGKILL)
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
