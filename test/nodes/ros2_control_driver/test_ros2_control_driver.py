# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot whose joints a controller of ros2_control moves: arming, limits, and every stop."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import rclpy
from controller_stand_in import TOPICS, StandIn
from graph import BEA, end, evaluations_in, kill_all, start
from guest import in_this_process
from operator_desk import Desk
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger

from bea_ros.nodes.ros2_control_driver.node import Ros2ControlDriver
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds
from bea_ros.robots import load_robot

pytestmark = pytest.mark.graph

ROBOT = load_robot("spider9")
LEGS = [joint.name for joint in ROBOT.joints]
LIMIT = ROBOT.joints[0].upper
LATE = {"it ends in the past"}  # what waited too long in this process, on a busy machine
NEUTRAL = pytest.approx(np.zeros(len(LEGS)), abs=1e-9)


class Operator(Desk):
    """A desk whose driver commands a controller, of joints in another order than the robot's."""

    driver = "ros2_control_driver"

    def __init__(self, folder: Path, domain: int) -> None:
        super().__init__(folder, domain)
        self.legs = self.controller("joint_trajectory_controller", "trajectory")

    def controller(self, name: str, kind: str, joints: list[str] | None = None) -> StandIn:
        """A controller in place of the one before."""
        if hasattr(self, "legs"):
            self.executor.remove_node(self.legs.node)
            self.legs.node.destroy_node()
        node = rclpy.create_node(name, context=self.context)
        self.legs = StandIn(node, kind, joints or LEGS[::-1])
        node.create_timer(0.02, self.legs.update)
        self.executor.add_node(node)
        return self.legs

    def powered(self) -> bool:
        return True

    def at(self, joint: str) -> float:
        return float(self.legs.position[self.legs.joints.index(joint)])

    def keeps(self, joint: str, position: float, since: int) -> bool:
        """Whether a joint is at a position (rad) and told to stay, not before a time (ns)."""
        last = self.legs.heard[-1]
        told = {point.positions[last.joint_names.index(joint)] for point in last.points}
        sent = to_nanoseconds(last.header.stamp)
        return sent > since and told == {position} == {self.at(joint)}

    def still(self) -> None:
        """Wait until the joints stand and nobody is told anything."""
        heard = -1

        def quiet() -> bool:
            nonlocal heard
            before, heard = heard, len(self.legs.heard)
            position = self.legs.position.copy()
            for _ in range(10):
                self.executor.spin_once(timeout_sec=0.05)
            return before == heard and bool((position == self.legs.position).all())

        self.wait(quiet)


@pytest.fixture
def operator(tmp_path: Path, domain: int) -> Iterator[Operator]:
    made = Operator(tmp_path, domain)
    yield made
    made.legs.node.destroy_node()
    made.close()


def positions_told(legs: StandIn) -> list[np.ndarray]:
    """What each message has the joints be at first, in the controller's order."""
    told = []
    for message in legs.heard:
        if hasattr(message, "points"):
            order = [message.joint_names.index(joint) for joint in legs.joints]
            told.append(np.array(message.points[0].positions)[order])
        else:
            told.append(np.array(message.data))
    return told


@pytest.mark.parametrize("kind", TOPICS)
def test_joints_go_where_they_are_told_within_their_limits_once_armed(
    operator: Operator, kind: str
) -> None:
    legs = operator.controller("legs", kind)
    legs.put({"leg_00": 0.4, "leg_31": -0.3})
    operator.start("controller:=legs", "neutral_speed:=5.0")
    operator.command = {"leg_00": 0.5}
    operator.still()
    assert not legs.heard  # nothing moves before it is armed
    assert set(operator.armed) <= {False}

    operator.up({"leg_00": 0.5, "leg_11": -0.2})
    operator.wait(lambda: operator.armed[-1])
    operator.wait(lambda: (operator.at("leg_00"), operator.at("leg_11")) == (0.5, -0.2))
    assert np.abs(positions_told(legs)[0]).max() == pytest.approx(0.4, abs=0.1)  # where it was
    operator.command = {"leg_00": 3.0, "leg_11": -3.0}
    operator.wait(lambda: (operator.at("leg_00"), operator.at("leg_11")) == (LIMIT, -LIMIT))
    assert set(legs.refused) <= LATE

    for wrong in ({"leg_00": math.nan}, {"leg_77": 0.3}):
        operator.is_refused_to_play(wrong)
    operator.command = {"leg_00": 0.0, "leg_11": 0.0}
    assert operator.call(operator.resetting, Trigger.Request()).success
    assert legs.position == pytest.approx(np.zeros(len(LEGS)), abs=0.1)


