# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who stands beside a learner in its graph: hears what it says, and asks it for something."""

from contextlib import contextmanager

import rclpy
from bea_ros_interfaces.msg import LearnerStatus
from diagnostic_msgs.msg import DiagnosticArray
from graph import wait_for
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.qos import LATCHED


class Bystander:
    """Hears what the learner says of itself, in the graph that it is in."""

    def __init__(self, domain):
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("bystander", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.states, self.levels = [], {}
        self.node.create_subscription(LearnerStatus, "learner/status", self.states.append, LATCHED)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.on_diagnostics, 10)

    def on_diagnostics(self, message):
        self.levels |= {status.name: (status.level, status.message) for status in message.status}

    def wait_for(self, condition, seconds=60.0):
        def spun():
            self.executor.spin_once(timeout_sec=0.02)
            return condition()

        wait_for(spun, seconds)

    def call(self, service):
        client = self.node.create_client(Trigger, service)
        self.wait_for(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.wait_for(future.done)
        return future.result()

    def paused(self):
        return bool(self.states) and self.states[-1].state == LearnerStatus.STATE_PAUSED


@contextmanager
def bystander(domain):
    one = Bystander(domain)
    try:
        yield one
    finally:
        one.node.destroy_node()
        rclpy.shutdown(context=one.context)
