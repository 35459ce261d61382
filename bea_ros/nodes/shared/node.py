# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node for which a message that the middleware does not send is a lost message; its timers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rclpy.node
from rclpy._rclpy_pybind11 import RCLError
from rclpy.clock import Clock, ClockType
from rclpy.publisher import Publisher
from rclpy.timer import Timer

QUIET = 10.0  # s between two warnings


class Node(rclpy.node.Node):
    """A node whose publishers raise no error while it runs.

    On a busy computer Fast DDS may refuse to send ("cannot publish data"). All nodes cope with
    lost messages, so this must not end one.
    """

    def create_publisher(self, *arguments: Any, **options: Any) -> Publisher:
        publisher = super().create_publisher(*arguments, **options, publisher_class=_Publisher)
        assert isinstance(publisher, _Publisher)
        publisher.node = self
        return publisher


class _Publisher(Publisher):
    node: Node

    def publish(self, msg: Any) -> None:
        try:
            super().publish(msg)
        except RCLError as error:
            if not self.node.context.ok():  # a shutdown, which ends the node
                raise
            self.node.get_logger().warning(
                f"a message on {self.topic_name} is lost: {str(error).partition(', at ')[0]}",
                throttle_duration_sec=QUIET,
            )


def wall_timer(node: rclpy.node.Node, period: float, callback: Callable[[], None]) -> Timer:
    """Call `callback` every `period` s, also while simulated time stands still.

    The timer uses a monotonic clock: one on system time would stop if that is set back.
    """
    return node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
