# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Answers that the robot's side owes, and what is raised when they do not come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.client import Client
from rclpy.clock import Clock

GONE = 2.0  # s (wall) after which a service that is not there is gone


class RobotSilent(RuntimeError):
    """The robot's side does not answer; the message says who and what to do."""


class NotPutBack(RobotSilent):
    """The robot's side refused a reset; the message says why."""


class Interrupted(RuntimeError):
    """The candidate was not in charge of the joints for the whole evaluation."""


def answer_to(
    client: Client,
    request: Any,
    who: str,
    patience: float,
    turn: Callable[[], None],
    clock: Clock,
    due: int,
) -> Any:
    """The answer to a request; raises RobotSilent when patience (s, wall clock) ends.

    `turn` handles messages, again and again. Until the answer is `due` (ns, ROS time) patience
    ends only while that time stands still: a simulation may be slower than real time.
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
