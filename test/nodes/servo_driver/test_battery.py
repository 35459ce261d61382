# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A battery in wrong units is never low: the servos get no power by its word."""

from __future__ import annotations

import math

import pytest
from operator_desk import Desk
from sensor_msgs.msg import BatteryState

from bea_ros.nodes.shared.driving.battery import Battery

pytest.importorskip("gpiozero", reason="gpiozero is not installed")


def state(voltage: float = math.nan, percentage: float = math.nan) -> BatteryState:
    return BatteryState(voltage=voltage, percentage=percentage)


def battery(voltage: float = 0.0, percentage: float = 0.15) -> Battery:
    return Battery({"battery.minimum_voltage": voltage, "battery.minimum_percentage": percentage})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (state(percentage=87.0), "percentage 87, not 0 to 1"),
        (state(percentage=math.inf), "percentage inf, not 0 to 1"),
        (state(voltage=7400.0), "voltage 7400 V"),
    ],
)
def test_who_reports_in_wrong_units_is_not_trusted_again(wrong: BatteryState, words: str) -> None:
    one = battery(voltage=6.0)
    one.hear(state(voltage=7.4, percentage=0.9), 0.0)
    assert not one.fault
    one.hear(wrong, 0.0)
    assert words in one.fault
    assert "start again" in one.fault
    one.hear(state(voltage=7.4, percentage=0.9), 0.0)  # 0.9 of 100
    assert words in one.fault


def test_what_has_no_limit_may_be_in_any_unit() -> None:
    one = battery(voltage=0.0, percentage=0.0)
    one.hear(state(voltage=7400.0, percentage=87.0), 0.0)
    assert not one.fault


def test_a_gauge_may_report_a_little_more_than_full() -> None:
    one = battery()
    one.hear(state(percentage=1.02), 0.0)
    assert not one.fault
    one.hear(state(percentage=0.1), 0.0)
    assert one.fault == "battery low: 10 %"


def test_a_voltage_without_a_limit_does_not_say_that_a_low_battery_is_charged() -> None:
    one = battery(voltage=0.0)
    one.hear(state(voltage=6.1, percentage=0.1), 0.0)
    one.hear(state(voltage=6.1), 0.0)
    assert one.fault == "battery low: 10 %"
    one.hear(state(voltage=7.4, percentage=0.9), 0.0)
    assert not one.fault


@pytest.mark.parametrize(
    ("low", "other", "charged"),
    [
        (state(percentage=0.05), state(voltage=7.4), state(percentage=0.9)),
        (state(voltage=5.0), state(percentage=0.9), state(voltage=7.4)),
    ],
)
def test_a_low_battery_is_charged_by_the_value_that_was_low_alone(
    low: BatteryState, other: BatteryState, charged: BatteryState
) -> None:
    one = battery(voltage=6.0)
    one.hear(low, 0.0)
    assert (fault := one.fault)
    one.hear(other, 0.0)
    assert one.fault == fault
    one.hear(charged, 0.0)
    assert not one.fault


def test_a_battery_that_falls_silent_is_told_of() -> None:
    one = battery()
    assert not one.silence(1000.0), "no gauge is no silence"
    one.hear(state(percentage=math.nan), 0.0)
    assert not one.silence(1000.0), "nothing was known"
    one.hear(state(percentage=0.9), 1000.0)
    one.hear(state(percentage=0.9), 1001.0)
    assert not one.silence(1060.9)
    one.hear(state(voltage=7.4), 1060.0)  # has no limit
    assert (
        one.silence(1062.0) == "battery_state silent for 61 s: a low battery would not be noticed"
    )
    one.hear(state(percentage=0.9), 1062.0)
    assert not one.silence(1062.0 + 300.0), "it had been quiet for 61 s before"
    assert one.silence(1062.0 + 306.0)


@pytest.mark.graph
def test_servos_get_no_power_from_a_battery_in_wrong_units(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")
    desk.up(keeping=False)
    desk.batteries.publish(state(percentage=87.0))
    desk.wait(lambda: desk.is_in("relaxed", "percentage 87, not 0 to 1"))
    desk.wait(lambda: desk.pins() == {})
    desk.batteries.publish(state(percentage=0.9))
    desk.is_refused("percentage 87")
