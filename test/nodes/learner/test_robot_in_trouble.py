# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The learner with a robot, played, that falls over, is late, or is in trouble."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from bea_ros_interfaces.srv import EvaluateFitness
from played_learning import Learning, nan
from robot_player import FITNESS
from std_msgs.msg import Float64, String

from bea_ros.nodes.shared.qos import CONTROL, LATCHED
from bea_ros.runs.folder.run_folder import read_evaluations

pytestmark = pytest.mark.graph


def test_a_candidate_that_tumbles_each_time_counts_as_the_worst_in_simulation(
    domain: int, tmp_path: Path
) -> None:
    fell, lost = (
        EvaluateFitness.Response(message=f"the robot {what}", tumbled=True)
        for what in ("fell over 12.1 s after the start", "was not seen for 1.2 s")
    )
    blind = EvaluateFitness.Response(message="the robot was not seen at the start")
    simulated = {"operator": "none", "use_sim_time": True}
    with Learning(tmp_path / "run", domain, "/tumbles", **simulated) as learning:
        evaluation = learning.hold_next()
        learning.robot.leave()  # an interruption is none of the three attempts
        learning.wait_for(learning.stands_still)
        learning.robot.nonsense = [nan, fell, lost, fell]  # no two are the same in Gazebo
        learning.robot.release()
        learning.wait_for(lambda: evaluation + 1 in learning.robot.asked)
        assert learning.robot.asked.count(evaluation) == 4
        record = read_evaluations(learning.run)[evaluation - 1]
        assert (record["fitness"], record["attempts"]) == (min(0.0, FITNESS), 3)
        learning.hear_next(fell, blind, fell)  # the camera is to blame as well
        assert learning.exit_code() == 1


def test_what_looked_carried_and_does_the_same_each_time_is_told(
    domain: int, tmp_path: Path
) -> None:
    def suspected(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
        answer.success, answer.tumbled, answer.message = False, True, "it was carried"
        return answer

    with Learning(tmp_path / "run", domain, "/suspected", operator="none") as learning:
        evaluation = learning.hear_next(*[suspected] * 3)
        learning.wait_for(lambda: evaluation + 1 in learning.robot.asked)
        assert learning.robot.asked.count(evaluation) == 3
        record = read_evaluations(learning.run)[evaluation - 1]
        assert (record["fitness"], record["attempts"]) == (FITNESS, 3)


def test_a_real_robot_that_lies_on_its_side_ends_a_run_that_nobody_attends(
    domain: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fell = EvaluateFitness.Response(message="the robot fell over", tumbled=True)
    with Learning(tmp_path / "run", domain, "/lies", operator="none") as learning:
        evaluation = learning.hear_next(*[fell] * 100)
        assert learning.exit_code() == 1
        assert learning.robot.asked[-3:] == [evaluation] * 3
        assert len(read_evaluations(learning.run)) == evaluation - 1
    again = f"evaluation {evaluation} cannot be trusted: the robot fell over; trying again"
    assert capfd.readouterr().out.count(again) == 2


def test_late_pulses_are_told_with_the_evaluation_and_too_many_repeat_it(
    domain: int, tmp_path: Path
) -> None:
    with Learning(tmp_path / "run", domain, "/late") as learning:
        node, seconds = learning.node, [1.0]
        told = node.create_publisher(Float64, "pulses_late", LATCHED)
        node.create_timer(0.05, lambda: told.publish(Float64(data=seconds[0])))
        learning.wait_for(told.get_subscription_count)
        learning.goes_on()
        few = learning.hold_next()
        seconds[0] += 0.03
        learning.robot.release()
        learning.goes_on()
        many = learning.hold_next()
        seconds[0] += 0.5
        learning.wait_for(learning.stands_still)
        learning.robot.release()
        learning.goes_on()
        assert learning.robot.asked.count(many) == 2
        times = [record["time"] for record in read_evaluations(learning.run)]
        assert times[few - 1]["late pulses"] == pytest.approx(0.03)
        assert "late pulses" not in times[many - 1]
        assert times[many - 1]["interruptions"] == 1


def test_who_is_in_trouble_is_named_and_nobody_else(
    domain: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Time stands still, then the robot's node is silent: neither is the controller's fault."""
    gazebo = {"operator": "none", "robot_backend": "gazebo"}
    with Learning(tmp_path / "run", domain, "/trouble", **gazebo) as learning:
        told = learning.node.create_publisher(String, "robot_trouble", CONTROL)

        def with_trouble(trouble: str, condition: Callable[[], bool]) -> Callable[[], bool]:
            def tell() -> bool:
                told.publish(String(data=trouble))
                return condition()

            return tell

        # It is asked for nothing before it has said how it is.
        learning.robot.refusal = starting = "it has not started"
        waiting = LearnerStatus.STATE_WAITING
        learning.wait_for(lambda: learning.statuses and learning.is_(waiting, "the robot's word"))
        learning.wait_for(with_trouble(starting, lambda: learning.is_(waiting, starting)))
        assert learning.robot.resets == 0
        learning.robot.refusal = ""
        learning.wait_for(with_trouble("", lambda: len(learning.robot.asked) > 1))
        learning.robot.hold()
        asked = len(learning.robot.asked)
        learning.wait_for(with_trouble("", lambda: len(learning.robot.asked) > asked))
        evaluation = learning.robot.asked[-1]
        still = "time stands still"
        learning.wait_for(with_trouble(still, lambda: learning.is_(waiting, still)))
        learning.wait_for(learning.stands_still)
        learning.robot.release()
        asked = len(learning.robot.asked)
        learning.wait_for(with_trouble("", lambda: len(learning.robot.asked) > asked + 1))
        assert learning.robot.asked[asked] == evaluation
        learning.becomes(waiting, "node fuzzer is silent")
        learning.wait_for(with_trouble("", lambda: learning.is_(LearnerStatus.STATE_LEARNING)))
        messages = {status.message for status in learning.statuses}
        known = ("", starting, still, "node fuzzer is silent", "the robot's word that it is well")
        assert {message.partition("waiting: ")[2] for message in messages} <= set(known)
        # Silent for good: it is waited for once, not once an attempt.
        capfd.readouterr()
        assert learning.exit_code() == 1
        said = "".join(capfd.readouterr())
        assert "node fuzzer is silent" in said
        assert said.count("node fuzzer is silent; trying again") <= 1
