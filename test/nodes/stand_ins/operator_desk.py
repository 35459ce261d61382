# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who arms, commands and stops the servo driver in tests: the real node, real DDS, no hardware."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from graph import end, in_domain, node_process
from guest import EACH, Guest
from rclpy.duration import Duration
from sensor_msgs.msg import BatteryState, JointState
from servo_pins import pins_in
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.shared.qos import LATCHED

EMULATED = Path(__file__).with_name("emulated")
# Why servos are relaxed on a machine that is too busy for anybody to keep to half a second.
BUSY = ("no joint command", "was silent", "has not answered", "no /joint_states for")


def environment(domain: int, pins: Path) -> dict[str, str]:
    """Of a process for which hardware is files."""
    before = os.environ.get("PYTHONPATH", "")
    return in_domain(
        domain,
        PYTHONPATH=f"{EMULATED}:{before}",
        EMULATED_PINS=str(pins),
        ROS_HOME=str(pins.parent / "ros_home"),
        TMPDIR=str(pins.parent),
    )


class Desk(Guest):
    """The operator, and whatever commands the joints."""

    driver = "servo_driver"

    def __init__(self, folder: Path, domain: int) -> None:
        self.domain = domain
        self.folder = folder
        self.pins_log = folder / "pins.log"
        self.pins_log.touch()
        self.environment = environment(self.domain, self.pins_log)
        self.process: subprocess.Popen | None = None
        super().__init__("desk", domain)
        node = self.node
        self.trajectories = node.create_publisher(JointTrajectory, "joint_trajectory", 1)
        self.stops = node.create_publisher(Bool, "emergency_stop", 1)
        self.batteries = node.create_publisher(BatteryState, "battery_state", 1)
        self.arming = node.create_client(SetBool, "servo_driver/arm")
        self.stopping = node.create_client(Trigger, "servo_driver/emergency_stop")
        self.resetting = node.create_client(Trigger, "reset")
        self.states: list[JointState] = []
        self.armed: list[bool] = []
        self.diagnostics: dict[str, str] = {}
        node.create_subscription(JointState, "joint_states", self.states.append, EACH)
        node.create_subscription(Bool, "armed", lambda m: self.armed.append(m.data), LATCHED)
        node.create_subscription(DiagnosticArray, "/diagnostics", self.on_diagnostics, 10)
        self.command: dict[str, float] | None = None  # repeated until None
        self.keeping = False  # the driver armed, however busy the machine
        node.create_timer(0.05, self.on_period)

    def on_period(self) -> None:
        if self.command is not None:
            self.send(self.command)

    def send(self, positions: Mapping[str, float]) -> None:
        point = JointTrajectoryPoint(positions=list(positions.values()))
        self.trajectories.publish(JointTrajectory(joint_names=list(positions), points=[point]))

    def send_plan(
        self, joint: str, positions: Iterable[float], period: float, age: float = 0.0
    ) -> None:
        """Positions (rad) of a joint, each for a period (s), from `age` (s) ago on."""
        message = JointTrajectory(joint_names=[joint])
        sent = self.node.get_clock().now() - Duration(seconds=age)
        message.header.stamp = sent.to_msg()
        for number, position in enumerate(positions, start=1):
            until = Duration(seconds=number * period).to_msg()
            message.points.append(
                JointTrajectoryPoint(positions=[position], time_from_start=until)
            )
        self.trajectories.publish(message)

    def on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == f"{self.driver}: servos":
                self.diagnostics = {value.key: value.value for value in status.values}
                self.diagnostics["level"] = str(ord(status.level))

    def start(self, *parameters: str) -> subprocess.Popen:
        """Start the node, and wait for it."""
        words = [word for parameter in parameters for word in ("-p", parameter)]
        topics = {"joint_trajectory": 1, "emergency_stop": 2, "battery_state": 2}
        before = {gid for topic in topics for gid in self.listeners(topic)}
        began = time.time()
        self.diagnostics, self.armed = {}, []
        said = (self.folder / "stderr").open("w")
        self.process = node_process(
            self.driver, self.domain, *words, env=self.environment, stderr=said
        )
        # Of this driver: one that was killed a moment ago is known for some seconds yet.
        self.wait(lambda: float(self.diagnostics.get("started", 0.0)) >= began)
        # Everybody has found everybody: nothing of what follows is lost.
        for topic, count in topics.items():
            self.wait(lambda t=topic, c=count: len(self.listeners(t) - before) >= c)
        self.wait(lambda: self.arming.service_is_ready() and self.resetting.service_is_ready())
        return self.process

    def listeners(self, topic: str) -> set[bytes]:
        """Who has subscribed to a topic."""
        found = self.node.get_subscriptions_info_by_topic(topic)
        return {bytes(one.endpoint_gid) for one in found}

    wait = Guest.wait_for

    def is_refused_to_play(self, positions: Mapping[str, float]) -> None:
        """Command these positions (rad) until the driver has refused them."""
        before = int(self.diagnostics["commands refused"])

        def refused() -> bool:
            self.send(positions)
            return int(self.diagnostics["commands refused"]) > before

        self.wait(refused)

    def hear_states(self, count: int) -> None:
        """Wait until the driver has said so often where the joints are."""
        seen = len(self.states)
        self.wait(lambda: len(self.states) > seen + count)

    def situation(self) -> Any:
        return self.diagnostics

    def spin(self) -> None:
        """Handle what has come, and keep the driver armed."""
        if self.keeping and any(self.is_in("relaxed", reason) for reason in BUSY):
            self.diagnostics["state"] = "to be armed again"
            self.arming.call_async(SetBool.Request(data=True))
        super().spin()

    def arm(self, on: bool = True) -> Any:
        self.keeping = False
        return self.call(self.arming, SetBool.Request(data=on))

    def disarm(self) -> None:
        """Disarm; again where a fault of a busy machine came in between."""
        self.wait(lambda: self.arm(False).success)

    def is_refused(self, why: str) -> None:
        """Wait until arming is refused for this reason: a busy machine may have one of its own."""
        self.wait(lambda: why in self.arm().message)

    def is_in(self, state: str, reason: str = "") -> bool:
        return self.diagnostics.get("state") == state and reason in self.diagnostics["reason"]

    def up(self, command: Mapping[str, float] | None = None, keeping: bool = True) -> None:
        """Arm, and wait until the driver follows; from then on it is told a command.

        It is armed again where a busy machine relaxes it, at first or also later (`keeping`).
        """
        self.command = dict(command or {"leg_00": 0.0})
        self.wait(lambda: self.arm().success)
        self.keeping = True
        self.wait(lambda: self.is_in("following") and self.powered())
        self.keeping = keeping

    def powered(self) -> bool:
        """Whether any servo gets pulses."""
        return bool(self.pins())

    def pins(self) -> dict[int, float]:
        """Pulses in us of the pins that have any, at this time."""
        return pins_in(self.pins_log)

    def close(self) -> None:
        if self.process:
            end(self.process)
        super().close()
