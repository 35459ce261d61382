# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Commands are played by their times."""

from __future__ import annotations

import math

import pytest
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.nodes.simulator.commands import commands_of
from bea_ros.robots import load_robot
from bea_ros.system.nanoseconds import SECOND

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
