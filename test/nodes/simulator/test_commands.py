# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator plays commands by their stamps, and asks for more when there are none left."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import pytest
from peer import Peer
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.shared.qos import CLOCK, CONTROL, RESULTS, images
from bea_ros.nodes.shared.robot.commands import commands_of
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds, to_stamp
from bea_ros.robots import load_robot

ROBOT = load_robot("spider9")
NAMES = [joint.name for joint in ROBOT.joints]
PERIOD = SECOND // 20  # ns


def message_of(now: int, positions: list[float]) -> JointTrajectory:
    """Positions (rad) of all joints, one after another, from a time (ns) on."""
    message = JointTrajectory(joint_names=NAMES)
    message.header.stamp = to_stamp(now)
    for number, position in enumerate(positions, start=1):
        point = JointTrajectoryPoint(positions=[position] * len(NAMES))
        point.time_from_start.nanosec = number * PERIOD
        message.points.append(point)
    return message


def test_commands_are_played_by_their_times() -> None:
    begun, first = 100 * SECOND, [0.1] * len(NAMES)
    message = message_of(begun, [0.1, 0.2, 9.0])
    commands = commands_of(message, ROBOT, begun)
    played = [commands.at(begun + half * PERIOD // 2)[0] for half in (0, 1, 2, 3, 4, 5, 6, 99)]
    assert played == [0.1, 0.1, 0.2, 0.2, *[ROBOT.joints[0].upper] * 4]
    late = commands_of(message, ROBOT, begun + PERIOD)
    assert late == commands  # a message under way for a period lags behind no more than that
    for now in (begun - SECOND, begun + SECOND):  # by a clock that differs, or by none
        assert commands_of(message, ROBOT, now).at(now) == first
    assert commands_of(message_of(0, [0.1]), ROBOT, begun).at(begun) == first


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda m: m.points.clear(), "0 positions"),
        (lambda m: m.points[1].positions.pop(), "7 positions"),
        (lambda m: m.joint_names.append("leg_99"), "not one for each"),
        (lambda m: m.points[2].positions.__setitem__(3, math.nan), "not finite"),
        (lambda m: m.points.reverse(), "order of their times"),
    ],
)
def test_commands_that_cannot_be_meant_are_refused(spoil, why) -> None:
    message = message_of(SECOND, [0.1, 0.2, 0.3])
    message.joint_names = list(message.joint_names)
    spoil(message)
    with pytest.raises(ValueError, match=why):
        commands_of(message, ROBOT, SECOND)


class Driver:
    """Plays controller and localization to a simulator, which is a process of its own."""

    def __init__(self, domain: int) -> None:
        self.peer = peer = Peer("simulator", domain)
        self.told: list[int] = []  # ns, each time that the simulator told once
        self.angles: dict[int, float] = {}  # of a joint (rad) by the time (ns)
        self.plan = [0.0]
        self.commands = peer.node.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
        self.processed = peer.node.create_publisher(Header, "image_processed", RESULTS)
        node = peer.node
        node.create_subscription(Clock, "/clock", self.on_clock, CLOCK)
        node.create_subscription(JointState, "joint_states", self.on_states, 100)
        seen = self.processed.publish
        node.create_subscription(Image, "image_raw", lambda m: seen(m.header), images(True))

    def on_clock(self, message: Clock) -> None:
        now = to_nanoseconds(message.clock)
        if now not in self.told:
            self.told.append(now)
        self.commands.publish(message_of(now, self.plan))

    def on_states(self, message: JointState) -> None:
        self.angles[to_nanoseconds(message.header.stamp)] = message.position[0]

    def play(self, plan: list[float], times: int) -> list[int]:
        """Answer with these positions (rad), until the simulator has told so many times (ns)."""
        first, self.plan = len(self.told), plan
        self.peer.wait_for(lambda: len(self.told) >= first + times)
        return self.told[first:]


@pytest.fixture
def driver(domain: int) -> Iterator[Driver]:
    found = Driver(domain)
    yield found
    found.peer.close()


@pytest.mark.graph
def test_a_message_serves_as_many_control_periods_as_it_reaches(driver: Driver) -> None:
    """Between images, of which there are four a second."""
    driver.play([0.0], 2)  # it is put back
    for reach, periods in ((5, {5}), (9, {5}), (2, {1, 2}), (1, {1})):
        told = driver.play([0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0.1, 0.3, 0.1][:reach], 16)[3:]
        steps = {(b - a) // PERIOD for a, b in itertools.pairwise(told)}
        assert steps == periods


@pytest.mark.graph
def test_each_command_is_played_when_its_time_has_come(driver: Driver) -> None:
    driver.play([0.0], 2)
    swing = [0.0, 0.0, 0.0, 0.3, 0.3]
    told = driver.play(swing, 10)[4:-1]
    driver.peer.wait_for(lambda: max(driver.angles) > told[-1])
    around = [
        (driver.angles[now + 3 * PERIOD], driver.angles[now + 5 * PERIOD])
        for now in told
        if now + 3 * PERIOD in driver.angles and now + 5 * PERIOD in driver.angles
    ]
    assert around
    for before, after in around:
        assert before < 0.1 < 0.2 < after
