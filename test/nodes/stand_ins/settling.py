# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for the servos' process: not in servo_pins, which scripts outside of pytest import."""

from __future__ import annotations

from collections.abc import Callable

from graph import wait_for

from bea_ros.hardware.output_link import OutputLink


def settle(condition: Callable[[], bool], link: OutputLink) -> None:
    """Have a link handle its process's answers until a condition holds."""
    wait_for(condition, lambda: link.poll(0.05), lambda: link.fault)
