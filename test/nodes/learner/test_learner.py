# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The learner with a robot that is played: nonsense, silence, limp servos, and its operator."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from bea_ros_interfaces.srv import EvaluateFitness
from peer import Peer
from robot_player import FITNESS, RobotPlayer, Spoil, measured
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.qos import CONTROL, LATCHED
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds
from bea_ros.runs.folder import read_evaluations
from bea_ros.runs.measurements import measurements

pytestmark = pytest.mark.graph
REQUESTS = ("pause", "resume", "skip", "abort", "repeat_last")


class Learning:
    """A learner, its robot, which is played, and its operator."""

    def __init__(
        self, run: Path, domain: int, namespace: str, operator: str = "present", **more: Any
    ) -> None:
        self.run = run
        values = {
            "output": run, "duration": 2.0, "algorithm": "ea", "evaluations": 10**6,
            "operator": operator, "reset": "service", "confirm": 0, **more,
        }  # fmt: skip
        words = [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
        self.peer = Peer("learner", domain, *words, namespace=namespace)
        node = self.peer.node
        self.robot = RobotPlayer(node)
        self.requests = {n: node.create_client(Trigger, f"learner/{n}") for n in REQUESTS}
        self.statuses: list[LearnerStatus] = []
        node.create_subscription(LearnerStatus, "learner/status", self.statuses.append, LATCHED)
        self.armed = node.create_publisher(Bool, "armed", LATCHED)

    def __enter__(self) -> Learning:
        return self

    def __exit__(self, *_: object) -> None:
        self.peer.close()

    def wait_for(self, condition: Any) -> None:
        self.peer.wait_for(condition)

    def answer(self, name: str) -> Trigger.Response:
        self.wait_for(self.requests[name].service_is_ready)
        answer = self.requests[name].call_async(Trigger.Request())
        self.wait_for(answer.done)
        return answer.result()

    def ask(self, name: str) -> None:
        answer = self.answer(name)
        assert answer.success, answer.message

    def hold_next(self) -> int:
        """Have the next evaluation wait for its measurement; returns its number."""
        self.robot.hold()
        asked = len(self.robot.asked)
        self.wait_for(lambda: len(self.robot.asked) > asked)
        return self.robot.asked[-1]

    def goes_on(self) -> None:
        asked = len(self.robot.asked)
        self.wait_for(lambda: len(self.robot.asked) > asked + 1)

    def is_(self, state: str, words: str = "") -> bool:
        return self.statuses[-1].state == state and words in self.statuses[-1].message

    def stands_still(self) -> bool:
        return not self.robot.told.names


@pytest.fixture(scope="module")
def learning(domain: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Learning]:
    with Learning(tmp_path_factory.mktemp("learner") / "run", domain, "/one") as made:
        made.goes_on()
        yield made


def nan(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    answer.fitness = math.nan
    return answer


def test_what_is_no_number_is_measured_again_and_not_logged(learning: Learning) -> None:
    evaluation = learning.hold_next()
    learning.robot.nonsense = [nan]
    learning.robot.release()
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2
    logged = read_evaluations(learning.run)
    assert all(record["fitness"] == FITNESS for record in logged)
    assert measurements(logged[evaluation - 1]) == [FITNESS]


def late(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    return measured(to_nanoseconds(answer.trajectory.header.stamp) + SECOND // 10, 2.0)


def short(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    return measured(to_nanoseconds(answer.trajectory.header.stamp), 0.01)


def better(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    answer.fitness = answer.terms[0] = 42.0
    return answer


def fast(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    """From one end of the arena to the other between two images."""
    for pose in answer.trajectory.poses[1:]:
        pose.pose.position.x = 42.0 * 2.0
    answer.fitness, answer.terms = 42.0, [42.0, 84.0, 84.0, 2.0]
    return answer


def gap(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    answer.trajectory.poses.pop()
    return answer


@pytest.mark.parametrize("wrong", [late, short, better, fast, gap])
def test_an_answer_that_does_not_fit_what_was_asked_is_no_measurement(
    learning: Learning, wrong: Spoil
) -> None:
    evaluation = learning.hold_next()
    learning.robot.nonsense = [wrong]
    learning.robot.release()
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2
    logged = read_evaluations(learning.run)
    assert measurements(logged[evaluation - 1]) == [FITNESS]


def test_nonsense_thrice_stops_the_robot_until_the_operator_resumes(learning: Learning) -> None:
    evaluation = learning.hold_next()
    learning.robot.nonsense = [nan, nan, nan]
    learning.robot.release()
    learning.wait_for(lambda: learning.is_(LearnerStatus.STATE_PAUSED, "attempt 3 of 3"))
    learning.wait_for(learning.stands_still)
    learning.ask("resume")
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 4


def test_a_paused_learner_stops_the_robot_and_tries_its_candidate_anew(learning: Learning) -> None:
    began = time.monotonic()
    evaluation = learning.hold_next()
    learning.ask("pause")
    learning.wait_for(learning.stands_still)
    learning.wait_for(lambda: learning.is_(LearnerStatus.STATE_PAUSED, "by the operator"))
    paused = time.monotonic()
    learning.robot.release()
    learning.wait_for(learning.peer.after(2.0))
    assert learning.robot.asked[-1] == evaluation
    pause = time.monotonic() - paused
    learning.ask("resume")
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2
    spent = read_evaluations(learning.run)[evaluation - 1]["time"]["evaluation"]
    assert spent <= time.monotonic() - began - pause, "a pause is no time spent on learning"


def test_a_candidate_that_the_operator_skips_counts_as_the_worst(learning: Learning) -> None:
    walking = learning.hold_next()
    learning.ask("skip")
    learning.wait_for(lambda: walking + 1 in learning.robot.asked)
    learning.robot.nonsense = [EvaluateFitness.Response(message="the robot fell over")] * 4
    learning.robot.release()
    learning.wait_for(lambda: learning.is_(LearnerStatus.STATE_PAUSED, "attempt 3 of 3"))
    fallen = learning.robot.asked[-1]
    learning.ask("skip")
    learning.goes_on()
    records = read_evaluations(learning.run)
    assert [records[n - 1]["fitness"] for n in (walking, fallen)] == [0.0, 0.0]
    assert [records[n - 1]["attempts"] for n in (walking, fallen)] == [1, 3]
    assert all(records[n - 1]["given_up"] for n in (walking, fallen))
    assert learning.robot.asked[-1] > fallen > walking, "and the run goes on"


def test_no_other_candidate_is_skipped_than_the_one_that_was_meant(learning: Learning) -> None:
    def given_up() -> int:
        return sum(r.get("given_up", False) for r in read_evaluations(learning.run))

    before = given_up()
    evaluation = learning.hold_next()
    learning.ask("pause")
    learning.wait_for(lambda: learning.is_(LearnerStatus.STATE_PAUSED))
    learning.ask("repeat_last")
    assert learning.answer("skip").message.startswith("the last evaluation is to be measured")
    learning.ask("resume")
    learning.robot.release()
    learning.wait_for(lambda: learning.robot.asked.count(evaluation - 1) == 2)
    learning.goes_on()
    learning.hold_next()
    learning.robot.vanish()
    learning.ask("skip")  # and the next one cannot be measured, so it is not tried
    learning.wait_for(
        lambda: learning.is_(LearnerStatus.STATE_WAITING, "waiting for camera_localization")
    )
    assert learning.answer("skip").message == "no candidate is being tried"
    learning.robot.serve()
    learning.goes_on()
    assert given_up() == before + 1


def test_a_robot_that_nobody_measures_stands_still(learning: Learning) -> None:
    """The localization is gone: the learner waits for it, but the robot does not walk on."""
    evaluation = learning.hold_next()
    assert learning.robot.told.names
    learning.robot.vanish()
    learning.wait_for(
        lambda: learning.is_(LearnerStatus.STATE_WAITING, "waiting for camera_localization")
    )
    assert learning.stands_still()
    learning.robot.serve()
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2


def test_nor_does_it_walk_on_while_the_operator_wants_the_last_one_repeated(
    learning: Learning,
) -> None:
    evaluation = learning.hold_next()
    learning.robot.vanish()
    learning.ask("repeat_last")
    learning.wait_for(
        lambda: learning.is_(LearnerStatus.STATE_WAITING, "waiting for camera_localization")
    )
    assert learning.stands_still()
    learning.robot.serve()
    asked = len(learning.robot.asked)
    learning.goes_on()
    assert learning.robot.asked[asked : asked + 2] == [evaluation - 1, evaluation]


def test_what_limp_servos_did_is_no_measurement(learning: Learning) -> None:
    evaluation = learning.hold_next()
    learning.armed.publish(Bool(data=False))
    learning.wait_for(learning.stands_still)
    learning.robot.release()
    asked = len(learning.robot.asked)
    learning.armed.publish(Bool(data=True))
    learning.wait_for(lambda: len(learning.robot.asked) > asked + 1)
    assert learning.robot.asked[asked] == evaluation
    attempts = read_evaluations(learning.run)[evaluation - 1]["time"]["interruptions"]
    assert attempts == 1


def test_the_last_evaluation_is_repeated_and_so_it_is_after_a_resume(
    domain: int, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with Learning(run, domain, "/other") as learning:
        learning.goes_on()
        last = learning.hold_next() - 1
        learning.ask("repeat_last")
        learning.wait_for(learning.stands_still)
        learning.robot.release()
        learning.wait_for(lambda: learning.robot.asked.count(last) == 2)
        learning.goes_on()
        learning.hold_next()
        learning.ask("abort")
        assert learning.peer.process.wait(60) == 0
    done = len(read_evaluations(run))
    with Learning(run, domain, "/again") as again:
        again.wait_for(lambda: again.statuses)
        assert again.statuses[0].evaluation == done
        assert again.statuses[0].best_fitness == FITNESS
        assert again.hold_next() == done + 1
        again.ask("repeat_last")
        again.wait_for(again.stands_still)
        again.robot.release()
        again.goes_on()
        assert again.robot.asked[1] == done
    assert read_evaluations(run)[done - 1]["doubted"] == [FITNESS]


# These have learners of their own: the one above gets no answers meanwhile.


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
        learning.hold_next()
        learning.robot.nonsense = [fell, blind, fell]  # the camera is to blame as well
        learning.robot.release()
        while learning.peer.process.poll() is None:
            learning.peer.executor.spin_once(timeout_sec=0.01)
        assert learning.peer.process.returncode == 1


def test_a_real_robot_that_lies_on_its_side_ends_a_run_that_nobody_attends(
    domain: int, tmp_path: Path
) -> None:
    fell = EvaluateFitness.Response(message="the robot fell over", tumbled=True)
    with Learning(tmp_path / "run", domain, "/lies", operator="none") as learning:
        evaluation = learning.hold_next()
        learning.robot.nonsense = [fell] * 100
        learning.robot.release()
        while learning.peer.process.poll() is None:
            learning.peer.executor.spin_once(timeout_sec=0.01)
        assert learning.peer.process.returncode == 1
        assert learning.robot.asked[-3:] == [evaluation] * 3
        assert len(read_evaluations(learning.run)) == evaluation - 1


def test_late_pulses_are_told_with_the_evaluation_and_too_many_repeat_it(
    domain: int, tmp_path: Path
) -> None:
    with Learning(tmp_path / "run", domain, "/late") as learning:
        node, seconds = learning.peer.node, [1.0]
        told = node.create_publisher(Float64, "pulses_late", LATCHED)
        node.create_timer(0.05, lambda: told.publish(Float64(data=seconds[0])))
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


def test_who_is_in_trouble_is_named_and_nobody_else(domain: int, tmp_path: Path) -> None:
    """Time stands still, then the robot's node is silent: neither is the controller's fault."""
    with Learning(tmp_path / "run", domain, "/trouble", operator="none") as learning:
        told = learning.peer.node.create_publisher(String, "robot_trouble", CONTROL)

        def with_trouble(trouble: str, condition: Callable[[], bool]) -> Callable[[], bool]:
            def tell() -> bool:
                told.publish(String(data=trouble))
                return condition()

            return tell

        learning.goes_on()
        evaluation = learning.hold_next()
        still = "time stands still"
        learning.wait_for(
            with_trouble(still, lambda: learning.is_(LearnerStatus.STATE_WAITING, still))
        )
        assert learning.stands_still()
        learning.robot.release()
        asked = len(learning.robot.asked)
        learning.wait_for(with_trouble("", lambda: len(learning.robot.asked) > asked + 1))
        assert learning.robot.asked[asked] == evaluation
        learning.wait_for(
            lambda: learning.is_(LearnerStatus.STATE_WAITING, "node fuzzer is silent")
        )
        learning.wait_for(with_trouble("", lambda: learning.is_(LearnerStatus.STATE_LEARNING)))
        messages = {status.message for status in learning.statuses}
        assert messages <= {"", f"waiting: {still}", "waiting: node fuzzer is silent"}
