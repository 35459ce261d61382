# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stop is a stop: however short, whoever says it, whatever was asked before."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from itertools import product
from typing import Any

import numpy as np
import pytest
from graph import after, load, wait_for
from guest import Guest
from operator_desk import Desk
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool, Int8
from std_srvs.srv import SetBool, Trigger

from bea_ros.nodes.shared.driving.hearing import MEETING
from bea_ros.nodes.shared.qos import CONTROL, LATCHED

pytest.importorskip("gpiozero", reason="gpiozero is not installed")
pytestmark = pytest.mark.graph

PULSES = 500 if os.environ.get("BEA_THOROUGH") else 40
LONGEST = 0.05  # s of a pulse
LOSSY = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


@contextmanager
def somebody(desk: Desk, kind: type, topic: str, qos: QoSProfile = CONTROL) -> Iterator[Publisher]:
    """A publisher of its own process's standing, which may be gone at once."""
    with Guest("somebody", desk.domain) as guest:
        yield guest.node.create_publisher(kind, topic, qos)


def say_and_go(desk: Desk, topic: str, message: Any, qos: QoSProfile) -> None:
    with somebody(desk, type(message), topic, qos) as publisher:
        wait_for(lambda: publisher.get_subscription_count() >= 1)
        publisher.publish(message)


def let_go(desk: Desk) -> None:
    """The operator resets the emergency stop."""
    desk.disarm()
    desk.wait(lambda: desk.is_in("relaxed"))


def test_no_stop_is_too_short(desk: Desk) -> None:
    """Followed at once by its opposite, from a publisher that keeps but one message."""
    desk.start("pins:=mock", "stagger:=0.0", "battery.minimum_voltage:=6.0")
    draws = np.random.default_rng(8)
    low, good = (BatteryState(voltage=v, percentage=math.nan) for v in (5.0, 7.4))
    with load(2), somebody(desk, Bool, "emergency_stop", LOSSY) as lossy:

        def stopped() -> bool:
            lossy.publish(Bool(data=True))
            return desk.is_in("emergency stop")

        desk.wait(stopped)  # both know each other
        let_go(desk)
        for number in range(PULSES):
            short = 0.0 if number % 2 else draws.uniform(0.0, LONGEST)
            who = lossy if number % 5 == 0 else desk.stops
            battery = number % 8 == 1
            desk.batteries.publish(low) if battery else who.publish(Bool(data=True))
            time.sleep(short)
            for _ in range(draws.integers(1, 4)):
                desk.batteries.publish(good) if battery else who.publish(Bool(data=False))
            told = ("relaxed", "battery low") if battery else ("emergency stop", "topic")
            desk.wait(lambda told=told: desk.is_in(*told))
            let_go(desk)
    desk.wait(lambda: desk.arm().success)


