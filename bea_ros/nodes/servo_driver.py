# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the servos of the real robot once the operator has armed it.

A separate process accesses the hardware (bea_ros.hardware.output_process). So no callback waits
for a bus that hangs, and the servos are relaxed however this node ends.
"""

from __future__ import annotations

import sys
import time

from sensor_msgs.msg import JointState

from bea_ros.hardware.errors import HardwareError
from bea_ros.hardware.output_link import OutputLink
from bea_ros.hardware.outputs import PINS
from bea_ros.hardware.servo_control import Pace, ServoControl, State
from bea_ros.hardware.servos import load_servos, servos_path
from bea_ros.nodes.shared.driving.driver import DRIVER_PARAMETERS, JointDriver
from bea_ros.nodes.shared.driving.hearing import hear_by_udp
from bea_ros.nodes.shared.parameters import Parameter, ParameterError
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.nodes.shared.robot.settings import checksum, words_of
from bea_ros.nodes.shared.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.system.processes import go_first

PARAMETERS = [
    *ROBOT_PARAMETERS,
    Parameter("servos", "", "YAML file of the servos; empty: the one beside your own robot, "
              "or ~/.ros/servos/ROBOT.yaml, or the package's"),
    Parameter("pins", "auto", "pin factory of gpiozero; mock: no hardware, for trying",
              choices=PINS),
    Parameter("rate", 40.0, "updates of the pulses per second; more than pulses have no use",
              10.0, 100.0),
    Parameter("stagger", 0.1, "s from one servo's first pulse to the next one's", 0.0, 2.0),
    Parameter("bus_patience", 0.5, "s without an answer, after which the bus counts as hung",
              0.1, 2.0),
    *DRIVER_PARAMETERS,
]  # fmt: skip

BEAT = 0.5  # s between messages to relaxed servos, which check that the bus answers


class ServoDriver(JointDriver):
    """Turns commands into pulses; publishes the commanded angles (rad) as `joint_states`."""

    def __init__(self) -> None:
        super().__init__("servo_driver", PARAMETERS)
        values = self.values
        robot = robot_of(values)
        servos = load_servos(values["servos"] or servos_path(values["robot"]), robot)
        pace = Pace(values["neutral_speed"], values["stagger"], values["silence"])
        self.control: ServoControl = ServoControl(servos.servos, pace, self.last_stop.now)
        self.settings = words_of(robot=robot.check, servos=checksum((servos.board, servos.servos)))
        self.updated = time.monotonic()
        self.told_relaxed = False
        self.beat = 0.0
        outputs = [servo.output for servo in servos.servos]
        try:
            self.link = OutputLink(servos.board, values["pins"], outputs, values["bus_patience"])
        except HardwareError as error:
            raise ParameterError(str(error)) from error
        self.joint_states = self.create_publisher(JointState, "joint_states", CONTROL)
        self.begin()
        self.get_logger().info(f"servos of {robot.name} from {servos.path}")
        self.update()

    @property
    def fault(self) -> str:
        return self.link.fault

    def listen(self) -> None:
        self.link.poll()

    def update(self) -> None:
        super().update()
        if self.link.relaxed != self.told_relaxed:
            self.publish_diagnostics()

    def move(self, now: float) -> None:
        pulses = self.control.tick(now)
        if pulses or self.link.pulses or now - self.beat > BEAT:
            self.beat = now
            self.link.send(pulses)
            self.heed_fault()  # `send` may have read a fault that the next answer would clear
        message = JointState(
            name=self.control.names,
            position=self.control.position.tolist(),
            velocity=self.control.velocity.tolist(),
        )
        message.header.stamp = self.get_clock().now().to_msg()
        self.joint_states.publish(message)

    def count_late(self, now: float) -> None:
        """Count late updates and late answers of the hardware as well."""
        updated, self.updated = self.updated, now
        if self.control.state is State.FOLLOWING:
            self.lateness.due(updated, now, self.period)
            if self.link.asked is not None:
                self.lateness.due(self.link.asked, now, self.period)
        super().count_late(now)

    def facts(self) -> dict[str, object]:
        self.told_relaxed = self.link.relaxed
        return {"pulses": "none" if self.link.relaxed else "some", **self.link.counts}

    def destroy_node(self) -> None:
        """Relax the servos, whatever else fails."""
        if hasattr(self, "link") and not self.link.close():
            said = "the servos may not be relaxed: CUT THE POWER OF THE SERVOS"
            print(f"servo_driver: {said}", file=sys.stderr)
        super().destroy_node()


def main(args: list[str] | None = None) -> int:
    """Run the node until it is shut down."""
    go_first()
    hear_by_udp()
    return run_node(ServoDriver, args)


if __name__ == "__main__":
    sys.exit(main())
