# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who stands beside a learner in its graph: hears what it says, and asks it for something."""

from bea_ros_interfaces.msg import LearnerStatus
from diagnostic_msgs.msg import DiagnosticArray
from guest import Guest
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.qos import LATCHED


class Bystander(Guest):
    """Hears what the learner says of itself, in the graph that it is in."""

    def __init__(self, domain):
        super().__init__("bystander", domain)
        self.states, self.levels = [], {}
        self.node.create_subscription(LearnerStatus, "learner/status", self.states.append, LATCHED)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.on_diagnostics, 10)

    def on_diagnostics(self, message):
        self.levels |= {status.name: (status.level, status.message) for status in message.status}

    def ask(self, service):
        client = self.node.create_client(Trigger, service)
        self.wait_for(client.service_is_ready)
        return self.call(client, Trigger.Request())

    def paused(self, words=""):
        last = self.states[-1] if self.states else LearnerStatus()
        return last.state == LearnerStatus.STATE_PAUSED and words in last.message

    def resumed_until(self, words):
        """Whether it is paused with these words; it resumes from a pause as a node was gone."""
        if self.paused() and not self.paused(words):
            self.ask("learner/resume")
        return self.paused(words)
