# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses requests sent before a stop, or long ago, so that they do not move the robot."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.waitable import NumberOfEntities, Waitable

from bea_ros.system.nanoseconds import SECOND

TRANSIT = 60.0  # s after a stop in which older requests are refused; none is under way longer
CLOCKS = "not that? then this machine's clock and yours differ"
OVERDUE = 3.0  # s without an answer, after which whoever asked gives up (the page does)
QUEUED = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)  # waiting requests


class LastStop:
    """The time of a robot's last stop, which refuses requests sent before it."""

    def __init__(self) -> None:
        self._at = 0  # ns, system time, like the stamps of requests
        self._since = -TRANSIT  # s, steady clock

    def now(self) -> None:
        """Record that the robot stops now."""
        self._at, self._since = time.time_ns(), time.monotonic()

    def objection(self, sent: int) -> str:
        """Why a request `sent` at a time (ns, system time) is refused; empty if it is not."""
        if sent > self._at or time.monotonic() > self._since + TRANSIT:
            return ""
        return (
            f"asked for {(self._at - sent) / SECOND:.3f} s before the robot was stopped: "
            f"ask again ({CLOCKS})"
        )


def overdue(sent: int) -> str:
    """Why a request `sent` at a time (ns, system time) comes too late; empty if it does not.

    A node that hung gets it when nobody waits for an answer, and a hand may be at the robot.
    """
    age = (time.time_ns() - sent) / SECOND
    if age <= OVERDUE:
        return ""
    return f"asked for {age:.0f} s ago: ask again ({CLOCKS})"


class _Unserved(CallbackGroup):
    """The group of services that the executor does not serve."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False


if TYPE_CHECKING:
    AnyWaitable = Waitable[Any]
else:  # Jazzy's is not generic
    AnyWaitable = Waitable


class DatedService(AnyWaitable):
    """A service whose `serve(request, response, sent)` gets the time of sending (ns).

    rclpy's own services do not pass that time, and queue only ten requests.
    """

    def __init__(self, node: Node, kind: Any, name: str, serve: Callable[..., Any]) -> None:
        super().__init__(node.default_callback_group)
        self._kind, self._serve = kind, serve
        self._group = _Unserved()
        self._service = node.create_service(
            kind, name, serve, qos_profile=QUEUED, callback_group=self._group
        )
        self._index = 0
        node.add_waitable(self)

    def __enter__(self) -> None:
        self._service.handle.__enter__()

    def __exit__(self, *why: Any) -> None:
        self._service.handle.__exit__(*why)

    def get_num_entities(self) -> NumberOfEntities:
        return NumberOfEntities(0, 0, 0, 0, 1)

    def add_to_wait_set(self, wait_set: Any) -> None:
        self._index = wait_set.add_service(self._service.handle)

    def is_ready(self, wait_set: Any) -> bool:
        return bool(wait_set.is_ready("service", self._index))

    def take_data(self) -> Any:
        with self._service.handle:
            return self._service.handle.service_take_request(self._kind.Request)

    async def execute(self, taken_data: Any) -> None:
        request, header = taken_data
        if header is None:
            return
        stamps = [t for t in (header.source_timestamp, header.received_timestamp) if t > 0]
        sent = min(stamps, default=time.time_ns())
        response = self._serve(request, self._kind.Response(), sent)
        self._service.send_response(response, header)
