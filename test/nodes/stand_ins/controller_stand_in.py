# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A controller of ros2_control as those see it who command it: topic, parameter, joint states.

It plays a trajectory as joint_trajectory_controller does: by its stamp, linear between positions,
the last one from then on; it refuses what that refuses.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.system.nanoseconds import SECOND

EACH = QoSProfile(depth=1000)  # also those of a while in which this process had no turn
TOPICS = {
    "trajectory": ("~/joint_trajectory", JointTrajectory),
    "position": ("~/commands", Float64MultiArray),
}
OTHER = ("~/commands", Float64MultiArray)  # of forward controllers of another interface


class StandIn:
    """The controller that `node` is, for these joints in this order."""

    def __init__(self, node: Node, kind: str, joints: Sequence[str]) -> None:
        self.node, self.joints = node, list(joints)
        node.declare_parameter("joints", self.joints)
        topic, message = TOPICS.get(kind, OTHER)
        if message is Float64MultiArray:
            node.declare_parameter("interface_name", kind)
        heed = self.on_trajectory if kind == "trajectory" else self.on_commands
        self.subscription = node.create_subscription(message, topic, heed, EACH)
        self.states = node.create_publisher(JointState, "joint_states", 10)
        self.position = np.zeros(len(self.joints))
        self.stuck: dict[str, float] = {}
        self.silent = False
        self.told = list(self.joints)  # of whose positions it tells
        self.heard: list[JointTrajectory | Float64MultiArray] = []
        self.refused: list[str] = []
        self.times, self.targets = np.zeros(1), self.position[None]

    @property
    def now(self) -> int:
        return self.node.get_clock().now().nanoseconds

    def on_trajectory(self, message: JointTrajectory) -> None:
        self.heard.append(message)
        lengths = [to_nanoseconds(point.time_from_start) for point in message.points]
        if sorted(message.joint_names) != sorted(self.joints) or not lengths:
            self.refused.append("joints or points")
        elif any(after <= before for before, after in itertools.pairwise(lengths)):
            self.refused.append("times")
        elif (start := to_nanoseconds(message.header.stamp)) and start + lengths[-1] < self.now:
            self.refused.append("it ends in the past")
        else:
            order = [message.joint_names.index(joint) for joint in self.joints]
            self.times = (start or self.now) + np.array(lengths)
            self.targets = np.array([p.positions for p in message.points])[:, order]
            if self.times[0] > self.now:  # from where the joints are
                self.times = np.insert(self.times, 0, self.now)
                self.targets = np.vstack([self.position, self.targets])

    def on_commands(self, message: Float64MultiArray) -> None:
        self.heard.append(message)
        if len(message.data) != len(self.joints):
            self.refused.append("joints")
        else:
            self.times, self.targets = np.zeros(1), np.array([message.data])

    def put(self, positions: dict[str, float]) -> None:
        """The joints are there, and stay."""
        self.position = np.array([positions.get(joint, 0.0) for joint in self.joints])
        self.times, self.targets = np.zeros(1), self.position[None]

    def update(self) -> None:
        """The joints are where they are told to be now, and say so."""
        if len(self.times) > 1:
            seconds, now = (
                (self.times - self.times[0]) / SECOND,
                (self.now - self.times[0]) / SECOND,
            )
            self.position = np.array([np.interp(now, seconds, track) for track in self.targets.T])
        else:
            self.position = self.targets[0].copy()
        for joint, position in self.stuck.items():
            self.position[self.joints.index(joint)] = position
        if self.silent:
            return
        known = dict(zip(self.joints, self.position.tolist(), strict=True))
        message = JointState(name=[*self.told, "gripper"])
        message.position = [*(known[joint] for joint in self.told), 0.1]
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.states.publish(message)
