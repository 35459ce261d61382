# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The body of a robot whose servos hang on the mock pins of a servo driver, and a camera above it.

The pulses that the pins are told become the angles of simulated servos, at the wall clock's pace.
A servo without pulses stays where it is, by the friction of its gears.
"""

import math
import os
import sys
from pathlib import Path

import numpy as np
from geometry_msgs.msg import Point
from sensor_msgs.msg import CameraInfo, Image
from servo_pins import pulses_of

from bea_ros.hardware.servo_control import Pace, ServoControl
from bea_ros.hardware.servos import load_servos, servos_path
from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.parameters import declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import images
from bea_ros.nodes.shared.robot_parameters import ARENA_PARAMETERS, ROBOT_PARAMETERS, robot_of
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS, camera_info, camera_of
from bea_ros.robots.cpg import CommandLimiter
from bea_ros.simulation.observed import WorldCamera
from bea_ros.simulation.rollout import CONTROL_RATE
from bea_ros.simulation.world import World
from bea_ros.system.nanoseconds import SECOND

STEP = 0.01  # s
DRIVER_RATE = 40.0  # updates of the pulses per second


def angles_of(servos, pulses, before):
    """Angles (rad) to which pulses (us) by output turn servos; without, they stay `before`."""
    angles = list(before)
    for i, servo in enumerate(servos):
        if pulse := pulses.get(servo.output):
            low, high = servo.pulse[::-1] if servo.inverse else servo.pulse
            share = (pulse - low) / (high - low)
            angles[i] = servo.angle[0] + share * (servo.angle[1] - servo.angle[0]) - servo.trim
    return angles


class Body(Node):
    """Publishes `image_raw` and `camera_info`; `hand` carries the robot to x, y (m)."""

    def __init__(self, name):
        super().__init__(name)
        values = declare(self, [*ROBOT_PARAMETERS, *ARENA_PARAMETERS, *CAMERA_PARAMETERS])
        robot = robot_of(values)
        self.world = World(robot)
        self.camera = WorldCamera(
            self.world, camera_of(values, load_arena(robot, values["arena"]))
        )
        self.now = self.get_clock().now().nanoseconds
        self.image_period, self.image_stamp = round(SECOND / values["camera.rate"]), self.now
        self.frame = 0
        self.images = self.create_publisher(Image, "image_raw", images(reliable=True))
        self.infos = self.create_publisher(CameraInfo, "camera_info", images(reliable=True))
        self.create_subscription(Point, "hand", self.on_hand, 1)
        self.create_timer(STEP, self.update)

    def on_hand(self, point):
        self.world.reset(point.x, point.y)

    def move(self):
        """Angles (rad) to which the joints turn now."""
        raise NotImplementedError

    def update(self):
        angles = np.array(self.move())
        before, self.now = self.now, self.get_clock().now().nanoseconds
        self.world.step(angles, max(0, self.now - before) / SECOND)
        if self.now - self.image_stamp < self.image_period:
            return
        self.image_stamp += (self.now - self.image_stamp) // self.image_period * self.image_period
        info = camera_info(self.camera.camera.intrinsics)
        info.header.stamp, info.header.frame_id = to_stamp(self.now), "camera_optical_frame"
        self.frame += 1
        picture = self.camera.take(self.world.scene(), self.frame)
        self.infos.publish(info)
        self.images.publish(message_of(picture, info.header))


class ServoBody(Body):
    """On mock pins."""

    def __init__(self):
        super().__init__("servo_body")
        robot = self.get_parameter("robot").value
        self.servos = load_servos(servos_path(robot), self.world.robot).servos
        self.pins = Path(os.environ["EMULATED_PINS"]).open()  # noqa: SIM115
        self.rest, self.pulses, self.angles = "", {}, [0.0] * len(self.servos)

    def move(self):
        *lines, self.rest = (self.rest + self.pins.read()).split("\n")
        self.pulses |= pulses_of(lines)
        self.angles = angles_of(self.servos, self.pulses, self.angles)
        return self.angles


def displacement(world, servos, cpg, duration, rng):
    """How far (m) a candidate walks undisturbed: controller, driver, pulses and body in one
    process. What differs from run to run, the order of their periods, is drawn from `rng`.
    """
    joints = [joint.name for joint in world.robot.joints]
    limiter, control = CommandLimiter(world.robot.joints), ServoControl(servos, Pace(5.0, 0.0))
    control.play(joints, [(0.0, limiter.neutral)], 0.0)
    control.arm(0.0)
    control.tick(0.0)
    world.reset()
    angles, now = limiter.neutral, 0.0
    late, phase = rng.uniform(0, 1 / DRIVER_RATE), rng.uniform(0, 1 / CONTROL_RATE)
    commands = [0.0, *(phase + np.arange(math.ceil(duration * CONTROL_RATE)) / CONTROL_RATE)]
    ticks = late + np.arange(math.ceil(duration * DRIVER_RATE)) / DRIVER_RATE
    events = sorted([*((t, True) for t in commands), *((t, False) for t in ticks)])
    for time, commanding in [*(e for e in events if e[0] < duration), (duration, None)]:
        world.step(np.array(angles), time - now)
        now = time
        if commanding:
            targets = limiter.limit(cpg.output(time), 1 / CONTROL_RATE)
            control.play(joints, [(time, targets)], time)
        elif commanding is False:
            angles = angles_of(servos, control.tick(time), angles)
    return math.hypot(*world.base_pose()[:2, 3])


if __name__ == "__main__":
    sys.exit(run_node(ServoBody))
