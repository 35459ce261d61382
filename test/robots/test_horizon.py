# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of the next moments: the same whoever asks when, and no faster than joints may be."""

from __future__ import annotations

import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CommandLimiter, CpgNetwork, Vector
from bea_ros.robots.horizon import HORIZON, Planner
from bea_ros.system.nanoseconds import SECOND

ROBOT = load_robot("spider9")
LIMITER = CommandLimiter(ROBOT.joints)
PERIOD = SECOND // 20
FASTEST = np.array([joint.velocity for joint in ROBOT.joints])
# One that wants more than the joints' velocities allow.
WEIGHTS = np.random.default_rng(3).uniform(-25, 25, len(ROBOT.parameter_names))
NETWORK = CpgNetwork.from_weights(ROBOT, dict(zip(ROBOT.parameter_names, WEIGHTS, strict=True)))


def targets(time: int) -> Vector:
    return NETWORK.output(time / SECOND)


def planner(by_stamps: bool = True, period: int = PERIOD) -> Planner:
    return Planner(CommandLimiter(ROBOT.joints), period, by_stamps)


def one_by_one(count: int) -> np.ndarray:
    """What a controller would say that is asked each period."""
    limiter = CommandLimiter(ROBOT.joints)
    return np.array([limiter.limit(targets(i * PERIOD), 0.05) for i in range(count)])


def test_a_message_holds_the_commands_of_the_next_quarter_of_a_second() -> None:
    made = planner().plan(0, 0, targets)
    assert len(made.commands) * PERIOD == HORIZON
    np.testing.assert_array_equal(made.commands, one_by_one(5))
    assert len(planner(period=SECOND // 30).plan(0, 0, targets).commands) == 8


@pytest.mark.parametrize("every", [1, 2, 5])
def test_commands_are_the_same_however_seldom_they_are_asked_for(every: int) -> None:
    made, said = planner(), []
    for start in range(0, 60, every):
        said.extend(made.plan(start * PERIOD, 0, targets).commands[:every])
    np.testing.assert_array_equal(said[:60], one_by_one(60))


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("jump", [1, 2, 20, 77, 72_000, -1, -3, 0.5, 7.3])
def test_a_clock_that_somebody_else_set_changes_no_later_command(every: int, jump: float) -> None:
    made, said = planner(), []
    for start in range(0, 60, every):
        now = start * PERIOD
        said.extend(made.plan(now, 0, targets).commands[:every])
        if start in (10, 25) and now + jump * PERIOD > 0:
            made.plan(now + round(jump * PERIOD), 0, targets)
            again = made.plan(now, 0, targets).commands
            np.testing.assert_array_equal(again[:every], said[-every:])
    np.testing.assert_array_equal(said[:60], one_by_one(60))


def test_what_is_told_later_goes_on_from_what_the_joints_play_meanwhile() -> None:
    """A controller that was held up, as a robot's clock goes on."""
    made = planner(by_stamps=False)
    first = made.plan(0, 0, targets)
    late = round(3.4 * PERIOD)
    then = made.plan(late, late, targets)
    np.testing.assert_array_equal(then.before, first.commands[3])
    assert then.passed == pytest.approx(0.4 * PERIOD / SECOND)
    assert (np.abs(then.commands[0] - then.before) <= FASTEST * then.passed + 1e-12).all()
    gone = made.plan(9 * SECOND, 9 * SECOND, targets)  # longer than commands reach
    np.testing.assert_array_equal(gone.before, then.commands[-1])
    assert gone.passed == PERIOD / SECOND


def test_without_targets_the_joints_go_to_neutral_as_fast_as_they_may() -> None:
    made = planner()
    moving = made.plan(0, 0, targets).commands
    stopping = made.plan(PERIOD, 0).commands
    before = np.vstack([moving[:1], stopping[:-1]])
    assert (np.abs(stopping - before) <= FASTEST * 0.05 + 1e-12).all()
    later = made.plan(PERIOD + HORIZON, 0, targets).commands
    stopped = made.plan(PERIOD + HORIZON, 0).commands  # at a time that was answered already
    np.testing.assert_array_equal(stopped[0], later[0])
    assert (np.abs(np.diff(stopped, axis=0)) <= FASTEST * 0.05 + 1e-12).all()
    made.plan(PERIOD + 2 * HORIZON, 0)
    assert (made.plan(PERIOD + 3 * HORIZON, 0).commands == 0.0).all()


def test_who_stops_while_the_robot_is_put_back_leaves_nothing_to_the_next_candidate() -> None:
    """Time jumps then, from stop to start; meanwhile the joints have come to neutral."""
    way = 11 * SECOND
    made = planner()
    made.plan(SECOND, 0)
    made.plan(SECOND + way, 0, targets)
    made.plan(SECOND + 2 * way, 0, targets)
    made.plan(SECOND + 2 * way, 0)  # stopped
    told = made.plan(SECOND + 3 * way, 0)
    assert (told.commands == LIMITER.neutral).all()
    start = SECOND + 3 * way

    def shifted(time: int) -> Vector:
        return targets(time - start)

    np.testing.assert_array_equal(made.plan(start, 0, shifted).commands, one_by_one(5))
