# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the joints by the CPG network of the current candidate.

In each control period it publishes the commands of the next 0.25 s: those of the candidate while
the learner repeats it, else the neutral pose. They do not depend on what drives the joints.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from functools import partial

from bea_ros_interfaces.msg import CpgParameters
from rclpy.duration import Duration
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.shared.node import Node, wall_timer
from bea_ros.nodes.shared.parameters import Parameter, declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import CONTROL, EACH, LATCHED
from bea_ros.nodes.shared.robot.settings import words_of
from bea_ros.nodes.shared.robot_parameters import GAIN, MOTOR, ROBOT_PARAMETERS, robot_of
from bea_ros.nodes.shared.sole_publisher import SolePublisher, tell_of_missing
from bea_ros.nodes.shared.stamps import AHEAD, to_nanoseconds, to_stamp
from bea_ros.robots.cpg import CommandLimiter, CpgNetwork, Vector, output_of, settings_of
from bea_ros.robots.horizon import Planner
from bea_ros.system.nanoseconds import SECOND

PARAMETERS = [
    *ROBOT_PARAMETERS,
    MOTOR,
    Parameter("profile", "default", "default: centred tanh output; paper: the published clip",
              choices=("default", "paper")),
    Parameter("shaped", False, "motor revolve: commands move as it would, for joints that "
              "have servos"),
    Parameter("control_rate", 20.0, "joint commands per second", 4.0, 200.0),
    GAIN,
    Parameter("silence", 0.3, "s (wall clock) without cpg_parameters until the robot is stopped",
              0.2, 0.3),  # twice the learner's heartbeat
]  # fmt: skip

UNARMED = 0.5  # s (wall clock) without `armed` from a servo driver, after which nothing moves
STANDING = 0.2  # s (wall clock) until a command is repeated for a clock that stands still
CLOCK_SET = 0.1  # s of difference to a steady clock, after which the clock was set
TOLD = 20  # number of commands that measure the period


