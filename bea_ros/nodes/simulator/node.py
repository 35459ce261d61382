# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Simulates the robot by MuJoCo and the overhead camera by rendered images, on the same topics.

In lockstep, the default, simulated time advances as far as there are commands, at most to the next
image. There it stands still until the controller has answered and the localization has processed
the previous image. So the numbers of a run do not depend on the speed or the load of the machine.
After a reset time stands still until a candidate drives the joints.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial
from uuid import uuid4

import numpy as np
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter as NodeParameter
from rclpy.task import Future
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.parameters import declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import CLOCK, CONTROL, RESULTS
from bea_ros.nodes.shared.robot.settings import PROCESS, words_of
from bea_ros.nodes.shared.robot_parameters import physics_of, robot_of
from bea_ros.nodes.shared.sole_publisher import SolePublisher
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.nodes.simulator.commands import Commands, commands_of
from bea_ros.nodes.simulator.images import CARRIED_FRAME, Images
from bea_ros.nodes.simulator.parameters import (
    PARAMETERS,
    camera_of,
    damages_in,
    of_robot,
    robot_asked,
    settings_in,
    starts_of,
)
from bea_ros.robots.damage import DamageError
from bea_ros.simulation.observed import WorldCamera
from bea_ros.simulation.world import SimulationError, World
from bea_ros.system.nanoseconds import SECOND

# ns of simulated time between the images of a reset. It exceeds the largest `dropout` (10 s), so
# an evaluation with a reset is never valid.
CARRIED_BACK = 11 * SECOND
REFUSED = SECOND // 2  # ns of simulated time that a reset waits for the joints to reach neutral
REPEAT_CLOCK = 0.05  # s (wall clock) until /clock (best effort) is repeated
REPEAT = 1.0  # s (wall clock) until an unprocessed image or reset is repeated
PATIENCE = 5.0  # s (wall clock) until it prints which node the simulation waits for
IDLE = 2.0  # s of simulated time without a new command, after which it runs in real time


