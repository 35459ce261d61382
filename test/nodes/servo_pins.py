# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""spider9's servos as published: BCM pins; all but that of leg_11 are inverse."""

from __future__ import annotations

import subprocess

import psutil
import pytest

PINS = {"leg_00": 27, "leg_01": 17, "leg_10": 9, "leg_11": 25, "leg_20": 22, "leg_21": 18,
        "leg_30": 23, "leg_31": 10}  # fmt: skip
NEUTRAL = dict.fromkeys(PINS.values(), pytest.approx(1500.0, abs=0.01))


def output_process(node: subprocess.Popen | psutil.Process) -> psutil.Process:
    """What touches the hardware, for a servo driver."""
    (child,) = psutil.Process(node.pid).children()
    return child
