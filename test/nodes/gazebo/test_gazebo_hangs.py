# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Node gazebo and a server that hangs, whose time a program plays."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from graph import alive, wait_for
from peer import Peer
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from bea_ros.gazebo.standing import PAUSED, STILL
from bea_ros.nodes.shared.qos import CLOCK, CONTROL
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph

# In place of `gz sim`: it counts its time in a file, from where it is told to begin.
GZ = f"""#!{sys.executable}
import os, sys, time
words = sys.argv
begin = float(words[words.index("--initial-sim-time") + 1]) if "--initial-sim-time" in words else 0
began = time.monotonic()
here = os.environ["SERVER"]
while True:
    with open(here + ".new", "w") as file:
        print(os.getpid(), os.getcwd(), begin + time.monotonic() - began, file=file)
    os.rename(here + ".new", here)
    time.sleep(0.02)
"""


class Robot(Peer):
    """A node gazebo, and what its server's bridge would say."""

    def __init__(self, domain: int, server: Path) -> None:
        super().__init__("gazebo", domain, "-p", "headless:=true", namespace="/hangs")
        self.server, node = server, self.node
        self.states = node.create_publisher(JointState, "joint_states", CONTROL)
        self.clock = node.create_publisher(Clock, "clock", CLOCK)
        self.troubles: list[str] = []
        node.create_subscription(
            String, "robot_trouble", lambda message: self.troubles.append(message.data), CONTROL
        )
        self.reset = node.create_client(Trigger, "reset")
        self.said = 0.0
        self.moves = True

    def spin(self) -> None:
        """Say the server's time, as long as it goes on, and handle what has come."""
        self.play()
        super().spin()

    def play(self) -> None:
        if not self.server.exists():
            return
        now = float(self.server.read_text().split()[-1])
        if now != self.said and self.moves:
            self.said = now
            stamp = to_stamp(round(now * SECOND))
            state = JointState(name=["joint"], position=[0.0], velocity=[0.0])
            state.header.stamp = stamp
            self.states.publish(state)
        if not self.moves:
            self.clock.publish(Clock(clock=to_stamp(round(self.said * SECOND))))

    def is_said(self, trouble: str) -> bool:
        return bool(self.troubles) and self.troubles[-1] == trouble

    def running(self) -> tuple[psutil.Process, Path]:
        """The server, and its folder."""
        pid, folder, _ = self.server.read_text().split()
        return psutil.Process(int(pid)), Path(folder)


@pytest.fixture
def robot(domain: int, server: Path) -> Iterator[Robot]:
    with Robot(domain, server) as made:
        made.wait_for(lambda: made.is_said(""))
        yield made
        made.process.kill()


def test_a_server_that_hangs_is_named_and_started_again(robot: Robot) -> None:
    server, folder = robot.running()
    server.send_signal(signal.SIGSTOP)
    robot.wait_for(lambda: robot.is_said(STILL))
    hung = robot.said
    answer = robot.reset.call_async(Trigger.Request())
    robot.wait_for(answer.done)
    assert answer.result().message == STILL
    robot.wait_for(lambda: robot.said > hung and robot.is_said(""))
    assert robot.said > hung + 1.0  # its time does not go back
    wait_for(lambda: not alive(server.pid) and not folder.exists())
    again, other = robot.running()
    assert again.is_running()
    assert (other / "arena.sdf").exists()


def test_a_pause_is_called_a_pause(robot: Robot) -> None:
    server, _ = robot.running()
    robot.moves = False
    robot.wait_for(lambda: robot.is_said(PAUSED))
    robot.moves = True
    robot.wait_for(lambda: robot.is_said(""))
    assert robot.running()[0] == server


def test_a_hung_server_does_not_outlive_a_killed_node(robot: Robot) -> None:
    server, folder = robot.running()
    server.send_signal(signal.SIGSTOP)
    robot.process.kill()
    wait_for(lambda: not alive(server.pid) and not folder.exists())
