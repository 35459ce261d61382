# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drives joints through a ros2_control controller once the operator has armed the robot.

It commands at most the next quarter of a second. A controller that receives no more commands
stops the joints at the last one. The node cannot cut the power of the motors.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
from sensor_msgs.msg import JointState

from bea_ros.hardware.servo_control import JointControl, Pace, Refused, State, Vector
from bea_ros.nodes.ros2_control_driver.controller import Controller
from bea_ros.nodes.shared.driving.driver import DRIVER_PARAMETERS, JointDriver
from bea_ros.nodes.shared.driving.hearing import hear_by_udp
from bea_ros.nodes.shared.parameters import Parameter
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.nodes.shared.robot.settings import words_of
from bea_ros.nodes.shared.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.nodes.shared.sole_publisher import SolePublisher
from bea_ros.robots.horizon import HORIZON
from bea_ros.system.nanoseconds import SECOND

PARAMETERS = [
    *ROBOT_PARAMETERS,
    Parameter("controller", "joint_trajectory_controller", "name of the controller: a "
              "joint_trajectory_controller or a forward position controller"),
    Parameter("rate", 40.0, "commands per second", 10.0, 100.0),
    Parameter("tolerance", 0.1, "rad that a joint may be from neutral after a reset, or beyond "
              "its limits when it is armed", 0.01, 1.0),
    *DRIVER_PARAMETERS,
]  # fmt: skip

SILENT = 0.5  # s (wall clock) without joint_states, or held up, after which the driver relaxes
STILL = 0.05  # rad/s; slower joints count as standing still
LOOK = 0.1  # s (wall clock) between checks of that


class Ros2ControlDriver(JointDriver):
    """Commands a controller; subscribes to `joint_states` for the measured angles (rad)."""

    def __init__(self) -> None:
        super().__init__("ros2_control_driver", PARAMETERS)
        values = self.values
        robot = robot_of(values)
        pace = Pace(values["neutral_speed"], 0.0, values["silence"])
        self.control = JointControl(robot.joints, pace, self.last_stop.now)
        self.settings = words_of(robot=robot.check, controller=values["controller"])
        self.tolerance = values["tolerance"]
        self.measured: dict[str, float] = {}  # rad
        self.measured_at: dict[str, float] = {}  # s, steady clock
        self.before: tuple[float, dict[str, float]] = (-math.inf, {})  # last check: s, rad
        self.standing = self.told_standing = False
        self.begun = self.get_clock().now().to_msg()  # the last update
        self.sent: list[Vector] = []  # rad, one per period; empty: the joints were told to stand
        self.sent_until = 0.0  # s, steady clock: the controller has commands up to then
        self.controller = Controller(self, values["controller"], self.control.names)
        self.joint_source = SolePublisher(self, "joint_states")
        self.joint_source.subscribe(JointState, self.on_joint_states, CONTROL)
        self.begin()
        self.get_logger().info(f"joints of {robot.name} by {values['controller']}")
        self.update()

    @property
    def fault(self) -> str:
        return self.controller.fault or self.joint_source.crowd or self.unmeasured

    @property
    def unmeasured(self) -> str:
        """Why the angles of the joints are not known; empty if they are."""
        topic, names = self.resolve_topic_name("joint_states"), self.control.names
        since = time.monotonic() - SILENT
        missing = [name for name in names if self.measured_at.get(name, -math.inf) < since]
        if missing == names:
            return f"no {topic} for {SILENT:g} s"
        return f"{topic} does not tell where {', '.join(missing)} are" if missing else ""

    def on_joint_states(self, message: JointState) -> None:
        """Take the robot's joints from a message, which may hold others, or only some of them."""
        pairs = zip(message.name, message.position, strict=False)
        found = {n: p for n, p in pairs if n in self.control.index and math.isfinite(p)}
        if found:
            now = time.monotonic()
            self.measured |= found
            self.measured_at |= dict.fromkeys(found, now)
            then, before = self.before
            if now - then > LOOK:
                way = max(abs(p - before.get(n, math.inf)) for n, p in self.measured.items())
                self.standing = way < STILL * (now - then)
                self.before = now, dict(self.measured)

    def update(self) -> None:
        # A node that hangs before it sends: the controller refuses what ended meanwhile.
        self.begun = self.get_clock().now().to_msg()
        super().update()
        if self.standing != self.told_standing:
            self.publish_diagnostics()

    def facts(self) -> dict[str, object]:
        self.told_standing = self.standing
        return {"joints": "standing" if self.standing else "moving"}

    def prepare(self) -> None:
        """Let the way to neutral begin at the measured angles; raises Refused beyond limits."""
        where = self.control.neutral.copy()
        for name, i in self.control.index.items():
            low, high = self.control.lower[i], self.control.upper[i]
            where[i] = min(max(self.measured[name], low), high)
            if abs(where[i] - self.measured[name]) > self.tolerance:
                raise Refused(
                    f"{name} is at {self.measured[name]:.2f} rad, beyond its limits of "
                    f"{low:.2f} to {high:.2f} rad: move it by hand"
                )
        self.control.position, self.sent = where, []

    def move(self, now: float) -> None:
        held_up = now - self.control.ticked
        if self.sent and self.controller.plays_ahead:
            self.catch_up(now)
        if self.control.armed and held_up > SILENT:  # the joints stand, and nobody expects motion
            self.control.relax(f"the driver was held up for {held_up:.1f} s")
        if not self.control.advance(now):
            if self.sent:
                self.hold()
            return
        count = math.ceil(HORIZON / SECOND / self.period)
        self.sent = self.control.ahead(now, self.period, count)
        self.controller.send(self.sent, self.period, self.begun)
        self.sent_until = now + (count * self.period if self.controller.plays_ahead else 0.0)

    def catch_up(self, now: float) -> None:
        """Begin where the controller has moved the joints, which stand when its commands end."""
        last = len(self.sent) - 1
        passed = min((now - self.control.ticked) / self.period, float(last))
        whole = int(passed)
        before, after = self.sent[whole], self.sent[min(whole + 1, last)]
        self.control.position = before + (passed - whole) * (after - before)
        self.control.ticked = now

    def hold(self) -> None:
        """Command the joints once to stand still at their present angles."""
        self.sent = []
        where = self.control.position
        if not self.unmeasured:
            measured = [self.measured[name] for name in self.control.names]
            where = np.clip(measured, self.control.lower, self.control.upper)
        now = self.get_clock().now().to_msg()  # with this end it may come as late as others
        self.controller.send([where, where], HORIZON / SECOND, now)

    def count_late(self, now: float) -> None:
        """Count the time in which the controller had no commands as well."""
        if self.control.state is State.FOLLOWING:
            last = max(self.sent_until - self.period, self.control.ticked)
            self.lateness.due(last, now, self.period)
        super().count_late(now)

    @property
    def elsewhere(self) -> str:
        far = [
            f"{name} is at {self.measured[name]:.2f} rad"
            for name, neutral in zip(self.control.names, self.control.neutral, strict=True)
            if abs(self.measured[name] - neutral) > self.tolerance
        ]
        if not far:
            return ""
        return (
            f"the joints do not go to neutral, {far[0]}: is the controller active, and are the "
            "clocks alike (ros2 control list_controllers; chronyc tracking)?"
        )


def main(args: list[str] | None = None) -> int:
    """Run the node until it is shut down."""
    hear_by_udp()
    return run_node(Ros2ControlDriver, args)


if __name__ == "__main__":
    sys.exit(main())
