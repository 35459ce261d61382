# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The fitness functions against hand-worked trajectories."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bea_ros.tasks import TASKS, Task, TaskError, Trajectory, find_task, title_of


def straight(
    distance: float, direction: float, yaw: float = 0.0, duration: float = 30.0
) -> Trajectory:
    t = np.linspace(0, duration, 61)
    s = distance * t / duration
    return Trajectory(t, s * math.cos(direction), s * math.sin(direction), np.full_like(t, yaw))


def test_gait_is_net_displacement_over_duration():
    there_and_back = Trajectory([0, 10, 20, 30], [0, 3, 3, 0], [0, 0, 4, 4], [0, 0, 0, 0])
    fitness = find_task("gait:chords=0").evaluate(there_and_back)
    assert fitness.value == pytest.approx(4 / 30)
    assert fitness.terms["path_length"] == pytest.approx(10)
    path = find_task("gait:form=path:chords=0")
    assert path.evaluate(there_and_back).value == pytest.approx(10 / 30)


def test_directed_locomotion_straight_ahead_is_the_distance():
    assert find_task("directed_locomotion").evaluate(
        straight(1.72, direction=0.3, yaw=0.3)
    ).value == pytest.approx(1.72)


def test_directed_locomotion_by_hand():
    # 45 degrees off: D = P = 1/sqrt(2), L = 1, alpha = pi/4
    fitness = find_task("directed_locomotion").evaluate(straight(1.0, direction=math.pi / 4))
    d = math.sqrt(0.5)
    assert fitness.value == pytest.approx(d * (d / (math.pi / 4 + 1) - 0.01 * d))
    assert fitness.terms["angle"] == pytest.approx(math.pi / 4)


def test_directed_locomotion_backwards_is_negative_and_target_direction_counts():
    backwards = straight(1.0, direction=math.pi)
    assert find_task("directed_locomotion").evaluate(backwards).value < 0
    rear = find_task(f"directed_locomotion:direction={math.pi}")
    assert rear.evaluate(backwards).value == pytest.approx(1.0)


def test_rotating_counts_whole_turns_and_punishes_the_path():
    t = np.linspace(0, 15, 61)
    yaw = np.linspace(0, 4 * math.pi, 61)
    on_the_spot = Trajectory(
        t, np.zeros(61), np.zeros(61), (yaw + math.pi) % (2 * math.pi) - math.pi
    )
    assert find_task("rotating").evaluate(on_the_spot).value == pytest.approx(4 * math.pi)
    moving = Trajectory(t, t / 15, np.zeros(61), yaw)
    assert find_task("rotating").evaluate(moving).value == pytest.approx(4 * math.pi - 3.0)
    clockwise = Trajectory(t, np.zeros(61), np.zeros(61), -yaw)
    assert find_task("rotating").evaluate(clockwise).value == pytest.approx(-4 * math.pi)


@pytest.mark.parametrize("name", ["gait", "directed_locomotion", "rotating"])
def test_a_robot_that_does_not_move_gets_nothing(name):
    still = Trajectory([0, 1, 2], [1, 1, 1], [2, 2, 2], [3, 3, 3])
    assert find_task(name).evaluate(still).value == 0.0


def test_an_evaluation_cut_short_counts_as_if_the_robot_had_gone_on():
    half, whole = straight(0.9, 0.2, duration=30.0), straight(1.8, 0.2, duration=60.0)
    directed = find_task("directed_locomotion")
    assert directed.evaluate(half, 60.0).value == pytest.approx(directed.evaluate(whole).value)
    assert directed.evaluate(half, 60.0).terms["duration"] == 30.0
    assert find_task("gait").evaluate(half, 60.0).value == pytest.approx(0.03)


def test_noise_does_not_lengthen_the_published_path_as_it_does_the_full_one():
    noise = np.random.default_rng(0).normal(0, 0.002, (2, 601))
    t = np.linspace(0, 30, 601)
    tracked = Trajectory(t, t / 30 + noise[0], noise[1], np.zeros(601))
    gait = find_task("gait")
    assert gait.evaluate(tracked).terms["path_length"] == pytest.approx(1.0, rel=0.01)
    assert find_task("gait:chords=0").evaluate(tracked).terms["path_length"] > 1.5


