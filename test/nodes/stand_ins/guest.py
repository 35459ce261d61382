# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node of a test in a ROS domain, whose messages are handled while the test waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from graph import after, wait_for
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

from bea_ros.nodes.shared.node import Node

EACH = QoSProfile(depth=1000)  # also those of a while in which this process had no turn


class Guest:
    """A node with a context of its own, as in a process of its own."""

    def __init__(self, name: str, domain: int, namespace: str = "/", **options: Any) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = Node(name, namespace=namespace, context=self.context, **options)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def spin(self) -> None:
        """Handle what has come."""
        self.executor.spin_once(timeout_sec=0.01)

    def wait_for(self, condition: Callable[[], Any]) -> None:
        """Handle messages until a condition holds."""
        wait_for(condition, self.spin, self.situation)

    def within(self, seconds: float, condition: Callable[[], Any]) -> bool:
        """Handle messages until a condition holds, or for so long; returns whether it holds."""
        over = after(seconds)
        self.wait_for(lambda: condition() or over())
        return bool(condition())

    def situation(self) -> Any:
        """What to say of a condition that never holds."""
        return ""

    def listen(self, seconds: float) -> None:
        """Handle messages for a while."""
        wait_for(after(seconds), self.spin)

    def call(self, client: Any, request: Any) -> Any:
        """The answer of a service."""
        future = client.call_async(request)
        self.wait_for(future.done)
        return future.result()

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@contextmanager
def in_this_process(make: Callable[[], Any], domain: int, *words: str) -> Iterator[Any]:
    """A node under test that is not spun, with these ROS arguments."""
    rclpy.init(args=["--ros-args", *words], domain_id=domain)
    node = make()
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.shutdown()
