# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The base of nodes that drive a real robot's joints once the operator has armed it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool, Float64
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from bea_ros.hardware.servo_control import JointControl, Refused, State
from bea_ros.nodes.shared.diagnostics import Diagnostics
from bea_ros.nodes.shared.driving.battery import BATTERY_PARAMETERS, Battery
from bea_ros.nodes.shared.driving.hearing import EveryMessage
from bea_ros.nodes.shared.driving.lateness import Lateness
from bea_ros.nodes.shared.node import Node, wall_timer
from bea_ros.nodes.shared.parameters import Parameter, ParameterError, declare
from bea_ros.nodes.shared.qos import CONTROL, LATCHED
from bea_ros.nodes.shared.robot.late_pulses import TOPIC as PULSES_LATE
from bea_ros.nodes.shared.robot.requests import ARM, STOP, to_arm
from bea_ros.nodes.shared.sole_publisher import SolePublisher, tell_of_missing
from bea_ros.nodes.shared.stamps import AHEAD, to_nanoseconds, to_seconds
from bea_ros.nodes.shared.stopping import DatedService, LastStop, overdue
from bea_ros.system.nanoseconds import SECOND

DRIVER_PARAMETERS = [
    Parameter("neutral_speed", 0.5, "rad/s to neutral, after arming and at a reset", 0.05, 5.0),
    Parameter("silence", 0.5, "s (wall clock) without joint_trajectory until the robot is "
              "disarmed", 0.1, 0.5),
    Parameter("reset_patience", 50.0, "s that a reset waits for arming and neutral", 0.0, 3600.0),
    *BATTERY_PARAMETERS,
]  # fmt: skip

ARMED_PERIOD = 0.1  # s between repetitions of `armed`; silence means that no driver runs
MAY_STOP, MAY_BE_LOW = "it may have been a stop", "the battery may be low"
UNHEARD = f"a publisher of emergency_stop left before its message came: {MAY_STOP}"
UNHEARD_BATTERY = f"a publisher of battery_state left before its message came: {MAY_BE_LOW}"
LOST = f"a message was lost on emergency_stop: {MAY_STOP}"
LOST_BATTERY = f"a message was lost on battery_state: {MAY_BE_LOW}"


