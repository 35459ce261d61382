# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays the learner of spider9 to a controller."""

import time

import numpy as np
import rclpy
from bea_ros_interfaces.msg import CpgParameters
from rclpy.executors import SingleThreadedExecutor
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.robots import load_robot

ROBOT = load_robot("spider9")


class Listener:
    """Plays the learner and keeps what the controller says."""

    def __init__(self, domain):
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("listener", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.parameters = self.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
        self.commands = []  # (wall, stamp, positions)
        self.plans = {}  # all positions of a message by its stamp
        self.active = []
        self.node.create_subscription(JointTrajectory, "joint_trajectory", self.on_command, 100)
        self.node.create_subscription(
            CpgParameters, "active_parameters", self.active.append, LATCHED
        )

    def on_command(self, message):
        stamp = to_nanoseconds(message.header.stamp)
        assert message.joint_names == [joint.name for joint in ROBOT.joints]
        self.plans[stamp] = np.array([point.positions for point in message.points])
        self.commands.append((time.monotonic(), stamp, np.array(message.points[0].positions)))

    def candidate(self, evaluation, scale=1.5, robot="spider9", seed=0):
        weights = np.random.default_rng(seed).uniform(-scale, scale, len(ROBOT.parameter_names))
        return CpgParameters(
            evaluation=evaluation, attempt=1, robot=robot, names=ROBOT.parameter_names,
            values=weights.tolist(),
        )  # fmt: skip

    def keep(self, message, seconds):
        """Publish a candidate as a learner does, again and again, for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.parameters.publish(message)
            beat = time.monotonic() + 0.05
            while time.monotonic() < beat:
                self.executor.spin_once(timeout_sec=0.01)

    def wait_for(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            self.executor.spin_once(timeout_sec=0.01)

    def listen(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.01)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
