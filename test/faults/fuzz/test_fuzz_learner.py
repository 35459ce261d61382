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
from peer import carried, odd_floats, stamps
from played_learning import Learning
from robot_player import Spoil

from bea_ros.nodes.shared.pose_messages import trajectory_of_message
from bea_ros.nodes.shared.robot.measurement import LARGEST
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.tasks import find_task

pytestmark = [pytest.mark.graph, pytest.mark.slow]
DURATION = 2.0  # s
places = st.integers(0, 2)


@st.composite
def spoils(draw: Any) -> Spoil:
    """What makes of a measurement what is almost one."""
    what = draw(st.sampled_from(["fitness", "term", "terms", "poses", "number", "stamp", "no"]))
    number, another, which, count = draw(odd_floats), draw(odd_floats), draw(places), draw(places)
    stamp, text = draw(stamps), draw(st.text())
    names = [carried(t) for t in draw(st.lists(st.text(), max_size=4))]

    def spoil(response: EvaluateFitness.Response) -> EvaluateFitness.Response:
        path: PathMessage = response.trajectory
        if what == "fitness":
            response.fitness = number
        elif what == "term":
            response.terms[which] = number
        elif what == "terms":
            response.term_names = names
        elif what == "poses":
            path.poses = path.poses[:count]
        elif what == "number":
            path.poses[1].pose.position.x = number
            path.poses[2].pose.orientation.z = another
        elif what == "stamp":
            path.poses[which].header.stamp = stamp
        else:
            response.success, response.message = False, carried(text)
        return response

    return spoil


def is_good(answer: EvaluateFitness.Response) -> bool:
    try:
        trajectory = trajectory_of_message(answer.trajectory)
    except ValueError:
        return False
    measured = find_task("gait").evaluate(trajectory, DURATION)
    return (
        answer.success
        and dict(zip(answer.term_names, answer.terms, strict=False))
        == pytest.approx(measured.terms, abs=1e-6)
        and answer.fitness == pytest.approx(measured.value, abs=1e-6)
        and (trajectory.t[0], trajectory.t[-1]) == (0.0, DURATION)
        and len(answer.term_names) == len(answer.terms)
    )


@pytest.fixture(scope="module")
def learning(domain: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Learning]:
    with Learning(tmp_path_factory.mktemp("learner") / "run", domain, "/learning") as made:
        made.wait_for(lambda: len(made.robot.asked) > 2)
        yield made
    logged = [record["fitness"] for record in read_evaluations(made.run)]
    assert len(logged) >= made.robot.asked[-1] - 1
    assert all(abs(fitness) <= LARGEST for fitness in logged)


@fuzz_slowly
@given(spoil=spoils())
def test_answers(learning: Learning, spoil: Spoil) -> None:
    count("answers to the learner")
    robot, said = learning.robot, []
    asked = len(robot.asked)

    def answer(measured: EvaluateFitness.Response) -> EvaluateFitness.Response:
        said.append(spoil(measured))
        return said[0]

    robot.nonsense = [answer]
    learning.wait_for(lambda: not robot.nonsense and len(robot.asked) > asked + 1)
    assert (robot.asked[asked] != robot.asked[asked + 1]) == is_good(said[0])


@fuzz_slowly
@given(requests=st.lists(st.sampled_from(["pause", "resume", "skip", "repeat_last"]), max_size=5))
def test_requests_of_an_operator(learning: Learning, requests: list[str]) -> None:
    count("operators' requests")
    for name in requests:
        assert learning.answer(name).message
    asked = len(learning.robot.asked)

    def goes_on() -> bool:
        if "pause" in requests:
            learning.answer("resume")
        return len(learning.robot.asked) > asked + 1

    learning.wait_for(goes_on)
