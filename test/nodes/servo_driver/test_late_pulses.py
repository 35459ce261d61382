# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A servo driver that is held up says how long the servos went without pulses."""

from __future__ import annotations

import re
import signal
import time

import psutil
import pytest
from graph import end
from operator_desk import Desk
from servo_pins import output_process
from std_msgs.msg import Float64

from bea_ros.nodes.shared.driving.lateness import Lateness
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot.late_pulses import TOPIC

HELD_UP = 0.25  # s


def test_what_is_late_twice_over_counts_once() -> None:
    late = Lateness()
    late.due(1.0, 1.045, 0.025)
    assert late.seconds == 0.0, "a period is tolerated"
    late.due(1.0, 1.25, 0.025)
    late.due(0.99, 1.25, 0.05)  # the same time, of another who is held up
    assert late.seconds == pytest.approx(0.225)
    late.due(0.99, 1.275, 0.05)
    assert late.seconds == pytest.approx(0.25)
    assert late.times == 1
    late.due(1.275, 1.4, 0.025)
    assert (late.seconds, late.times) == (pytest.approx(0.35), 2)


@pytest.mark.graph
def test_a_driver_that_is_held_up_counts_it(desk: Desk) -> None:
    words = [0.0]
    desk.node.create_subscription(
        Float64, TOPIC, lambda message: words.append(message.data), LATCHED
    )
    node = desk.start("pins:=mock", "stagger:=0.0", "neutral_speed:=5.0")
    desk.up({"leg_00": 0.2})
    for held in (psutil.Process(node.pid), output_process(node)) * 2:
        desk.wait(lambda: desk.is_in("following"))
        before = words[-1]

        def hold_up(held: psutil.Process = held, before: float = before) -> bool:
            """Again where a busy machine had relaxed the servos meanwhile."""
            held.send_signal(signal.SIGSTOP)
            time.sleep(HELD_UP)
            held.send_signal(signal.SIGCONT)
            return desk.within(1.0, lambda: words[-1] >= before + 0.6 * HELD_UP)

        desk.wait(hold_up)
    due = "s without pulses that were due"
    desk.wait(
        lambda: (
            int(desk.diagnostics["pulses late"]) >= 4
            and float(desk.diagnostics[due]) > 4 * 0.6 * HELD_UP
        )
    )
    end(node)


@pytest.mark.graph
@pytest.mark.parametrize("age", [0.3, -0.5])
def test_commands_of_another_time_are_refused(desk: Desk, age: float) -> None:
    desk.start("pins:=mock", "stagger:=0.0", "neutral_speed:=5.0")
    desk.up({"leg_00": 0.1})
    desk.command, desk.keeping = None, False
    desk.states.clear()

    def relaxed() -> bool:
        """Whether the driver has relaxed the servos, as these are no commands."""
        desk.send_plan("leg_00", [0.2, 0.3, 0.4, 0.5, 0.6], 0.05, age)
        return desk.is_in("relaxed", "no joint command")

    desk.wait(relaxed)
    told = re.search(r"commands for 0.25 s were sent (\S+) s ago", desk.diagnostics["reason"])
    assert told, desk.diagnostics["reason"]
    assert float(told[1]) >= age, "a message takes its time"
    assert (float(told[1]) < 0) == (age < 0)
    assert "set them right" in desk.diagnostics["reason"]
    moved = {state.position[list(state.name).index("leg_00")] for state in desk.states}
    assert max(moved) <= 0.1
