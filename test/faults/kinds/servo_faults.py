# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stops, requests and ends of a servo driver on files, beside the run and on the same machine."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from guest import Guest
from operator_desk import Desk
from scene import KINDS, Scene
from servo_pins import output_process
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from bea_ros.bringup.supervisor import free_domain
from bea_ros.nodes.shared.driving.hearing import MEETING
from bea_ros.nodes.shared.qos import LATCHED

WORDS = ("pins:=mock", "stagger:=0.0")
STILL = 30  # joint states during which nothing may get power again
ROUNDS = 4


@contextmanager
def bench() -> Iterator[Desk]:
    """A desk in a domain of its own."""
    lock, domain = free_domain(range(40, 70))
    with tempfile.TemporaryDirectory(prefix="bea_faults_servos_") as folder:
        desk = Desk(Path(folder), domain)
        try:
            yield desk
        finally:
            desk.close()
            if lock:
                lock.close()


def servo_fault(name: str) -> Callable[[Callable[[Scene, Desk], str]], None]:
    def register(work: Callable[[Scene, Desk], str]) -> None:
        def fault(scene: Scene) -> str:
            try:
                with bench() as desk:
                    return work(scene, desk)
            except AssertionError as error:
                return f"VIOLATION: {error}"

        KINDS[name] = (fault, ())

    return register


def driven(desk: Desk) -> subprocess.Popen:
    """A servo driver that follows commands, and that nobody arms again."""
    driver = desk.start(*WORDS)
    desk.up(keeping=False)
    return driver


def stays_stopped(desk: Desk) -> None:
    """From now on no servo has power, whatever was asked before."""
    desk.keeping = False
    desk.wait(lambda: desk.is_in("emergency stop"))
    desk.hear_states(STILL)
    assert desk.is_in("emergency stop"), f"the stop was lost: {desk.diagnostics}"
    assert not desk.powered(), "a servo has power after a stop"


def let_go(desk: Desk) -> None:
    desk.wait(lambda: desk.arm(False).success)
    desk.wait(lambda: desk.is_in("relaxed", "disarmed"))


@servo_fault("stop pulses")
def stop_pulses(scene: Scene, desk: Desk) -> str:
    desk.start(*WORDS)
    for _ in range(ROUNDS):
        desk.up(keeping=False)
        desk.stops.publish(Bool(data=True))
        time.sleep(scene.chance.choice([0.0, scene.chance.uniform(0.0, 0.05)]))
        for _ in range(scene.chance.randint(1, 4)):
            desk.stops.publish(Bool(data=False))
        stays_stopped(desk)
        let_go(desk)
    return f"{ROUNDS} pulses"


@servo_fault("storm of arm and disarm")
def storm(scene: Scene, desk: Desk) -> str:
    driven(desk)
    calls = scene.chance.randint(50, 300)
    for number in range(calls):
        desk.arming.call_async(SetBool.Request(data=bool(number % 2)))
    desk.stops.publish(Bool(data=True))
    stays_stopped(desk)
    return f"{calls} calls"


@servo_fault("stop before the driver")
def late_driver(scene: Scene, desk: Desk) -> str:
    publisher = desk.node.create_publisher(Bool, "emergency_stop", LATCHED)
    publisher.publish(Bool(data=True))
    desk.start(*WORDS)
    desk.wait(lambda: desk.is_in("emergency stop"))
    desk.arm()
    stays_stopped(desk)
    return "latched"


@servo_fault("stop by one that ends")
def ends_at_once(scene: Scene, desk: Desk) -> str:
    desk.start(*WORDS)
    desk.listen(MEETING)
    desk.up(keeping=False)
    with Guest("stopper", desk.domain) as stopper:
        publisher = stopper.node.create_publisher(Bool, "emergency_stop", 1)
        desk.wait(lambda: publisher.get_subscription_count() >= 1)
        publisher.publish(Bool(data=True))
    stays_stopped(desk)
    return "1 message"


@servo_fault("kill -9: servo_driver")
def killed_driver(scene: Scene, desk: Desk) -> str:
    """The driver or its output process."""
    driver = driven(desk)
    desk.command = None
    which = scene.chance.choice(["driver", "outputs"])
    (driver if which == "driver" else output_process(driver)).kill()
    desk.wait(lambda: not desk.powered())
    return which