def test_a_trajectory_is_the_next_quarter_of_a_second_below_the_joints_speed(
    operator: Operator,
) -> None:
    operator.legs.put({"leg_00": 0.5})
    operator.start("neutral_speed:=1.0")
    operator.up({"leg_00": 0.7})
    operator.wait(lambda: operator.at("leg_00") == 0.7)
    fastest = ROBOT.joints[0].velocity
    # A busy machine may let no command through for a while: then the joints are told to stand.
    moving = [m for m in operator.legs.heard if len(m.points) > 2]
    for message in moving:
        times = [to_nanoseconds(point.time_from_start) / SECOND for point in message.points]
        assert (times[0], max(times)) == (0.0, pytest.approx(0.25, abs=0.03))
        tracks = np.array([point.positions for point in message.points])
        speeds = np.abs(np.diff(tracks, axis=0)) / np.diff(times)[:, None]
        assert speeds.max() <= fastest + 1e-6
        assert message.header.stamp.sec > 0
    homing = operator.legs.heard[0]  # from where it is, at the neutral speed
    leg = homing.joint_names.index("leg_00")
    way = [point.positions[leg] for point in homing.points]
    assert way[0] == pytest.approx(0.5, abs=0.03)
    assert [before - after for before, after in pairwise(way)] == pytest.approx([0.025] * 10)


def test_a_driver_that_was_held_up_goes_on_from_where_the_controller_is(domain: int) -> None:
    with in_this_process(Ros2ControlDriver, domain) as driver:
        driver.controller._topic = "joint_trajectory"
        driver.measured = dict.fromkeys(LEGS, 0.0)
        driver.prepare()
        driver.control.arm(0.0)
        driver.move(now := 0.0)
        for pause in (0.02, 0.03, 0.09, 0.2, 0.4, 0.45):
            at = np.interp(pause / driver.period, range(11), [told[0] for told in driver.sent])
            now += pause
            driver.control.play(LEGS[:1], [(now + 0.1, [LIMIT]), (now + 0.5, [-LIMIT])], now)
            driver.move(now)
            assert driver.sent[0][0] == pytest.approx(at)


STOPS: dict[str, Callable[[Operator], object]] = {
    "no joint command": lambda operator: setattr(operator, "command", None),
    "disarmed": lambda operator: operator.arm(False),
    "asked for by service": lambda operator: operator.call(operator.stopping, Trigger.Request()),
    "asked for by topic": lambda operator: operator.stops.publish(Bool(data=True)),
    "no /joint_states for": lambda operator: setattr(operator.legs, "silent", True),
    "other nodes publish": lambda operator: operator.node.create_publisher(
        operator.legs.heard[0].__class__, "joint_trajectory_controller/joint_trajectory", 10
    ),
}


def test_joints_are_told_to_stand_still_and_no_more(operator: Operator) -> None:
    operator.start("neutral_speed:=5.0")
    for reason in STOPS:
        stopped_by(operator, reason)
        operator.disarm()


def stopped_by(operator: Operator, reason: str) -> None:
    emergency = reason.startswith("asked")
    wanted = ("emergency stop" if emergency else "relaxed", reason)

    def stopped() -> bool:
        """Again where a busy machine had stopped them before, for another reason."""
        operator.legs.silent = False
        operator.up({"leg_00": 0.3})
        operator.arm()  # nobody does from now on: the joints do not go to neutral once more
        answered = operator.legs.now
        kept = operator.within(5.0, lambda: operator.keeps("leg_00", 0.3, answered))
        operator.hear_states(5)  # the driver knows where it is
        if not kept or not operator.is_in("following"):
            return False
        STOPS[reason](operator)
        return operator.within(10.0, lambda: operator.is_in(*wanted))

    operator.wait(stopped)
    operator.still()
    *_, last = operator.legs.heard
    assert {tuple(point.positions) for point in last.points} == {tuple(last.points[0].positions)}
    operator.command = {"leg_00": -0.3}
    operator.still()
    assert operator.legs.heard[-1] is last  # commands alone set nothing in motion
    assert operator.at("leg_00") == pytest.approx(0.3, abs=0.1)
    operator.wait(lambda: not operator.armed[-1])
    if emergency:
        operator.is_refused("emergency stop: disarm first")


