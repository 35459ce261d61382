# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes over the network: what moves the joints keeps them within their limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bea_ros_interfaces.msg import LearnerStatus
from builtin_interfaces.msg import Time
from fuzzing import count, fuzz
from hypothesis import given
from hypothesis import strategies as st
from peer import Peer, carried, odd_floats, stamps
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

from bea_ros.nodes.shared.qos import CONTROL, LATCHED, RESULTS
from bea_ros.robots import load_robot

pytestmark = [pytest.mark.graph, pytest.mark.slow]
ROBOT = load_robot("spider9")
NAMES = [joint.name for joint in ROBOT.joints]
LOWER = np.array([joint.lower for joint in ROBOT.joints])
UPPER = np.array([joint.upper for joint in ROBOT.joints])
SOFT = 0.05  # rad by which MuJoCo lets a joint press beyond its limit


@st.composite
def commands(draw: Any) -> JointTrajectory:
    """What is almost a command."""
    names, positions = list(NAMES), [0.3] * len(NAMES)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(NAMES) - 1))
        what = draw(st.sampled_from(["position", "position", "name", "more", "fewer"]))
        if what == "position":
            positions[at % len(positions)] = draw(odd_floats)
        elif what == "name":
            names[at % len(names)] = carried(draw(st.text(max_size=20)))
        elif what == "more":
            positions.append(draw(odd_floats))
        else:
            positions.pop()
    points = [JointTrajectoryPoint(positions=positions)] * draw(st.sampled_from([1, 1, 1, 0, 2]))
    message = JointTrajectory(joint_names=names, points=points)
    message.header.stamp = draw(stamps)
    return message


def moving(module: str, domain: int, *words: str) -> Peer:
    """Something that moves joints, and tells where they are."""
    peer = Peer(module, domain, *words, namespace=f"/{module}")
    peer.commands = peer.node.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
    peer.processed = peer.node.create_publisher(Header, "image_processed", RESULTS)
    peer.states = []
    peer.node.create_subscription(JointState, "joint_states", peer.states.append, CONTROL)
    peer.wait_for(lambda: peer.states and peer.commands.get_subscription_count())
    return peer


def obey(peer: Peer, message: JointTrajectory, soft: float) -> None:
    """The joints stay within their limits when this is said."""
    del peer.states[:]
    peer.commands.publish(message)
    peer.wait_for(lambda: len(peer.states) > 1)
    for state in peer.states:
        positions = np.array(state.position)
        assert ((positions >= LOWER - soft) & (positions <= UPPER + soft)).all()
        assert np.isfinite(state.velocity).all()


@pytest.fixture(scope="module")
def simulator(domain: int) -> Iterator[Peer]:
    peer = moving("simulator", domain, "-p", "lockstep:=false", "-p", "real_time_factor:=20.0")
    try:
        yield peer
        # A command that it obeyed drives the joints still, and then it is not put back.
        neutral = JointTrajectoryPoint(positions=[0.0] * len(NAMES))
        obey(peer, JointTrajectory(joint_names=NAMES, points=[neutral]), SOFT)
        reset = peer.node.create_client(Trigger, "reset")
        answer = reset.call_async(Trigger.Request())
        peer.wait_for(answer.done)
        assert answer.result().success, answer.result().message
    finally:
        peer.close()


@fuzz
@given(message=commands(), stamp=stamps)
def test_commands_to_the_simulator(simulator: Peer, message: JointTrajectory, stamp: Time) -> None:
    count("commands to the simulator")
    simulator.processed.publish(Header(stamp=stamp))
    obey(simulator, message, SOFT)


@pytest.fixture(scope="module")
def driver(domain: int) -> Iterator[Peer]:
    peer = moving("servo_driver", domain, "-p", "pins:=mock")
    peer.batteries = peer.node.create_publisher(BatteryState, "battery_state", CONTROL)
    peer.arm = peer.node.create_client(SetBool, "servo_driver/arm")
    peer.wait_for(peer.arm.service_is_ready)
    with peer:
        yield peer


@fuzz
@given(message=commands(), voltage=st.floats(width=32), percentage=st.floats(width=32),
       arm=st.booleans())  # fmt: skip
def test_commands_to_the_servos(
    driver: Peer, message: JointTrajectory, voltage: float, percentage: float, arm: bool
) -> None:
    count("commands to the servos")
    driver.batteries.publish(BatteryState(voltage=voltage, percentage=percentage))
    answer = driver.arm.call_async(SetBool.Request(data=arm))
    driver.wait_for(answer.done)
    assert answer.result().success or answer.result().message
    obey(driver, message, 0.0)


@pytest.fixture(scope="module")
def monitor(domain: int) -> Iterator[Peer]:
    peer = Peer("monitor", domain, namespace="/monitor")
    peer.status = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
    peer.markers = []
    peer.node.create_subscription(MarkerArray, "markers", peer.markers.append, LATCHED)
    peer.wait_for(lambda: peer.markers and peer.status.get_subscription_count())
    with peer:
        yield peer


@fuzz
@given(words=st.lists(st.text(max_size=20).map(carried), min_size=5, max_size=5),
       numbers=st.lists(odd_floats, min_size=2, max_size=2))  # fmt: skip
def test_words_of_a_learner(monitor: Peer, words: list[str], numbers: list[float]) -> None:
    count("words to the monitor")
    state, message, robot, task, stage = words
    del monitor.markers[:]
    monitor.status.publish(
        LearnerStatus(
            state=state, message=message, robot=robot, task=task, stage=stage,
            fitness=numbers[0], best_fitness=numbers[1],
        )
    )  # fmt: skip
    monitor.wait_for(lambda: monitor.markers)
