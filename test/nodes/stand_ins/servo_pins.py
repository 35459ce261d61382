# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The pins of a servo driver: spider9's as published, and the pulses in the log of mock pins."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import psutil
import pytest

# BCM pins; all servos but that of leg_11 are inverse.
PINS = {"leg_00": 27, "leg_01": 17, "leg_10": 9, "leg_11": 25, "leg_20": 22, "leg_21": 18,
        "leg_30": 23, "leg_31": 10}  # fmt: skip
NEUTRAL = dict.fromkeys(PINS.values(), pytest.approx(1500.0, abs=0.01))


def pulses_of(lines: Iterable[str]) -> dict[int, float]:
    """Pulses in us by pin, as the last of these lines of the pins' log have them; 0: none."""
    written = [json.loads(line) for line in lines]
    return {pin: state / rate * 1e6 if rate else 0.0 for pin, rate, state, _ in written}


def lines_of(log: Path) -> list[str]:
    """The whole lines of a log that is being written."""
    return log.read_text().split("\n")[:-1]


def pins_in(log: Path) -> dict[int, float]:
    """Pulses in us, by the log of the pins, of those that have any."""
    pulses = pulses_of(lines_of(log))
    return {pin: pulse for pin, pulse in pulses.items() if pulse}


def output_process(node: subprocess.Popen | psutil.Process) -> psutil.Process:
    """What touches the hardware, for a servo driver."""
    (child,) = psutil.Process(node.pid).children()
    return child
