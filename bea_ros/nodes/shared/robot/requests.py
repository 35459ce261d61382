# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The operator's requests to the learner and to the servo driver, and the command that arms."""

from __future__ import annotations

from typing import Any

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

ARM, STOP = "servo_driver/arm", "servo_driver/emergency_stop"  # in the robot's namespace
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


def to_arm(service: str, stopped: bool = False) -> str:
    """Return what to type; `service`: resolved name of ARM, `stopped`: after an emergency stop."""
    namespace = service.removesuffix(f"/{ARM}")
    to = f" --namespace {namespace}" if namespace else ""
    call = f"ros2 service call {service} std_srvs/srv/SetBool"
    if not stopped:
        return f"to arm: bea operator arm{to} (or: {call} '{{data: true}}')"
    return (
        f"to arm: first bea operator disarm{to}, then bea operator arm{to} "
        f"(or: first {call} '{{data: false}}', then {call} '{{data: true}}')"
    )
