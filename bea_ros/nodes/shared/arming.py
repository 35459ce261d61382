# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands that arm the servos."""

from __future__ import annotations

ARM, STOP = "servo_driver/arm", "servo_driver/emergency_stop"  # in the robot's namespace


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
