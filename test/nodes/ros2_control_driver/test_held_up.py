# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A driver of ros2_control that hung moves nothing when it goes on."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from builtin_interfaces.msg import Time
from guest import in_this_process

from bea_ros.hardware.servo_control import State, Vector
from bea_ros.nodes.ros2_control_driver.node import SILENT, Ros2ControlDriver
from bea_ros.nodes.shared.stamps import to_nanoseconds

pytestmark = pytest.mark.graph


@pytest.mark.parametrize("topic", ["joint_trajectory", "commands"])
def test_a_driver_that_hung_has_to_be_armed_again(domain: int, topic: str) -> None:
    """Though commands and joint_states are the first that it hears."""
    with in_this_process(Ros2ControlDriver, domain) as driver:
        joints = driver.control.names
        driver.controller._topic = topic
        driver.controller._order = list(range(len(joints)))
        driver.measured = dict.fromkeys(joints, 0.0)
        driver.prepare()
        driver.control.arm(0.0)
        driver.control.play(joints[:1], [(0.1, [0.3])], 0.0)
        driver.move(0.0)
        assert driver.control.state is State.FOLLOWING
        for now in (SILENT, later := 2 * SILENT + 0.1):
            driver.control.play(joints[:1], [(now + 0.1, [0.3])], now)
            before = driver.sent[-1] if topic == "joint_trajectory" else driver.sent[0]
            driver.move(now)
            assert driver.control.armed == (now < later)
        assert "held up for 0.6 s" in driver.control.reason
        assert driver.control.position.tolist() == pytest.approx(before.tolist())
        assert driver.sent == []  # they were told to stand


def test_what_a_driver_sends_after_it_hung_is_over(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its stamp, so that the controller refuses it: it hangs in the middle of an update.

    That the joints are to stand is in force as long as other commands: it may come late.
    """
    told: list[tuple[Sequence[Vector], float, Time]] = []
    went_on: list[int] = []
    with in_this_process(Ros2ControlDriver, domain) as driver:

        def hang() -> None:
            went_on.append(driver.get_clock().now().nanoseconds)

        monkeypatch.setattr(Ros2ControlDriver, "fault", "")
        monkeypatch.setattr(driver.controller, "send", lambda *words: told.append(words))
        driver.measured = dict.fromkeys(driver.control.names, 0.0)
        driver.prepare()
        driver.control.arm(time.monotonic())
        monkeypatch.setattr(driver, "listen", hang)
        driver.update()
        driver.stop("asked for")
        (moving, period, begun), (standing, lasts, _) = told
        assert to_nanoseconds(begun) < went_on[0]
        assert (len(standing) - 1) * lasts == pytest.approx((len(moving) - 1) * period)
