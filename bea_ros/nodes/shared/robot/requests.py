# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The operator's requests to the learner and to the servo driver."""

from __future__ import annotations

from typing import Any

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from bea_ros.nodes.shared.arming import ARM, STOP

SERVICES: dict[str, tuple[str, Any]] = {  # service and request, by name
    "pause": ("learner/pause", Trigger.Request()),
    "resume": ("learner/resume", Trigger.Request()),
    "skip": ("learner/skip", Trigger.Request()),
    "repeat": ("learner/repeat_last", Trigger.Request()),
    "abort": ("learner/abort", Trigger.Request()),
    "arm": (ARM, SetBool.Request(data=True)),
    "disarm": (ARM, SetBool.Request(data=False)),
    "stop": (STOP, Trigger.Request()),
}


def clients_of(node: Node) -> dict[str, Client]:
    """Return a client for each request; arm and disarm share one."""
    clients: dict[str, Client] = {
        service: node.create_client(SetBool if service == ARM else Trigger, service)
        for service, _ in SERVICES.values()
    }
    return {request: clients[service] for request, (service, _) in SERVICES.items()}


def server_of(service: str) -> str:
    """Return who serves a service, in words."""
    return "servo driver" if service.endswith((ARM, STOP)) else "learner"
