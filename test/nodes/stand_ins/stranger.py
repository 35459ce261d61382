# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run, and a node beside it that nobody asked for."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from graph import UNDISTURBED, evaluations_in, kill_all, learn_command, log_of
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile


def measured(folder: Path) -> list[str]:
    """The log, but for how often each evaluation was tried."""
    return [re.sub(r', "attempts": \d+', "", line) for line in log_of(folder)]


class Stranger:
    """A run, and a node beside it that nobody asked for."""

    def __init__(self, folder: Path, domain: int, *words: str) -> None:
        self.folder = folder
        environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        command = learn_command(folder, UNDISTURBED, 1, *words)
        self.said = folder.with_suffix(".txt").open("w+")
        self.run = subprocess.Popen(
            command, env=environment, stdout=self.said, stderr=self.said, start_new_session=True
        )
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("stranger", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def spin(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.executor.spin_once(timeout_sec=0.01)

    @property
    def done(self) -> int:
        return evaluations_in(self.folder)

    def echo(
        self,
        kind: type,
        topic: str,
        qos: QoSProfile,
        say: Callable[[Any], Any],
        other_kind: type | None = None,
        other: str = "",
        other_qos: QoSProfile | None = None,
    ) -> None:
        """For a while say on a topic, or another one, what `say` makes of what is said there."""
        publisher = self.node.create_publisher(
            other_kind or kind, other or topic, other_qos or qos
        )

        def on_message(message: Any) -> None:
            if (said := say(message)) is not None:
                publisher.publish(said)

        subscription = self.node.create_subscription(kind, topic, on_message, qos)
        self.spin(1.0)
        self.node.destroy_subscription(subscription)
        self.node.destroy_publisher(publisher)

    def wait_for(self, condition: Any) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert self.run.poll() is None, self.words
            assert time.monotonic() < deadline, self.words
            self.spin(0.01)

    @property
    def words(self) -> str:
        self.said.seek(0)
        return self.said.read()

    def finish(self) -> list[str]:
        """The log of the run, but for its attempts."""
        deadline = time.monotonic() + 120
        while self.run.poll() is None and time.monotonic() < deadline:
            self.spin(0.1)
        assert self.run.returncode == 0, self.words
        return measured(self.folder)

    def close(self) -> None:
        kill_all(self.run)
        self.said.close()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
