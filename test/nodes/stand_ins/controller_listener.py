# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays the learner of spider9 to a controller."""

import itertools
import time

import numpy as np
from bea_ros_interfaces.msg import CpgParameters
from graph import after, wait_for
from guest import EACH, Guest
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.robots import load_robot
from bea_ros.system.nanoseconds import SECOND

ROBOT = load_robot("spider9")


class Listener(Guest):
    """Plays the learner and keeps what the controller says."""

    def __init__(self, domain):
        super().__init__("listener", domain)
        self.parameters = self.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
        self.commands = []  # (wall, stamp, positions)
        self.plans = {}  # all positions of a message by its stamp
        self.active = []
        self.node.create_subscription(JointTrajectory, "joint_trajectory", self.on_command, EACH)
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
        over = after(seconds)
        while not over():
            self.parameters.publish(message)
            self.listen(0.05)

    def followed(self, seconds, first=1):
        """Have a candidate drive the joints for about so long; returns its evaluation.

        It is `first`, or a later one where a busy machine was silent for too long.
        """
        evaluations = itertools.count(first)

        def another():
            self.keep(self.candidate(next(evaluations)), seconds)

        def followed():
            active = self.active[-1] if self.active else CpgParameters()
            driven = self.commands[-1][1] - to_nanoseconds(active.header.stamp)
            return active.evaluation >= first and driven > 0.6 * seconds * SECOND

        wait_for(followed, another)
        return self.active[-1].evaluation
