# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a robot's side answers and an operator asks: the learner logs measurements alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from bea_ros_interfaces.srv import EvaluateFitness
from fuzzing import count, fuzz_slowly
from hypothesis import given
from hypothesis import strategies as st
from nav_msgs.msg import Path as PathMessage
from peer import Peer, carried, odd_floats, stamps
from robot_player import TOLD, RobotPlayer, measured
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.pose_messages import trajectory_of
from bea_ros.nodes.shared.robot_client import LARGEST
from bea_ros.nodes.shared.stamps import SECOND
from bea_ros.runs.folder import read_evaluations

pytestmark = [pytest.mark.graph, pytest.mark.slow]
DURATION = 2.0  # s


@st.composite
def answers(draw: Any) -> EvaluateFitness.Response:
    """What is almost a measurement."""
    response = measured(SECOND)
    path: PathMessage = response.trajectory
    what = draw(st.sampled_from(["fitness", "term", "terms", "poses", "number", "stamp", "no"]))
    if what == "fitness":
        response.fitness = draw(odd_floats)
    elif what == "term":
        response.terms = [draw(odd_floats)]
    elif what == "terms":
        response.term_names = [carried(t) for t in draw(st.lists(st.text(), max_size=3))]
    elif what == "poses":
        path.poses = path.poses[: draw(st.integers(0, 2))]
    elif what == "number":
        path.poses[1].pose.position.x = draw(odd_floats)
        path.poses[2].pose.orientation.z = draw(odd_floats)
    elif what == "stamp":
        path.poses[draw(st.integers(0, 2))].header.stamp = draw(stamps)
    else:
        response.success, response.message = False, carried(draw(st.text()))
    return response


def is_good(answer: EvaluateFitness.Response) -> bool:
    try:
        trajectory = trajectory_of(answer.trajectory)
    except ValueError:
        return False
    return (
        answer.success
        and len(answer.term_names) == len(answer.terms)
        and all(abs(number) <= LARGEST for number in [answer.fitness, *answer.terms])
        and abs(trajectory.positions).max() <= LARGEST
        and trajectory.t[-1] <= TOLD
    )


@pytest.fixture(scope="module")
def learner(domain: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    run = tmp_path_factory.mktemp("learner") / "run"
    values = {
        "output": run, "duration": DURATION, "algorithm": "ea", "evaluations": 10**6,
        "operator": "present", "reset": "service", "confirm": 0,
    }  # fmt: skip
    words = [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
    peer = Peer("learner", domain, *words, namespace="/learning")
    peer.robot = RobotPlayer(peer.node)
    names = ("pause", "resume", "skip", "repeat_last")
    peer.services = {n: peer.node.create_client(Trigger, f"learner/{n}") for n in names}
    peer.wait_for(lambda: len(peer.robot.asked) > 2)
    yield peer
    peer.close()
    logged = [record["fitness"] for record in read_evaluations(run)]
    assert len(logged) >= peer.robot.asked[-1] - 1
    assert all(abs(fitness) <= LARGEST for fitness in logged)


@fuzz_slowly
@given(answer=answers())
def test_answers(learner: Peer, answer: EvaluateFitness.Response) -> None:
    count("answers to the learner")
    robot = learner.robot
    asked = len(robot.asked)
    robot.nonsense = [answer]
    learner.wait_for(lambda: not robot.nonsense and len(robot.asked) > asked + 1)
    assert (robot.asked[asked] != robot.asked[asked + 1]) == is_good(answer)


@fuzz_slowly
@given(requests=st.lists(st.sampled_from(["pause", "resume", "skip", "repeat_last"]), max_size=5))
def test_requests_of_an_operator(learner: Peer, requests: list[str]) -> None:
    count("operators' requests")

    def ask(name: str) -> Trigger.Response:
        answer = learner.services[name].call_async(Trigger.Request())
        learner.wait_for(answer.done)
        return answer.result()

    for name in requests:
        answer = ask(name)
        assert answer.message
    asked = len(learner.robot.asked)

    def goes_on() -> bool:
        if "pause" in requests:
            ask("resume")
        return len(learner.robot.asked) > asked + 1

    learner.wait_for(goes_on)
