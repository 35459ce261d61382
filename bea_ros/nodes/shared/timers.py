# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Timers on wall-clock time."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer


def wall_timer(node: Node, period: float, callback: Callable[[], None]) -> Timer:
    """Call `callback` every `period` s, also while simulated time stands still.

    The timer uses a monotonic clock: one on system time would stop if that is set back.
    """
    return node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
