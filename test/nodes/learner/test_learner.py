# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The learner with a robot that is played: nonsense, silence, limp servos, and its operator."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from bea_ros_interfaces.srv import EvaluateFitness
from graph import HANGS
from played_learning import Learning, nan
from robot_player import FITNESS, Spoil, measured
from std_msgs.msg import Bool

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import settings_of
from bea_ros.runs.folder.measurements import measurements
from bea_ros.runs.folder.run_folder import read_evaluations

pytestmark = pytest.mark.graph


@pytest.fixture(scope="module")
def learning(domain: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Learning]:
    with Learning(tmp_path_factory.mktemp("learner") / "run", domain, "/one") as made:
        made.goes_on()
        yield made


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


def elsewhere(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    """By a localization that was started again with another arena."""
    robot = load_robot("spider9")
    arena = load_arena(robot)
    other = replace(arena, width=arena.width / 2).frame
    answer.settings = f"{other}, robot {robot.check}"
    return answer


@pytest.mark.parametrize("wrong", [nan, late, short, better, fast, gap, elsewhere])
def test_an_answer_that_does_not_fit_what_was_asked_is_no_measurement(
    learning: Learning, wrong: Spoil
) -> None:
    evaluation = learning.hear_next(wrong)
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2
    logged = read_evaluations(learning.run)
    assert all(record["fitness"] == FITNESS for record in logged)
    assert measurements(logged[evaluation - 1]) == [FITNESS]


def test_a_controller_that_restarted_or_has_another_clock_is_noticed(learning: Learning) -> None:
    """The learner slept meanwhile: all that it hears of this is what drives the joints now."""
    evaluation = learning.hold_next()
    learning.robot.restarts = 1
    learning.robot.release()
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2
    before, learning.robot.now = learning.robot.now, time.time_ns()
    learning.becomes(LearnerStatus.STATE_PAUSED, "s ahead of this machine")
    learning.robot.now = before
    learning.ask("resume")


OUTPUT, RATE, FRICTION = "output clip", "control_rate 40.0", "physics.friction 0.5"


@pytest.mark.parametrize("other", [OUTPUT, RATE, FRICTION])
def test_a_node_that_was_started_with_other_settings_is_refused(
    learning: Learning, other: str
) -> None:
    """The learner knows the output itself, the other settings from what was reported before."""
    robot, spider = learning.robot, load_robot("spider9")
    driven = f"{settings_of(spider, 'servo', 'tanh', 1.0)}, control_rate 20.0"
    usual = driven, f"robot {spider.check}, physics.friction 1.0"
    robot.settings, robot.reset_settings = usual
    learning.goes_on()
    learning.hold_next()
    name = other.split()[0]
    robot.settings, robot.reset_settings = (re.sub(f"{name} [^,]+", other, w) for w in usual)
    robot.release()
    learning.becomes(LearnerStatus.STATE_PAUSED, f"has {other}, this run")
    asked = len(robot.asked)
    robot.settings, robot.reset_settings = usual
    learning.ask("resume")
    learning.goes_on()
    numbers = robot.asked[asked - 1 :]
    assert numbers[1] == numbers[0] + 1, "nobody was asked to measure what it did"


def test_no_evaluation_begins_by_what_somebody_else_answers_for_the_robot(
    learning: Learning,
) -> None:
    """A second server of `reset`, which left before the learner saw that there were two."""
    robot, spider = learning.robot, load_robot("spider9")
    own = f"robot {spider.check}, physics.friction 1.0"
    robot.reset_settings = own
    learning.goes_on()
    evaluation = learning.hold_next()
    robot.reset_settings = "it is back"
    asked, resets = len(robot.asked), robot.resets
    robot.release()
    learning.wait_for(lambda: robot.resets > resets + 2)
    assert robot.asked[asked:] == []
    robot.reset_settings = own
    learning.goes_on()
    assert robot.asked[asked] == evaluation + 1
    logged = [record["evaluation"] for record in read_evaluations(learning.run)]
    assert logged == list(range(1, len(logged) + 1))


def test_nonsense_thrice_stops_the_robot_until_the_operator_resumes(learning: Learning) -> None:
    evaluation = learning.hear_next(nan, nan, nan)
    learning.becomes(LearnerStatus.STATE_PAUSED, "attempt 3 of 3")
    learning.wait_for(learning.stands_still)
    learning.ask("resume")
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 4


def test_a_paused_learner_stops_the_robot_and_tries_its_candidate_anew(learning: Learning) -> None:
    began = time.monotonic()
    learning.goes_on()  # else the next one may have begun before
    evaluation = learning.hold_next()
    learning.ask("pause")
    learning.wait_for(learning.stands_still)
    learning.becomes(LearnerStatus.STATE_PAUSED, "by the operator")
    paused = time.monotonic()
    learning.robot.release()
    learning.listen(2.0)
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
    learning.becomes(LearnerStatus.STATE_PAUSED, "attempt 3 of 3")
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
    learning.becomes(LearnerStatus.STATE_PAUSED)
    learning.ask("repeat_last")
    assert learning.answer("skip").message.startswith("the last evaluation is to be measured")
    learning.ask("resume")
    learning.robot.release()
    learning.wait_for(lambda: learning.robot.asked.count(evaluation - 1) == 2)
    learning.goes_on()
    learning.hold_next()
    learning.robot.vanish()
    learning.ask("skip")  # and the next one cannot be measured, so it is not tried
    learning.becomes(LearnerStatus.STATE_WAITING, "waiting for camera_localization")
    assert learning.answer("skip").message == "no candidate is being tried"
    learning.robot.serve()
    learning.goes_on()
    assert given_up() == before + 1


def test_a_robot_that_nobody_measures_stands_still(learning: Learning) -> None:
    """The localization is gone: the learner waits for it, but the robot does not walk on."""
    evaluation = learning.hold_next()
    assert learning.robot.told.names
    learning.robot.vanish()
    learning.becomes(LearnerStatus.STATE_WAITING, "waiting for camera_localization")
    learning.wait_for(learning.stands_still)
    learning.robot.serve()
    learning.goes_on()
    assert learning.robot.asked.count(evaluation) == 2


def test_nor_does_it_walk_on_while_the_operator_wants_the_last_one_repeated(
    learning: Learning,
) -> None:
    evaluation = learning.hold_next()
    learning.robot.vanish()
    learning.ask("repeat_last")
    learning.becomes(LearnerStatus.STATE_WAITING, "waiting for camera_localization")
    learning.wait_for(learning.stands_still)
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
        assert learning.process.wait(HANGS) == 0
    done = len(read_evaluations(run))
    with Learning(run, domain, "/again") as again:
        again.robot.hold()
        again.wait_for(lambda: again.statuses and again.robot.asked)
        assert again.statuses[0].evaluation == done
        assert again.statuses[0].best_fitness == FITNESS
        assert again.robot.asked == [done + 1]
        again.ask("repeat_last")
        again.wait_for(again.stands_still)
        again.robot.release()
        again.goes_on()
        assert again.robot.asked[1] == done
    assert read_evaluations(run)[done - 1]["doubted"] == [FITNESS]
