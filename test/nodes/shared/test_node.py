# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A message that Fast DDS does not send ends no node."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
import rclpy.node
from graph import in_domain, wait_for
from guest import Guest
from rclpy._rclpy_pybind11 import RCLError
from rclpy.publisher import Publisher
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

# Keeps what a reliable listener has not confirmed, until there is no room.
EVERYTHING = QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.RELIABLE)
ROOM = 5000  # messages
LISTENER = """
import rclpy
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node("listener")
every = QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.RELIABLE)
node.create_subscription(String, "talk", print, every)
rclpy.spin(node)
"""


def fill(publisher: Publisher) -> None:
    for _ in range(ROOM + 2):
        publisher.publish(String(data="one"))


@pytest.mark.graph
def test_a_message_that_cannot_be_sent_ends_no_node(
    domain: int, capfd: pytest.CaptureFixture
) -> None:
    with Guest("ours", domain) as guest:
        listener = subprocess.Popen([sys.executable, "-c", LISTENER], env=in_domain(domain))
        try:
            ours = guest.node.create_publisher(String, "talk", EVERYTHING)
            wait_for(ours.get_subscription_count)
            listener.send_signal(signal.SIGSTOP)
            lost = "[ours]: a message on /talk is lost"
            # Once was not always enough on a busy machine.
            wait_for(lambda: lost in capfd.readouterr().err, lambda: fill(ours))
            other = rclpy.node.Node("other", context=guest.context)
            theirs = other.create_publisher(String, "talk", EVERYTHING)
            wait_for(theirs.get_subscription_count)
            with pytest.raises(RCLError, match="cannot publish data"):
                fill(theirs)
        finally:
            listener.kill()
            listener.wait()