@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(-math.pi, math.pi))
def test_fitness_does_not_depend_on_where_the_robot_starts(x, y, turn):
    t = np.linspace(0, 15, 31)
    path = np.column_stack([0.05 * t, 0.02 * t**1.5])
    yaw = 0.1 * t
    c, s = math.cos(turn), math.sin(turn)
    moved = path @ np.array([[c, s], [-s, c]]) + [x, y]
    for name in ("gait", "directed_locomotion", "rotating"):
        here = find_task(name).evaluate(Trajectory(t, *path.T, yaw)).value
        there = find_task(name).evaluate(Trajectory(t, *moved.T, yaw + turn)).value
        assert there == pytest.approx(here, abs=1e-9)


def test_people_read_a_task_without_underscores_and_its_options_as_they_are_typed():
    assert title_of("directed_locomotion") == "directed locomotion"
    assert title_of("rotating:path_weight=1") == "rotating:path_weight=1"


def test_bad_input_is_named():
    with pytest.raises(
        TaskError, match=r"no task 'gallop', only gait, directed_locomotion, rotating"
    ):
        find_task("gallop")
    with pytest.raises(ValueError, match="finite"):
        Trajectory([0, 1], [0, math.nan], [0, 0], [0, 0])
    with pytest.raises(ValueError, match="increase"):
        Trajectory([0, 0], [0, 0], [0, 0], [0, 0])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rotating:wieght=3", "task rotating has no option 'wieght', only path_weight, chords"),
        ("rotating:", "task rotating has no option '', only path_weight, chords"),
        ("gait:form=path:form=path", "task gait:form=path:form=path has an option twice"),
        ("gait:form=arc", "gait has the forms displacement and path, not 'arc'"),
        ("gait:chords", "task gait: chords is '': allowed is a whole number"),
        ("gait:chords=1.5", "task gait: chords is '1.5': allowed is a whole number"),
        ("gait:chords=-1", "chords is -1: allowed is a whole number from 0 to 1000"),
        ("directed_locomotion:direction=90", "allowed is -6.28 to 6.28 rad, not degrees"),
        ("rotating:path_weight=nan", "task rotating: path_weight is 'nan': allowed is a number"),
    ],
)
def test_an_option_that_a_task_refuses_is_named_before_anything_moves(name, words):
    with pytest.raises(TaskError, match=words):
        find_task(name)


@pytest.mark.parametrize("number", [np.float32(2.0), np.int64(2), 2, True])
def test_a_tasks_numbers_of_any_type_become_floats_for_messages_and_the_log(number):
    own = Task("own", lambda _: {"fitness": number, "other": number}, 20.0, "m", additive=False)
    fitness = own.evaluate(Trajectory.standing(20.0))
    assert {type(value) for value in (fitness.value, *fitness.terms.values())} == {float}
    assert fitness.value == number


@pytest.mark.parametrize("name", ["fitness", "other"])
def test_a_number_of_a_task_that_is_not_finite_is_refused_with_its_name(name):
    numbers = {"fitness": 1.0, "other": 1.0, name: math.nan}
    own = Task("own", lambda _: dict(numbers), 20.0, "m", additive=False)
    with pytest.raises(TaskError, match=f"task own: {name} is nan"):
        own.evaluate(Trajectory.standing(20.0))


@pytest.mark.parametrize("found", [{"speed": 1.0}, {"fitness": "fast"}, 1.0, None])
def test_what_is_no_fitness_is_refused_before_anything_moves(found, monkeypatch):
    monkeypatch.setitem(TASKS, "own", Task("own", lambda _: found, 20.0, "m", additive=False))
    with pytest.raises(TaskError, match="task own: its function has to return a dictionary of "):
        find_task("own")
