# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Node gazebo ends all that `gz sim` started, also what has a session of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from graph import after, alive, end, in_domain, node_process, refusal, wait_for
from peer import Peer
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.robots import load_robot
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph

# As `gz sim` with a window: it starts a server apart from itself, and takes long to end.
GZ = f"""#!{sys.executable}
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = subprocess.Popen(["sleep", "600"], start_new_session=True)
with open(os.environ["SERVER"], "w") as file:
    print(server.pid, file=file)
time.sleep(600)
"""


def test_without_gazebo_one_line_says_what_to_install(domain: int) -> None:
    environment = in_domain(domain, PATH=os.path.dirname(sys.executable))
    said = refusal("gazebo", domain, env=environment)
    assert said.startswith("gazebo: gz is not found: install Gazebo")


def test_the_server_ends_with_the_node(domain: int, server: Path) -> None:
    node = node_process("gazebo", domain)
    wait_for(lambda: server.exists() and server.read_text().endswith("\n"))
    process = int(server.read_text())
    assert alive(process)
    end(node)
    wait_for(lambda: not alive(process))


@pytest.mark.usefixtures("server")
def test_a_robot_whose_joints_are_driven_is_not_put_back(domain: int) -> None:
    joints = [joint.name for joint in load_robot("spider9").joints]
    with Peer("gazebo", domain, namespace="/driven") as peer:
        commands = peer.node.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
        states = peer.node.create_publisher(JointState, "joint_states", CONTROL)
        put_back: list[Empty] = []
        peer.node.create_subscription(Empty, "put_back", put_back.append, CONTROL)
        reset = peer.node.create_client(Trigger, "reset")
        peer.wait_for(reset.service_is_ready)
        begun = time.monotonic()

        def answered(position: float, done: Callable[[], bool]) -> bool:
            """Say where the joints are commanded to, and that they are there and still."""
            point = JointTrajectoryPoint(positions=[position] * len(joints))
            commands.publish(JointTrajectory(joint_names=joints, points=[point]))
            state = JointState(name=joints, velocity=[0.0] * len(joints))
            state.header.stamp = to_stamp(round((time.monotonic() - begun) * SECOND))
            states.publish(state)
            return done()

        peer.wait_for(states.get_subscription_count)
        peer.wait_for(commands.get_subscription_count)
        later = after(0.5)
        peer.wait_for(lambda: answered(0.3, later))

        def asked(position: float, done: Callable[[], bool]) -> str:
            """The answer to a reset, if it comes before something is done."""
            answer = reset.call_async(Trigger.Request())
            peer.wait_for(lambda: answered(position, lambda: answer.done() or done()))
            return str(answer.result().message) if answer.done() else ""

        # Again where a busy machine let this process say nothing, so that Gazebo stood still.
        peer.wait_for(lambda: "drives the joints" in asked(0.3, lambda: False))
        assert not put_back
        peer.wait_for(lambda: asked(0.0, lambda: bool(put_back)) == "" and put_back)