class Simulator(Node):
    """Publishes `/clock`, `joint_states`, `image_raw`, `camera_info`; obeys `joint_trajectory`.

    Serves `reset` (std_srvs/Trigger). It answers when the robot stands at its start, all nodes
    have seen it there, and time stands still. It is refused while a candidate drives the joints.
    The damage parameters of the joints may change at any time.
    """

    def __init__(self) -> None:
        super().__init__("simulator")
        given = {name: one.value for name, one in self._parameter_overrides.items()}
        values = declare(self, of_robot(PARAMETERS, robot_asked(given)))
        self.robot = robot_of(values)
        self.damages = {name: values[name] for name in values if name.startswith("damage.")}
        self.settings = settings_in(values, self.robot)  # and which process it is
        self.settings += f", {words_of(**{PROCESS: uuid4().hex[:8]})}"
        damages = damages_in(values, self.robot)
        self.world = World(self.robot, physics_of(values), values["motor"], damages)
        self.add_on_set_parameters_callback(self.check_damages)
        self.add_post_set_parameters_callback(self.on_damages)
        self.lockstep = values["lockstep"]
        self.factor = values["real_time_factor"] or (0.0 if self.lockstep else 1.0)
        self.starts = starts_of(values)
        self.period = round(SECOND / values["control_rate"])
        camera = camera_of(values, load_arena(self.robot, values["arena"]))
        self.images = Images(self, WorldCamera(self.world, camera), self.period, values)

        self.now = self.told = 0  # ns; `told` is the published time
        self.answers = 0  # number of command messages since that time
        self.names = [joint.name for joint in self.robot.joints]
        self.neutral = [joint.neutral for joint in self.robot.joints]
        self.commands = Commands([0], [self.neutral])
        self.commanded_at = 0  # ns, last change of the command
        self.resets: list[tuple[Future, int]] = []  # and their times (ns)
        self.moved = True  # since the robot was put back
        self.wall = time.monotonic()  # wall clock time at which the current period is due
        self.last_progress = self.wall

        self.clock = self.create_publisher(Clock, "/clock", CLOCK)
        self.joint_states = self.create_publisher(JointState, "joint_states", CONTROL)
        commands = SolePublisher(self, "joint_trajectory")
        commands.subscribe(JointTrajectory, self.on_command, CONTROL)
        SolePublisher(self, "image_processed").subscribe(Header, self.on_processed, RESULTS)
        # Its answer waits for other messages, so their callbacks must run meanwhile.
        waiting = ReentrantCallbackGroup()
        self.create_service(Trigger, "reset", self.on_reset, callback_group=waiting)

    def run(self, executor: SingleThreadedExecutor) -> int:
        """Simulate until the node is shut down; returns 1 if such physics cannot be simulated."""
        self.executor_ = executor
        try:
            self.put_back()
            while True:
                if not self.resting:
                    self.refuse_resets()
                while self.resets and self.resting:
                    self.put_back()
                self.advance()
        except SimulationError as error:
            print(
                f"simulator: {error}: choose a shorter physics.timestep, or other physics",
                file=sys.stderr,
            )
            return 1

    @property
    def resting(self) -> bool:
        """Whether all commands, now and later, are the neutral pose."""
        return all(command == self.neutral for command in self.commands.from_now(self.now))

    def put_back(self) -> None:
        """Put the robot to its start; time then stands still until a candidate or a reset."""
        if self.moved:
            self.place = next(self.starts)
        self.moved = False
        self.world.reset(*self.place)
        self.images.forget()
        self.answers = 0
        way = -(-CARRIED_BACK // self.period) * self.period
        while not (self.answers and self.images.seen and self.resting):
            # Nodes that are just starting may miss a message, and the controller may not have
            # brought the joints to rest yet: everything is said again, later.
            # The first image of every evaluation has the same noise. One with another noise comes
            # before it, so that none ever equals the one before, as those of a stuck camera do.
            self.images.frame = CARRIED_FRAME
            self.announce(self.now + way)
            self.wait_for(lambda: self.answers > 0 and self.images.seen, patience=REPEAT)
            self.images.frame = 0
            self.announce(self.now + way)
            self.wait_for(lambda: self.answers > 0 and self.images.seen, patience=REPEAT)
            if not self.lockstep:
                break
        for reset, _ in self.resets:
            reset.set_result("")
        self.resets.clear()
        self.wait_for(lambda: not self.resting or bool(self.resets) or not self.lockstep)
        self.wall = time.monotonic()

    def refuse_resets(self) -> None:
        """Refuse resets while a candidate keeps driving the joints."""
        waiting, self.resets = self.resets, []
        for reset, since in waiting:
            if self.now - since < REFUSED:
                self.resets.append((reset, since))
            else:
                reset.set_result("a candidate drives the joints: stop it first")

    def advance(self) -> None:
        """Advance to the next image, or to the last command. A command holds a control period."""
        self.moved = True
        while True:
            self.world.step(np.array(self.commands.at(self.now)), self.period / SECOND)
            watched = self.keep_pace() or not self.lockstep
            self.pass_to(self.now + self.period)
            if watched or self.now >= self.commands.until[-1] or self.images.due(self.now):
                break
        self.wait_for(lambda: self.images.seen)
        self.tell_time()
        picture = self.images.picture(self.now)  # while the controller answers
        self.wait_for(lambda: self.answers > 0)
        self.images.show(picture, self.now)

    def announce(self, now: int) -> None:
        """Set the time to `now` (ns), and publish the state."""
        self.pass_to(now)
        self.tell_time()
        self.images.show(self.images.picture(self.now), self.now)

    def pass_to(self, now: int) -> None:
        """Set the time to `now` (ns) without moving the robot."""
        self.now = now
        if self.joint_states.get_subscription_count():
            message = JointState(name=self.names)
            message.position = self.world.joint_positions.tolist()
            message.velocity = self.world.joint_velocities.tolist()
            message.header.stamp = to_stamp(now)
            self.joint_states.publish(message)
        self.images.look()

    def tell_time(self) -> None:
        """Publish the clock. The controller answers with its commands from now on."""
        self.told, self.answers = self.now, 0
        self.clock.publish(Clock(clock=to_stamp(self.now)))

    def keep_pace(self) -> bool:
        """Sleep to keep the real-time factor, or real time if idle; False without either."""
        idle = self.now - self.commanded_at > IDLE * SECOND
        factor = 1.0 if idle and not 0 < self.factor < 1 else self.factor
        if not factor:
            self.wall = time.monotonic()
            return False
        self.wall = max(self.wall, time.monotonic() - 0.5) + self.period / SECOND / factor
        while (left := self.wall - time.monotonic()) > 0:
            self.executor_.spin_once(timeout_sec=left)
        return True

    def wait_for(self, ready: Callable[[], bool], patience: float = math.inf) -> None:
        """Handle messages until `ready`, for at most `patience` s."""
        if not self.lockstep:
            self.executor_.spin_once(timeout_sec=0)
            return
        began = repeated = shown = time.monotonic()
        while not ready() and (wall := time.monotonic()) - began < patience:
            self.executor_.spin_once(timeout_sec=REPEAT_CLOCK)
            if wall - repeated > REPEAT_CLOCK:
                self.clock.publish(Clock(clock=to_stamp(self.told)))
                repeated = wall
            if not self.images.seen and wall - shown > REPEAT:
                self.images.repeat()  # the image or its confirmation was lost
                shown = wall
            missing = not self.answers or not self.images.seen
            if missing and wall - self.last_progress > PATIENCE:
                whom = "camera_localization" if self.answers else "cpg_controller"
                self.get_logger().warning(f"waiting for {whom}")
                self.last_progress = math.inf
        if ready():
            self.last_progress = time.monotonic()

    def on_command(self, message: JointTrajectory) -> None:
        if self.lockstep and to_nanoseconds(message.header.stamp) != self.told:
            return  # it is from the past
        try:
            commands = commands_of(message, self.robot, self.now)
        except ValueError as error:
            self.get_logger().error(
                f"joint_trajectory refused: {error}", throttle_duration_sec=5.0
            )
            return
        if self.answers and commands == self.commands:
            return  # a repetition: no further answer
        if any(command != self.commands.at(self.now) for command in commands.positions):
            self.commanded_at = self.now
        self.commands = commands
        self.answers += 1

    def check_damages(self, parameters: list[NodeParameter]) -> SetParametersResult:
        changed = {one.name: one.value for one in parameters if one.name in self.damages}
        try:
            damages_in(self.damages | changed, self.robot)
        except DamageError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def on_damages(self, parameters: list[NodeParameter]) -> None:
        """Break or repair joints, between two control periods."""
        self.damages |= {one.name: one.value for one in parameters if one.name in self.damages}
        self.world.damage(damages_in(self.damages, self.robot))
        broken = {name: word for name, word in self.damages.items() if word != "none"}
        self.get_logger().warning(f"damage: {words_of(**broken) or 'none'}")

    def on_processed(self, header: Header) -> None:
        if to_nanoseconds(header.stamp) == self.images.stamp:
            self.images.seen = True

    async def on_reset(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        done: Future = Future()
        self.resets.append((done, self.now))
        failure = await done
        settings = f"{self.settings}, {words_of(**self.damages)}"
        response.success, response.message = not failure, failure or settings
        return response


main = partial(run_node, Simulator, work=Simulator.run)


if __name__ == "__main__":
    sys.exit(main())