class JointDriver(Node):
    """Follows `joint_trajectory`, and publishes `armed` periodically: whether it follows.

    Serves `servo_driver/arm` (SetBool), `servo_driver/emergency_stop` (Trigger) and `reset`
    (Trigger), which succeeds when the joints are at neutral; listens to `emergency_stop` (Bool)
    and `battery_state`. A subclass sets `control` and `settings`, calls `begin`, implements
    `fault` and `move`. Raises ParameterError.
    """

    control: JointControl
    settings: str  # that decide how the joints move

    def __init__(self, name: str, table: Sequence[Parameter]) -> None:
        super().__init__(name)
        self.values = values = declare(self, table)
        if self.get_parameter("use_sim_time").value:  # the controller would not heed `armed`
            raise ParameterError("use_sim_time is true: a real robot's time is the system's")
        self.last_stop = LastStop()
        self.charge = Battery(values)
        self.reset_patience = values["reset_patience"]
        self.known_fault, self.refused = "", 0
        self.started = time.time()  # s since 1970; tells this driver from one before it
        self.period = 1 / values["rate"]
        self.command_period = self.period  # s between commands, by the last one
        self.told_until = 0.0  # end of the last command (s, steady clock)
        self.lateness = Lateness()
        self.told: tuple[State, str] | None = None
        self.resets: list[tuple[Future, float]] = []  # waiting resets and their deadlines

    def begin(self) -> None:
        """Create topics, services and timers; the joints are driven from now on."""
        self.armed = self.create_publisher(Bool, "armed", LATCHED)
        self.late = self.create_publisher(Float64, PULSES_LATE, LATCHED)
        self.diagnostics = Diagnostics(self, "servos")
        commands = SolePublisher(self, "joint_trajectory")
        commands.subscribe(JointTrajectory, self.on_command, CONTROL)
        self.stops = EveryMessage(self, Bool, "emergency_stop", self.on_stop_message)
        # Batteries may publish rarely: one is missed only if it leaves without a message.
        self.battery = EveryMessage(
            self, BatteryState, "battery_state", self.on_battery, first_word=math.inf
        )
        DatedService(self, Trigger, STOP, self.on_stop)  # before arming
        DatedService(self, SetBool, ARM, self.on_arm)
        waiting = ReentrantCallbackGroup()  # a reset waits for the joints
        self.create_service(Trigger, "reset", self.on_reset, callback_group=waiting)
        wall_timer(self, self.period, self.update)
        wall_timer(self, ARMED_PERIOD, self.publish_armed)
        wall_timer(self, ARMED_PERIOD, self.heed_foreign)
        wall_timer(self, 1.0, self.publish_diagnostics)
        tell_of_missing(self, {"joint_trajectory": "the node cpg_controller"})

    @property
    def fault(self) -> str:
        """Why the joints cannot be moved; empty if they can."""
        raise NotImplementedError

    def move(self, now: float) -> None:
        """Move the joints to their positions for `now` (s, steady clock), or keep them still."""
        raise NotImplementedError

    def listen(self) -> None:
        """Read the hardware's answers."""

    def prepare(self) -> None:
        """Prepare for arming; raises Refused."""

    @property
    def elsewhere(self) -> str:
        """Why the joints are not at neutral although they were commanded to be; else empty."""
        return ""

    def facts(self) -> dict[str, object]:
        """Additional values for diagnostics."""
        return {}

    def update(self) -> None:
        """Check for faults and stops, move the joints, and publish a changed state."""
        now = time.monotonic()
        self.count_late(now)
        self.listen()
        self.heed_fault()
        if self.stops.missed_somebody(self.control.armed):
            self.control.emergency_stop(UNHEARD)
        if self.stops.lost_one:
            self.control.emergency_stop(LOST)
        if self.battery.lost_one and self.control.armed:
            self.control.relax(LOST_BATTERY)
        if self.battery.missed_somebody(self.control.armed):
            self.control.relax(UNHEARD_BATTERY)  # shown before arming again
        self.move(now)
        self.answer_resets(now)
        if (self.control.state, self.control.reason) != self.told:
            self.told = (self.control.state, self.control.reason)
            self.get_logger().info(self.situation())
            self.publish_armed()
            self.publish_diagnostics()

    def count_late(self, now: float) -> None:
        """Count the time for which the joints were without a due command."""
        if self.control.state is State.FOLLOWING and self.control.heard is not None:
            last = max(self.control.heard, self.told_until - self.command_period)
            self.lateness.due(last, now, self.command_period)

    def heed_fault(self) -> None:
        """Relax if there is a fault, until the operator arms again."""
        fault = self.fault
        if fault and (self.control.armed or fault != self.known_fault):
            self.control.relax(fault)
        self.known_fault = fault

    def heed_foreign(self) -> None:
        """Relax while a publisher uses another message type, as its messages are not received."""
        if self.control.armed and (foreign := self.stops.foreign or self.battery.foreign):
            self.control.relax(foreign)

    def publish_armed(self) -> None:
        self.armed.publish(Bool(data=self.control.state is State.FOLLOWING))
        self.late.publish(Float64(data=self.lateness.seconds))

    def situation(self) -> str:
        """The state, its reason, and the command to continue."""
        state, reason = self.control.state, self.control.reason
        text = f"{state.value}: {reason}" if reason else state.value
        if not self.control.armed:
            text += f"; {to_arm(self.resolve_service_name(ARM), state is State.STOPPED)}"
        return text

    def on_command(self, message: JointTrajectory) -> None:
        now = time.monotonic()
        try:
            begun = now - self.age_of(message)
            points = [(begun + to_seconds(p.time_from_start), p.positions) for p in message.points]
            self.control.play(message.joint_names, points, now)
        except Refused as error:
            self.refused += 1
            self.control.objection = str(error)
            self.get_logger().error(f"joint_trajectory refused: {error}", throttle_duration_sec=5)
            return
        first = to_seconds(message.points[0].time_from_start)
        self.command_period = min(max(first, self.period), self.control.pace.silence)
        self.told_until = min(points[-1][0], now + self.control.pace.silence)

    def age_of(self, message: JointTrajectory) -> float:
        """How long ago (s) a command began; 0 without a stamp. Raises Refused if it is over."""
        stamp = to_nanoseconds(message.header.stamp)
        age = (self.get_clock().now().nanoseconds - stamp) / SECOND if stamp else 0.0
        ends = max((to_seconds(p.time_from_start) for p in message.points), default=math.inf)
        if not -AHEAD <= age <= ends:
            raise Refused(
                f"commands for {ends:g} s were sent {age:.2f} s ago: the network is slow, or the "
                "clocks of this machine and cpg_controller's differ: set them right"
            )
        return max(age, 0.0)

    def on_arm(
        self, request: SetBool.Request, response: SetBool.Response, sent: int
    ) -> SetBool.Response:
        """Arm or disarm; a request `sent` (ns) before the last stop, or long ago, ends no stop."""
        self.stops.look()
        self.battery.look()
        late = self.last_stop.objection(sent) or overdue(sent)
        stopped = self.control.state is State.STOPPED
        problem = late if request.data or stopped else ""
        if request.data:
            foreign = self.stops.foreign or self.battery.foreign
            problem = self.fault or self.charge.fault or foreign or problem
        if not problem:
            try:
                if not request.data:
                    self.control.disarm()
                elif not self.control.armed:
                    self.prepare()
                    self.control.arm(time.monotonic())
            except Refused as error:
                problem = str(error)
        if not problem:
            self.update()
        response.success, response.message = not problem, problem or self.control.state.value
        return response

    def on_stop(
        self, request: Trigger.Request, response: Trigger.Response, sent: int
    ) -> Trigger.Response:
        self.stop("asked for by service")
        response.success, response.message = True, self.situation()
        return response

    def on_stop_message(self, message: Bool) -> None:
        if message.data:
            self.stop("asked for by topic")

    def stop(self, reason: str) -> None:
        """Relax, and ignore commands until the operator disarms and arms again."""
        known = self.control.state is State.STOPPED
        self.control.emergency_stop(reason)
        if not known:
            self.update()

    def on_battery(self, message: BatteryState) -> None:
        """Relax if the battery is low, or its state cannot be trusted."""
        before = self.charge.fault
        self.charge.hear(message, time.monotonic())
        if self.charge.fault and (self.control.armed or not before):
            self.control.relax(self.charge.fault)
            self.update()

    async def on_reset(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        if self.control.armed:
            self.control.home()
        elif self.control.state is State.RELAXED:
            self.get_logger().warning("reset waits for the operator to arm")
        done: Future = Future()
        self.resets.append((done, time.monotonic() + self.reset_patience))
        failure = await done
        response.success, response.message = not failure, failure or self.settings
        return response

    def answer_resets(self, now: float) -> None:
        """Answer waiting resets: the joints are at neutral, or why they will not be."""
        state, waiting = self.control.state, []
        for done, deadline in self.resets:
            if state is State.FOLLOWING and not self.elsewhere:
                done.set_result("")
            elif state is State.STOPPED or now > deadline:
                done.set_result((self.control.armed and self.elsewhere) or self.situation())
            else:
                waiting.append((done, deadline))
        self.resets = waiting

    def publish_diagnostics(self) -> None:
        state = self.control.state
        quiet = self.charge.silence(time.monotonic()) if self.control.armed else ""
        reason = quiet or self.control.reason
        level = DiagnosticStatus.OK if self.control.armed and not quiet else DiagnosticStatus.WARN
        if state is State.STOPPED or self.known_fault:
            level = DiagnosticStatus.ERROR
        values = {"state": state.value, "reason": reason, **self.facts()}
        values |= {"fault": self.known_fault, "commands refused": self.refused}
        values |= {"pulses late": self.lateness.times, "started": f"{self.started:.6f}"}
        values["s without pulses that were due"] = round(self.lateness.seconds, 3)
        self.diagnostics.say(level, f"{state.value}: {reason}" if reason else state.value, values)
