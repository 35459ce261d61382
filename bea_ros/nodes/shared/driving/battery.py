# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the battery has enough charge to move the robot, by `battery_state`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sensor_msgs.msg import BatteryState

from bea_ros.nodes.shared.parameters import Parameter

HIGHEST_VOLTAGE = 60.0  # V
BATTERY_PARAMETERS = [
    Parameter("battery.minimum_voltage", 0.0, "V below which the robot is disarmed; 0: no limit",
              0.0, HIGHEST_VOLTAGE),
    Parameter("battery.minimum_percentage", 0.15,
              "charge, 0 to 1, below which the robot is disarmed, if it is known; 0: no limit",
              0.0, 1.0),
]  # fmt: skip
FULLEST = 1.1  # gauges may report somewhat more than 1
SILENCE, INTERVALS = 60.0, 5.0  # s, and longest intervals, after which a battery is silent


class Battery:
    """Judges the charge by the messages of one or more publishers.

    A value beyond any battery is in another unit (0 to 100, mV). Its publisher is not trusted
    again, as the same number means another charge there: 0.9 of 100 is empty.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._voltage = values["battery.minimum_voltage"]
        self._percentage = values["battery.minimum_percentage"]
        self._wrong = ""  # a value in wrong units
        self._low = {"voltage": "", "percentage": ""}  # in words; empty: not low
        self._heard: float | None = None  # s, when a value with a limit was known last
        self._interval = 0.0  # s, the longest between two such messages

    @property
    def fault(self) -> str:
        """Why the battery must not move the robot, in words; empty if it may."""
        return self._wrong or self._low["voltage"] or self._low["percentage"]

    def silence(self, now: float) -> str:
        """Why a low battery would not be noticed `now` (s, the clock of `hear`); else empty.

        Who never published says nothing of a battery: many robots have no gauge.
        """
        quiet = 0.0 if self._heard is None else now - self._heard
        if quiet < max(SILENCE, INTERVALS * self._interval):
            return ""
        return f"battery_state silent for {quiet:.0f} s: a low battery would not be noticed"

    def hear(self, message: BatteryState, now: float) -> None:
        """Update the fault; unknown values (NaN), and those without a limit, change nothing.

        So a voltage does not end the fault of a percentage, which another publisher may have sent.
        """
        voltage, percentage = message.voltage, message.percentage
        if self._wrong:
            return
        limits = ((self._voltage, voltage), (self._percentage, percentage))
        if any(limit and not math.isnan(value) for limit, value in limits):
            if self._heard is not None:
                self._interval = max(self._interval, now - self._heard)
            self._heard = now
        if self._percentage and percentage > FULLEST:
            self._distrust(f"percentage {percentage:g}, not 0 to 1", "percentage")
        elif self._voltage and voltage > HIGHEST_VOLTAGE:
            self._distrust(f"voltage {voltage:g} V", "voltage")
        if not math.isnan(voltage):
            low = voltage < self._voltage
            self._low["voltage"] = f"battery low: {voltage:.2f} V" if low else ""
        if not math.isnan(percentage):
            low = percentage < self._percentage
            self._low["percentage"] = f"battery low: {100 * percentage:.0f} %" if low else ""

    def _distrust(self, what: str, which: str) -> None:
        self._wrong = (
            f"battery_state has {what}, so a low battery would not be noticed: correct its "
            f"publisher, or set battery.minimum_{which}:=0, and start again"
        )
