# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When servos may move and how fast, on a clock of the test's own."""

from __future__ import annotations

import math

import pytest

from bea_ros.hardware.servo_control import Pace, Refused, ServoControl, State
from bea_ros.hardware.servos import Servo

PERIOD = 0.02


def servo(name: str, output: int, velocity: float = 5.0) -> Servo:
    return Servo(name, -0.8, 0.8, 0.0, velocity, output, (1000.0, 2000.0), (-1.0, 1.0), 0.0, False)


def control(**pace: float) -> ServoControl:
    settings = {"neutral_speed": 0.5, "stagger": 0.0, **pace}
    return ServoControl([servo("a", 1), servo("b", 2, velocity=1.0)], Pace(**settings))


def following(**pace: float) -> ServoControl:
    made = control(**pace)
    made.arm(0.0)
    made.tick(0.0)
    assert made.state is State.FOLLOWING
    return made


def follow(made: ServoControl, joints: list[str], positions: list[float], now: float) -> None:
    made.play(joints, [(now, positions)], now)


def test_each_servo_keeps_its_own_rate_and_limits() -> None:
    made = following()
    follow(made, ["a", "b"], [2.0, -2.0], 0.0)
    trail = []
    for i in range(1, 61):
        now = i * PERIOD
        if i % 20 == 0:
            follow(made, ["a"], [2.0], now)
        made.tick(now)
        trail.append(made.position.copy())
    a, b = zip(*trail, strict=True)
    assert a[:8] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    assert b[:40] == pytest.approx([-0.02 * i for i in range(1, 41)])
    assert (max(a), min(b)) == (0.8, -0.8)
    assert made.velocity.tolist() == [0.0, 0.0]


def test_a_plan_is_played_by_its_times_and_a_later_word_takes_its_place() -> None:
    made = following()
    made.play(["a"], [(0.05, [0.1]), (0.10, [0.2]), (0.15, [0.3])], 0.0)
    played = {}
    for now in (0.02, 0.04, 0.06, 0.14, 0.20, 0.40):  # it was held up from 0.06 to 0.14
        made.tick(now)
        played[now] = made.position[0]
    assert played == {
        now: pytest.approx(wanted)
        for now, wanted in [(0.02, 0.1), (0.04, 0.1), (0.06, 0.2), (0.14, 0.3), (0.2, 0.3),
                            (0.4, 0.3)]
    }  # fmt: skip
    made.play(["a"], [(0.45, [0.4]), (0.50, [0.5])], 0.4)
    follow(made, ["b"], [0.05], 0.41)  # which leaves the other joint where it was to go
    made.tick(0.42)
    assert made.position.tolist() == pytest.approx([0.4, 0.02])
    follow(made, ["a"], [0.0], 0.43)
    for now in (0.46, 0.49, 0.52, 0.55):
        made.tick(now)
    assert made.position.tolist() == pytest.approx([0.0, 0.05])


def test_nothing_of_a_plan_is_left_after_a_stop() -> None:
    made = following()
    made.play(["a"], [(0.05, [0.1]), (0.10, [0.8])], 0.0)
    made.tick(0.02)
    made.emergency_stop("button")
    assert made.tick(0.06) == {}
    made.disarm()
    made.arm(0.07)
    for now in (0.1, 0.2, 0.3, 0.4):
        made.tick(now)
    assert made.position[0] == pytest.approx(0.0)


def test_a_time_without_ticks_is_not_caught_up_on() -> None:
    made = following()
    follow(made, ["b"], [0.8], 0.4)
    made.tick(0.4)
    assert made.position[1] == pytest.approx(0.1)  # 1 rad/s for 0.1 s at most
    made.tick(0.3)  # a clock that goes back moves nothing
    assert made.position[1] == pytest.approx(0.1)


def test_neutral_is_reached_slowly_one_servo_after_another() -> None:
    made = following()
    follow(made, ["a", "b"], [0.4, 0.4], 0.0)
    for i in range(1, 25):
        made.tick(i * PERIOD)
    made.disarm()
    assert made.tick(1.0) == {}
    made.pace = Pace(neutral_speed=0.5, stagger=0.1)
    made.arm(10.0)
    assert made.tick(10.0) == {1: pytest.approx(1700.0)}
    outputs = {}
    for i in range(1, 60):
        follow(made, ["a", "b"], [0.8, 0.8], 10 + i * PERIOD)  # not before neutral
        outputs[i] = made.tick(10 + i * PERIOD)
        if made.state is State.FOLLOWING:
            break
    assert outputs[4].keys() == {1}
    assert outputs[6].keys() == {1, 2}
    assert outputs[4][1] == pytest.approx(1700.0 - 500 * 0.5 * 4 * PERIOD)
    assert outputs[6][2] >= 1700.0 - 500 * 0.5 * 2 * PERIOD  # from where it was left
    assert i == pytest.approx((0.1 + 0.4 / 0.5) / PERIOD, abs=1.1)


def test_servos_are_not_powered_together_after_a_time_without_ticks() -> None:
    made = following()
    made.disarm()
    made.pace = Pace(neutral_speed=0.5, stagger=0.3)
    made.arm(10.0)
    assert made.tick(10.0).keys() == {1}
    assert made.tick(10.45).keys() == {1}
    assert made.tick(10.55).keys() == {1}
    assert made.tick(10.63).keys() == {1}
    assert made.tick(10.70).keys() == {1, 2}


def test_silence_counts_from_the_last_command_or_from_neutral() -> None:
    made = following()  # nobody has commanded yet
    assert made.tick(0.49)
    assert made.tick(0.51) == {}
    assert (made.state, made.reason) == (State.RELAXED, "no joint command for 0.5 s")
    made = control(neutral_speed=0.1)
    made.position[:] = 0.3
    follow(made, ["a"], [0.1], 0.0)
    made.arm(0.1)
    assert made.tick(0.5)
    assert made.tick(0.6) == {}  # also on the way to neutral


@pytest.mark.parametrize(
    ("joints", "positions"),
    [
        ([], []),
        (["a"], []),
        (["a", "b"], [0.1]),
        (["a", "c"], [0.1, 0.1]),
        (["a", "a"], [0.1, 0.2]),
        (["b", "a"], [0.1, math.nan]),
        (["b", "a"], [0.1, -math.inf]),
    ],
)
def test_what_cannot_be_meant_changes_nothing(joints: list[str], positions: list[float]) -> None:
    made = following()
    with pytest.raises(Refused):
        follow(made, joints, positions, 0.1)
    assert made.target.tolist() == [0.0, 0.0]
    assert made.tick(0.51) == {}  # nor has it been heard


def test_points_out_of_the_order_of_their_times_are_refused() -> None:
    made = following()
    with pytest.raises(Refused, match="order of their times"):
        made.play(["a"], [(0.3, [0.1]), (0.2, [0.3])], 0.1)
    assert made.tick(0.51) == {}  # nor has it been heard


def test_an_emergency_stop_is_left_by_disarming_alone() -> None:
    made = following()
    made.emergency_stop("button")
    assert made.tick(0.1) == {}
    made.relax("battery low")
    assert (made.state, made.reason) == (State.STOPPED, "button")
    with pytest.raises(Refused, match="disarm first"):
        made.arm(0.2)
    made.disarm()
    made.arm(0.3)
    assert made.armed


def test_arming_again_changes_nothing() -> None:
    made = following()
    follow(made, ["a"], [0.5], 0.0)
    made.tick(0.1)
    made.arm(0.1)
    assert made.state is State.FOLLOWING
    assert made.target[0] == 0.5
