# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Waits for answers of the robot's nodes; the errors raised if they do not come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.client import Client
from rclpy.clock import Clock

GONE = 2.0  # s (wall) of absence after which a service is gone


class RobotSilent(RuntimeError):
    """A node of the robot does not answer; the message says which, and what to do."""


class NotPutBack(RobotSilent):
    """The robot refused a reset; the message says why."""


class Interrupted(RuntimeError):
    """The candidate did not control the joints for the whole evaluation."""


def answer_to(
    client: Client,
    request: Any,
    who: str,
    patience: float,
    turn: Callable[[], None],
    clock: Clock,
    due: int,
) -> Any:
    """Send a request and return the answer; raises RobotSilent after `patience` (s, wall clock).

    `turn` is called repeatedly to handle messages. Patience begins anew with each step of ROS
    time until the answer is `due` (ns, ROS time): a simulation may be slower than real time.
    """
    future = client.call_async(request)
    began = there = time.monotonic()
    latest = 0
    try:
        while not future.done():
            now = time.monotonic()
            there = now if client.service_is_ready() else there
            if latest < (ros_time := clock.now().nanoseconds) < due:
                began, latest = now, ros_time
            if now - there > GONE:
                raise RobotSilent(f"{who} is gone")
            if now - began > patience:
                raise RobotSilent(f"no answer from {who} for {patience:.0f} s")
            turn()
    finally:
        if not future.done():
            client.remove_pending_request(future)
    return future.result()