class CpgController(Node):
    """Subscribes `cpg_parameters` and, of a real robot, `armed`.

    Publishes `joint_trajectory` and `active_parameters`.
    """

    def __init__(self) -> None:
        super().__init__("cpg_controller")
        values = declare(self, PARAMETERS)
        self.robot = robot_of(values)
        self.output = output_of(values["profile"])
        self.gain = values["gain"]
        moved_by = settings_of(self.robot, values["motor"], self.output, self.gain)
        also = {name: values[name] for name in ("control_rate", "shaped")}
        self.settings = f"{moved_by}, {words_of(**also)}"
        self.period = round(SECOND / values["control_rate"])
        self.silence = values["silence"]
        self.network: CpgNetwork | None = None
        self.active = CpgParameters(robot=self.robot.name)  # without names: no candidate
        self.limp = False  # the servos are known to be relaxed
        self.armed_heard: float | None = None  # time of `armed`; None for a simulated robot
        self.stopping = True  # until the neutral pose has been reached and published
        self.abandoned: tuple[int, int] | None = None  # not resumed while its publisher is there
        self.start = 0  # ns
        self.ahead = 0.0  # s, at the start
        self.latest = 0  # ns, stamp of the latest message
        self.heard = time.monotonic()
        self.period_answered = self.period_seen = -1  # ns
        self.last_command = JointTrajectory()
        self.standing_since = time.monotonic()  # time of the last change of the clock

        self.commands = self.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
        self.activity = self.create_publisher(CpgParameters, "active_parameters", LATCHED)
        candidates = SolePublisher(self, "cpg_parameters")
        candidates.subscribe(CpgParameters, self.on_parameters, LATCHED)
        SolePublisher(self, "armed").subscribe(Bool, self.on_armed, EACH)
        self.simulated = bool(self.get_parameter("use_sim_time").value)
        limiter = CommandLimiter(self.robot.joints, values["motor"], values["shaped"])
        self.planner = Planner(limiter, self.period, by_stamps=self.simulated)
        self.neutral = limiter.neutral
        self.told: deque[int] = deque(maxlen=TOLD + 1)  # ns, stamps of the latest commands
        # A real robot's clock has no publisher.
        clock = SolePublisher(self, "/clock")
        self.clock_usable = clock.usable if self.simulated else lambda: True
        by_its_time = self.create_timer if self.simulated else partial(wall_timer, self)
        by_its_time(self.period / SECOND, self.on_period)
        wall_timer(self, self.silence / 5, self.on_watch)
        tell_of_missing(self, {"cpg_parameters": "learner or validator"})

    def on_parameters(self, message: CpgParameters) -> None:
        now = self.get_clock().now().nanoseconds
        if not self.clock_usable() or self.is_late(message, now):
            return
        self.heard = time.monotonic()
        if not message.names:
            self.abandoned = None
            self.stop("told to stop")
            return
        identity = (message.evaluation, message.attempt)
        running = (self.active.evaluation, self.active.attempt)
        if (self.network and identity == running) or identity == self.abandoned:
            return
        if not self.waits(message, now):
            self.begin(message, now)

    def waits(self, message: CpgParameters, now: int) -> bool:
        """Whether a candidate cannot begin yet at a time (ns); the log says why."""
        if self.limp:
            self.get_logger().warning(
                f"evaluation {message.evaluation} waits: the servos are not armed",
                throttle_duration_sec=5.0,
            )
        elif now == 0:
            self.get_logger().warning(
                f"evaluation {message.evaluation} waits: no time on /clock yet", once=True
            )
        return self.limp or now == 0

    def begin(self, message: CpgParameters, now: int) -> None:
        """Let a candidate drive the joints from a time (ns) on, or refuse it in the log."""
        ahead = (to_nanoseconds(message.header.stamp) - now) / SECOND
        if ahead > AHEAD and not self.simulated:  # its evaluation would begin before its motion
            self.abandoned = (message.evaluation, message.attempt)
            self.get_logger().error(
                f"evaluation {message.evaluation} refused: the learner's clock is {ahead:.1f} s "
                "ahead of this machine's: set the clocks right",
                throttle_duration_sec=5.0,
            )
            return
        try:
            self.network = self.network_of(message)
        except ValueError as error:
            self.get_logger().error(
                f"evaluation {message.evaluation} refused: {error}", throttle_duration_sec=5.0
            )
            return
        self.start, self.stopping, self.abandoned = now, False, None
        self.ahead = self.clock_ahead()
        self.active = message
        self.active.header.stamp = to_stamp(now)
        self.active.settings = self.settings
        self.activity.publish(self.active)
        self.command(now)

    def is_late(self, message: CpgParameters, now: int) -> bool:
        """Whether a message is older than an earlier one, so that it is ignored.

        `now` is in ns. A message without a stamp, typed by hand, is never late.
        """
        if now < self.latest:  # the clock was set back
            self.latest = 0
        stamp = to_nanoseconds(message.header.stamp)
        late = 0 < stamp < self.latest
        self.latest = max(self.latest, min(stamp, now))
        return late

    def network_of(self, message: CpgParameters) -> CpgNetwork:
        """Return the network of a message; raises ValueError if it is for another robot."""
        if message.robot != self.robot.name:
            raise ValueError(f"parameters are for robot {message.robot!r}, not {self.robot.name}")
        if not len(message.names) == len(message.values) == len(set(message.names)):
            raise ValueError(
                f"{len(message.values)} values for {len(set(message.names))} different names"
            )
        weights = dict(zip(message.names, message.values, strict=True))
        return CpgNetwork.from_weights(self.robot, weights, self.output, self.gain)

    def stop(self, reason: str) -> None:
        """End the candidate. The joints move to neutral at once, within their velocity limits."""
        if self.network:
            self.get_logger().debug(f"evaluation {self.active.evaluation} over: {reason}")
            now = self.get_clock().now().nanoseconds
            self.active = CpgParameters(robot=self.robot.name)
            self.active.header.stamp = to_stamp(now)
            self.network, self.stopping = None, True
            self.command(now)
        elif not self.stopping:
            self.activity.publish(self.active)

    def on_armed(self, message: Bool) -> None:
        """Handle `armed` of a real robot. A simulated robot has no such publisher."""
        if self.simulated:
            return
        self.armed_heard = time.monotonic()
        self.limp = not message.data
        if self.limp:
            self.leave("the servos were relaxed")

    def leave(self, reason: str) -> None:
        """End the candidate, if there is one. It is not resumed."""
        if self.network:
            self.abandoned = (self.active.evaluation, self.active.attempt)
            self.get_logger().error(
                f"{reason}: the robot stands still; "
                f"evaluation {self.active.evaluation} is repeated"
            )
            self.stop(reason)

    def on_watch(self) -> None:
        wall = time.monotonic()
        if self.abandoned and not self.count_publishers("cpg_parameters"):
            self.abandoned = None  # whoever publishes it from now on means to begin
        if wall - self.heard > self.silence:
            self.leave(f"the learner was silent for {self.silence:g} s")
        if self.armed_heard is not None and wall - self.armed_heard > UNARMED:
            self.limp = True
            self.leave("the servo driver was silent")
        set_by = self.clock_ahead() - self.ahead
        if not self.simulated and abs(set_by) > CLOCK_SET:
            self.leave(f"the clock was set by {set_by:.1f} s")
        now = self.get_clock().now().nanoseconds
        if now != self.period_seen:
            self.period_seen, self.standing_since = now, time.monotonic()
        elif time.monotonic() - self.standing_since > STANDING:
            self.standing_since = time.monotonic()
            self.answer_again(now)

    def clock_ahead(self) -> float:
        """How far (s) the clock is ahead of a monotonic clock."""
        return self.get_clock().now().nanoseconds / SECOND - time.monotonic()

    def answer_again(self, now: int) -> None:
        """Repeat the command if the clock stands still.

        A simulation then waits for a command: its message was lost, or the timer missed its time
        after a jump of the clock (ns).
        """
        if now == self.period_answered:
            self.commands.publish(self.last_command)
        else:
            self.on_period()

    def on_period(self) -> None:
        now = self.get_clock().now().nanoseconds
        # A timer fires twice after a jump of whole periods.
        if now != self.period_answered and self.clock_usable():
            self.period_answered = now
            self.command(now)

    def command(self, now: int) -> None:
        """Publish the joint commands from a time (ns) on."""
        if self.network and now < self.start:
            self.leave("the clock was set back")
            return
        plan = self.planner.plan(now, time.monotonic_ns(), self.targets if self.network else None)
        self.warn_of_rates(now)
        message = JointTrajectory(joint_names=[joint.name for joint in self.robot.joints])
        message.header.stamp = to_stamp(now)
        for number, positions in enumerate(plan.commands, start=1):
            until = Duration(nanoseconds=number * self.period).to_msg()
            point = JointTrajectoryPoint(positions=positions.tolist(), time_from_start=until)
            message.points.append(point)
        self.last_command = message
        self.commands.publish(message)
        if self.stopping and (plan.commands[0] == self.neutral).all():
            self.stopping = False
            self.activity.publish(self.active)

    def targets(self, time: int) -> Vector:
        """Joint targets (rad) of the candidate at a time (ns)."""
        assert self.network is not None
        return self.network.output((time - self.start) / SECOND)

    def warn_of_rates(self, now: int) -> None:
        """Warn once if commands are asked for more often than once per period.

        It needs several commands, as a late timer is followed by a shorter period.
        """
        if self.told and now <= self.told[-1]:
            self.told.clear()
        self.told.append(now)
        passed = (now - self.told[0]) / SECOND / TOLD
        period = self.period / SECOND
        if self.simulated and len(self.told) > TOLD and passed < 0.75 * period:
            self.get_logger().warning(
                f"a command is asked for every {passed:.3g} s, a period has {period:.3g} s: give "
                "this node and what moves the joints the same control_rate",
                once=True,
            )


main = partial(run_node, CpgController)


if __name__ == "__main__":
    sys.exit(main())