def test_a_driver_that_is_killed_leaves_joints_that_stand(operator: Operator) -> None:
    process = operator.start("neutral_speed:=5.0")
    operator.up({"leg_00": 0.5})
    operator.wait(lambda: operator.at("leg_00") == 0.5)
    operator.keeping = False
    process.send_signal(signal.SIGKILL)
    process.wait()
    operator.still()
    assert operator.at("leg_00") == 0.5
    stopped = to_nanoseconds(operator.legs.heard[-1].header.stamp) + 0.3 * SECOND
    assert operator.legs.times[-1] <= stopped


def test_what_is_wrong_with_the_controller_is_named(operator: Operator) -> None:
    legs = operator.legs
    legs.told = [leg for leg in LEGS if leg != "leg_31"]
    operator.start("neutral_speed:=5.0", "reset_patience:=3.0")
    operator.wait(lambda: "does not tell where leg_31 are" in operator.arm().message)
    legs.told = LEGS
    operator.up()
    legs.told = LEGS[:-1]  # as one whose encoder fails while it moves
    operator.wait(lambda: operator.is_in("relaxed", f"does not tell where {LEGS[-1]} are"))
    legs.told = LEGS
    operator.up()
    legs.stuck = {"leg_00": 0.4}
    operator.hear_states(20)

    def refused() -> bool:
        """Again where a busy machine had relaxed the joints when it was answered."""
        answer = operator.call(operator.resetting, Trigger.Request())
        assert not answer.success
        return "the joints do not go to neutral, leg_00 is at 0.40 rad" in answer.message

    operator.wait(refused)
    legs.stuck = {"leg_00": 1.4}

    def armed_anew() -> str:  # where the leg is comes after a while
        operator.arm(False)
        return str(operator.arm().message)

    operator.wait(lambda: "leg_00 is at 1.40 rad, beyond its limits" in armed_anew())
    operator.controller("joint_trajectory_controller", "trajectory", ["shoulder", "elbow"])
    operator.wait(lambda: "has the joints shoulder, elbow, the robot" in operator.arm().message)
    operator.controller("arm", "trajectory")
    missing = "no controller joint_trajectory_controller listens to"
    operator.wait(lambda: missing in operator.arm().message)
    assert set(legs.refused) <= LATE


def test_a_robot_learns_by_its_controller(operator: Operator, tmp_path: Path) -> None:
    """The whole graph; the body is the controller, too."""
    operator.executor.remove_node(operator.legs.node)
    operator.legs.node.destroy_node()
    operator.node.destroy_publisher(operator.trajectories)  # the controller commands
    environment = {**os.environ, "ROS_DOMAIN_ID": str(operator.domain)}
    body = subprocess.Popen(
        [sys.executable, Path(__file__).parents[1] / "stand_ins/controlled_body.py"],
        env=environment,
    )
    words = ["learn", "--robot-backend", "ros2_control", "--operator", "none", "--page", "off"]
    words += ["--evaluations", "10", "--duration", "1", "--output", str(tmp_path / "run")]
    learner = start([*BEA, *words], env=environment)
    try:

        def learned() -> bool:
            if not (operator.armed and operator.armed[-1]):
                operator.arming.call_async(SetBool.Request(data=True))
                for _ in range(20):
                    operator.executor.spin_once(timeout_sec=0.05)
            operator.executor.spin_once(timeout_sec=0.05)
            assert learner.poll() is None, learner.communicate()[0]
            return evaluations_in(tmp_path / "run") > 1

        operator.wait(learned)
    finally:
        kill_all(learner)
        end(body)
