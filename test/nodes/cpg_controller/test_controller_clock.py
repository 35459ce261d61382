# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The controller node on a simulator's clock: what it says depends on nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from bea_ros_interfaces.msg import CpgParameters
from peer import Peer
from rosgraph_msgs.msg import Clock
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.qos import CLOCK, CONTROL, LATCHED
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.robots import load_robot
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph
ROBOT = load_robot("spider9")
PERIOD = SECOND // 20  # ns
STEPS = 30  # of a candidate


class Clockwork(Peer):
    """Plays simulator and learner to a controller, which is a process of its own."""

    def __init__(self, domain: int, *more: str) -> None:
        super().__init__("cpg_controller", domain, "-p", "use_sim_time:=true", *more)
        self.clock = self.node.create_publisher(Clock, "/clock", CLOCK)
        self.parameters = self.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
        self.said: dict[int, list[float]] = {}  # the last command (rad) by its stamp (ns)
        self.active: list[CpgParameters] = []
        self.node.create_subscription(JointTrajectory, "joint_trajectory", self.hear, CONTROL)
        self.node.create_subscription(
            CpgParameters, "active_parameters", self.active.append, LATCHED
        )
        self.now = 10 * SECOND

    def hear(self, message: JointTrajectory) -> None:
        stamp = to_nanoseconds(message.header.stamp)
        self.said[stamp] = list(message.points[0].positions)

    def is_now(self, now: int, message: CpgParameters) -> list[float]:
        """What the controller says at a time (ns), the learner repeating its message."""
        self.said.pop(now, None)

        def told() -> bool:
            self.clock.publish(Clock(clock=to_stamp(now)))
            self.parameters.publish(message)
            return now in self.said

        self.wait_for(told)
        return self.said[now]

    def candidate(self, evaluation: int) -> CpgParameters:
        """One that wants more than the joints' velocities allow."""
        weights = np.random.default_rng(3).uniform(-25, 25, len(ROBOT.parameter_names))
        return CpgParameters(
            evaluation=evaluation, attempt=1, robot="spider9", names=ROBOT.parameter_names,
            values=weights.tolist(),
        )  # fmt: skip

    def rest(self) -> int:
        """Stop, until all joints are neutral; returns when (ns) the candidate was left."""
        stop = CpgParameters(robot="spider9")
        while any(self.is_now(self.now, stop)):
            self.now += PERIOD
        while not self.active or self.active[-1].names:
            self.is_now(self.now, stop)
        return to_nanoseconds(self.active[-1].header.stamp)

    def begin(self, evaluation: int) -> CpgParameters:
        """Have a candidate drive the joints from rest."""
        self.rest()
        candidate = self.candidate(evaluation)
        while self.active[-1].evaluation != evaluation:
            self.is_now(self.now, candidate)
        return candidate

    def run(self, evaluation: int, jumps: dict[int, int]) -> list[list[float]]:
        """A candidate's commands from rest; after some steps the clock is elsewhere (ns)."""
        found: list[list[float]] = []

        def driven() -> bool:
            """Again where a busy machine was silent for so long that the candidate was left."""
            candidate = self.begin(evaluation)
            found.clear()
            for step in range(STEPS):
                self.now += PERIOD
                found.append(self.is_now(self.now, candidate))
                if step in jumps:
                    self.is_now(self.now + jumps[step], candidate)
                    self.is_now(self.now, candidate)
            over = self.now
            return self.rest() == over

        self.wait_for(driven)
        return found


@pytest.fixture
def clockwork(domain: int) -> Iterator[Clockwork]:
    with Clockwork(domain) as found:
        yield found


def test_a_jump_of_the_clock_changes_no_later_command(clockwork: Clockwork) -> None:
    undisturbed = clockwork.run(1, {})
    fastest = max(joint.velocity for joint in ROBOT.joints) * PERIOD / SECOND
    steps = np.abs(np.diff(undisturbed, axis=0))
    assert steps.max() == pytest.approx(fastest)  # where a wrong step before would show
    jumps = {3: 3600 * SECOND, 8: SECOND, 15: PERIOD // 2, 20: 77 * PERIOD}
    assert clockwork.run(2, jumps) == undisturbed


def test_no_joint_is_asked_for_more_than_its_velocity_where_periods_differ(domain: int) -> None:
    """The controller's period is 0.133 s, the simulator's 0.05 s."""
    with Clockwork(domain, "-p", "control_rate:=7.5") as found:
        steps = np.abs(np.diff(found.run(1, {}), axis=0))
    fastest = max(joint.velocity for joint in ROBOT.joints) * PERIOD / SECOND
    assert fastest * 0.9 < steps.max() <= fastest + 1e-9


def test_only_who_is_asked_too_often_all_the_time_is_told_of_rates(
    domain: int, capfd: pytest.CaptureFixture[str]
) -> None:
    for rate, told in ((20.0, False), (7.5, True)):
        with Clockwork(domain, "-p", f"control_rate:={rate}") as found:
            found.run(1, {3: PERIOD // 2, 9: PERIOD // 2})  # as a timer that was late
        assert ("the same control_rate" in capfd.readouterr().err) is told


def test_a_clock_set_back_before_its_start_ends_a_candidate(clockwork: Clockwork) -> None:
    clockwork.run(1, {})
    candidate = clockwork.begin(2)
    while clockwork.active[-1].names:
        clockwork.now -= PERIOD if clockwork.now < 5 * SECOND else 5 * SECOND
        clockwork.is_now(clockwork.now, candidate)
    assert not any(clockwork.is_now(clockwork.now, candidate))