def test_a_stop_within_a_flood_of_other_words_is_heard(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")
    for _ in range(5):
        for number in range(300):
            desk.stops.publish(Bool(data=number == 150))
        desk.wait(lambda: desk.is_in("emergency stop", "topic"))
        let_go(desk)


def test_what_was_asked_before_a_stop_does_not_arm_after_it(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")
    for by_service in (True, False):
        desk.up(keeping=False)
        storm = [desk.arming.call_async(SetBool.Request(data=bool(n % 2))) for n in range(1, 201)]
        if by_service:
            storm.append(desk.stopping.call_async(Trigger.Request()))
        else:
            desk.stops.publish(Bool(data=True))
        desk.wait(lambda: desk.is_in("emergency stop"))
        desk.hear_states(80)
        assert desk.is_in("emergency stop")
        desk.wait(lambda: desk.pins() == {})
        answers = [one.result() for one in storm if one.done()]
        late = [answer for answer in answers if "before the robot was stopped" in answer.message]
        assert not any(answer.success for answer in late)
        let_go(desk)
    desk.up()  # who asks after it is obeyed


def test_a_publisher_that_ends_at_once_stops(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")
    desk.listen(MEETING)
    times = 14 if os.environ.get("BEA_THOROUGH") else 3
    for qos, number in product((CONTROL, LOSSY, LATCHED), range(times)):
        desk.keeping = False
        if number % 2 == 0:
            desk.up()
        words = (desk, "emergency_stop", Bool(data=True), qos)
        stopper = threading.Thread(target=say_and_go, args=words)
        stopper.start()  # while the desk commands the joints
        desk.wait(lambda: desk.is_in("emergency stop"))
        stopper.join()
        let_go(desk)


def test_a_low_battery_of_a_publisher_that_ends_at_once_relaxes(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0", "battery.minimum_voltage:=6.0")
    desk.listen(MEETING)
    low, good = (BatteryState(voltage=v, percentage=math.nan) for v in (5.0, 7.4))

    def told() -> bool:
        return desk.is_in("relaxed", "battery")

    def relaxed(qos: QoSProfile) -> bool:
        """Again where a reason of a busy machine took that one's place."""
        desk.batteries.publish(good)
        desk.up(keeping=False)
        words = (desk, "battery_state", low, qos)
        battery = threading.Thread(target=say_and_go, args=words)
        battery.start()  # while the desk commands the joints
        in_vain = after(10.0)
        desk.wait(lambda: told() or (in_vain() and desk.is_in("relaxed")))
        battery.join()
        return told()

    for qos in (CONTROL, LATCHED) * (14 if os.environ.get("BEA_THOROUGH") else 8):
        desk.wait(lambda qos=qos: relaxed(qos))
    desk.wait(lambda: desk.pins() == {})


@pytest.mark.skipif(int(version("rclpy").split(".")[0]) < 9, reason="rclpy says no publisher")
def test_a_stop_that_came_while_the_driver_hung_holds(desk: Desk) -> None:
    """A publisher that keeps one message has only the last one when the driver wakes."""
    driver = desk.start("pins:=mock", "stagger:=0.0")
    desk.stops.publish(Bool(data=False))
    desk.up(keeping=False)
    driver.send_signal(signal.SIGSTOP)
    try:
        for number in range(4):
            desk.stops.publish(Bool(data=number == 2))
            desk.listen(0.8)
    finally:
        driver.send_signal(signal.SIGCONT)
    desk.wait(lambda: desk.is_in("emergency stop"))
    assert not desk.arm().success
    desk.wait(lambda: desk.pins() == {})


def test_who_publishes_a_stop_in_another_type_keeps_the_servos_relaxed(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")

    def relaxed(topic: str) -> bool:
        """Again where a busy machine had relaxed the servos before that."""
        why = f"/{topic} is published as std_msgs/msg/Int8"
        desk.up(keeping=False)
        with somebody(desk, Int8, topic):
            desk.wait(lambda: desk.is_in("relaxed"))
            found = desk.is_in("relaxed", why)
            desk.wait(lambda: desk.pins() == {})
            desk.is_refused(why)
        return found

    for topic in ("emergency_stop", "battery_state"):
        desk.wait(lambda topic=topic: relaxed(topic))
        desk.up()


def test_a_battery_that_was_not_heard_is_told_to_who_may_arm(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")
    desk.listen(MEETING)
    desk.up()
    desk.disarm()

    def visited() -> bool:
        """Again where a busy machine had the visitor stay for too long to be suspected."""
        with somebody(desk, BatteryState, "battery_state") as silent:
            desk.wait(lambda: silent.get_subscription_count() >= 2)
        return desk.within(10.0, lambda: desk.is_in("relaxed", "battery_state left before"))

    desk.wait(visited)


def silent_one(guest: Guest) -> None:
    """Somebody who may say stop, and whom the driver knows.

    It has heard of the publisher before it hears the request of the same participant.
    """
    guest.node.create_publisher(Bool, "emergency_stop", CONTROL)
    arming = guest.node.create_client(SetBool, "servo_driver/arm")
    guest.wait_for(arming.service_is_ready)
    guest.call(arming, SetBool.Request(data=False))


def test_who_comes_and_is_not_heard_may_have_said_stop(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0")
    with Guest("silent", desk.domain) as guest:
        silent_one(guest)  # while nothing has power
        desk.up()
        desk.hear_states(40)
        assert not desk.is_in("emergency stop")

        def greeted() -> bool:
            """Again where a busy machine let the speaker be silent for too long."""
            desk.disarm()
            desk.up()
            with somebody(desk, Bool, "emergency_stop") as speaker:
                greetings = desk.node.create_timer(0.1, lambda: speaker.publish(Bool(data=False)))
                desk.wait(lambda: speaker.get_subscription_count() >= 2)
                desk.hear_states(40)
                desk.node.destroy_timer(greetings)
                return not desk.is_in("emergency stop")

        desk.wait(greeted)
        desk.up()

        def visited() -> bool:
            """Again where a busy machine had relaxed the servos after the visitor came."""
            with somebody(desk, Bool, "emergency_stop"):
                stop = ("emergency stop", "left before its message")
                return desk.within(10.0, lambda: desk.is_in(*stop))

        desk.wait(visited)
    desk.wait(lambda: desk.pins() == {})


def test_a_stop_that_was_said_before_the_driver_came_holds(desk: Desk) -> None:
    with somebody(desk, Bool, "emergency_stop", LATCHED) as stops:
        stops.publish(Bool(data=True))
        desk.start("pins:=mock")
        desk.wait(lambda: desk.is_in("emergency stop", "topic"))
        desk.is_refused("emergency stop: disarm first")
