# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The controller node over real DDS, in real time: commands, limits, and what stops it."""

import itertools
import math

import numpy as np
import pytest
from bea_ros_interfaces.msg import CpgParameters
from controller_listener import ROBOT, Listener
from graph import end, node_process, wait_for
from std_msgs.msg import Bool

from bea_ros.nodes.cpg_controller import PARAMETERS
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph
RATE = 50.0


@pytest.fixture
def listener(domain):
    process = node_process("cpg_controller", domain, "-p", f"control_rate:={RATE}")
    with Listener(domain) as listening:
        listening.wait_for(lambda: listening.active and listening.commands)
        yield listening
        end(process)


def positions(listener):
    return np.array([command for _, _, command in listener.commands])


def stands(listener):
    """Whether no candidate moves the robot, and all joints are neutral."""
    return not listener.active[-1].names and (positions(listener)[-1] == 0.0).all()


def test_neutral_without_a_candidate(listener):
    listener.wait_for(lambda: len(listener.commands) > 20)
    assert (positions(listener) == 0.0).all()
    assert listener.active[-1].names == []


def test_candidate_is_followed_exactly_within_limits_and_rates(listener):
    evaluations = itertools.count(1)
    active, late = CpgParameters(), []

    def followed():
        """Again where a busy machine was silent for so long that the candidate was left."""
        nonlocal active, late
        listener.followed(2.0, next(evaluations))
        active = listener.active[-1]
        listener.wait_for(lambda: not listener.active[-1].names)
        begun, left = (to_nanoseconds(m.header.stamp) for m in (active, listener.active[-1]))
        # the first steps have to catch up
        late = [at for _, at, _ in listener.commands if begun + 0.5 * SECOND < at < left]
        return len(late) > 20

    listener.wait_for(followed)
    start = to_nanoseconds(active.header.stamp)
    network = CpgNetwork.from_weights(ROBOT, dict(zip(active.names, active.values, strict=True)))
    lower = np.array([joint.lower for joint in ROBOT.joints])
    upper = np.array([joint.upper for joint in ROBOT.joints])
    commands = positions(listener)
    assert (commands >= lower).all()
    assert (commands <= upper).all()
    step = max(joint.velocity for joint in ROBOT.joints) / RATE
    plans = np.array(list(listener.plans.values()))
    assert plans.shape[1:] == (math.ceil(0.25 * RATE), len(ROBOT.joints))
    assert np.abs(np.diff(plans, axis=1)).max() <= step + 1e-12
    # every command is the network's output at its stamp
    for stamp in late:
        for i, command in enumerate(listener.plans[stamp]):
            output = network.output((stamp - start) / SECOND + i / RATE)
            # The first is limited by a steady clock, from which a busy machine's stamps differ.
            assert command == pytest.approx(output, abs=1e-9 if i else 0.01)


def test_silence_stops_the_robot(listener):
    last = listener.followed(1.0)
    assert np.abs(positions(listener)).max() > 0.05
    listener.wait_for(lambda: listener.active[-1].names == [])  # that neutral has been reached
    listener.wait_for(lambda: (positions(listener)[-1] == 0.0).all())
    # Half a second in all: no parameter makes the wait longer than 0.3 s, and then the joints go
    # as fast as they may, which is counted in periods.
    assert next(p.high for p in PARAMETERS if p.name == "silence") <= 0.3
    stopped = to_nanoseconds(listener.active[-1].header.stamp)
    still_moving = [c for _, stamp, c in listener.commands if stamp > stopped and c.any()]
    assert len(still_moving) <= 0.2 * RATE
    # the candidate that was abandoned does not move the robot again by being repeated
    listener.keep(listener.candidate(last), 0.5)
    assert (positions(listener)[-1] == 0.0).all()

    def again():  # after a stop it does
        listener.parameters.publish(CpgParameters(robot="spider9"))
        listener.listen(0.2)
        listener.keep(listener.candidate(last), 0.5)

    wait_for(lambda: np.abs(positions(listener)[-1]).max() > 0.05, again)


def test_a_gait_that_is_published_again_moves_the_robot_again(listener):
    """As by `ros2 topic pub` of the same best.yaml: the candidate has the same number."""
    last = listener.followed(0.5)
    listener.wait_for(lambda: stands(listener))
    listener.node.destroy_publisher(listener.parameters)
    listener.parameters = None
    listener.wait_for(lambda: not listener.node.count_publishers("cpg_parameters"))
    listener.listen(1.0)  # nobody starts the command again at once
    listener.parameters = listener.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
    wait_for(
        lambda: np.abs(positions(listener)[-1]).max() > 0.05,
        lambda: listener.keep(listener.candidate(last), 0.5),
    )


class Servos:
    """Says whether they follow, again and again, as a servo driver does, until it is None."""

    def __init__(self, node):
        self.armed = True
        self.publisher = node.create_publisher(Bool, "armed", LATCHED)
        node.create_timer(0.1, self.say)

    def say(self):
        if self.armed is not None:
            self.publisher.publish(Bool(data=self.armed))


@pytest.mark.parametrize("gone", [False, None], ids=["they say so", "their driver is silent"])
def test_a_candidate_is_left_when_the_servos_do_not_follow(listener, gone):
    servos = Servos(listener.node)
    last = listener.followed(0.5)
    servos.armed = gone
    wait_for(lambda: stands(listener), lambda: listener.keep(listener.candidate(last), 0.1))
    for evaluation in (last, last + 1):  # neither this one again nor another one
        listener.keep(listener.candidate(evaluation), 0.5)
        assert listener.active[-1].names == []
    assert (positions(listener)[-1] == 0.0).all()
    servos.armed = True
    listener.followed(0.5, last + 2)


def test_told_to_stop_it_says_when_it_left_the_candidate(listener):
    listener.followed(0.5)
    before = to_nanoseconds(listener.active[-1].header.stamp)
    listener.parameters.publish(CpgParameters(robot="spider9"))
    listener.wait_for(lambda: stands(listener))
    stopped = to_nanoseconds(listener.active[-1].header.stamp)
    assert stopped > before
    # nothing is left of what the candidate was to do
    assert all((plan[-1] == 0.0).all() for at, plan in listener.plans.items() if at >= stopped)
    assert min(at for at in listener.plans if at >= stopped) == stopped


def test_parameters_that_are_not_for_this_robot_are_refused(listener):
    wrong = listener.candidate(1, robot="gecko7")
    nan = listener.candidate(2)
    nan.values[3] = math.nan
    unknown = listener.candidate(3)
    unknown.names = ["leg_77", *unknown.names[1:]]
    short = listener.candidate(4)
    short.values = short.values[:-1]
    for message in (wrong, nan, unknown, short):
        listener.keep(message, 0.3)
    assert {tuple(active.names) for active in listener.active} == {()}
    assert (positions(listener) == 0.0).all()
    listener.followed(0.5, 5)  # it did hear


def test_a_candidate_from_the_future_is_refused(listener):
    """The clocks of two machines differ: the evaluation would begin before the motion."""
    later = listener.candidate(1)
    later.header.stamp = to_stamp(listener.node.get_clock().now().nanoseconds + SECOND)
    listener.keep(later, 2.0)
    assert {tuple(active.names) for active in listener.active} == {()}
    listener.followed(0.5, 2)  # it did hear


def test_while_two_say_what_to_do_nobody_is_heeded(listener):
    last = listener.followed(0.5)
    stranger = listener.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
    wait_for(lambda: stands(listener), lambda: listener.keep(listener.candidate(last), 0.1))
    listener.node.destroy_publisher(stranger)
    listener.followed(0.5, last + 1)
