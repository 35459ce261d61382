# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs Gazebo with the arena and the robot, and puts the robot back to its start.

A Gazebo server whose time stands still is restarted.

Topics go through ros_gz_bridge (config/gazebo/bridge.yaml). Time never goes back, neither at a
reset nor after a restart, as no node could handle that.
"""

from __future__ import annotations

import math
import shutil
import sys
import time
from enum import Enum, auto
from functools import partial

from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.subscription import Subscription
from rclpy.task import Future
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from bea_ros.gazebo import Camera, write_gazebo
from bea_ros.gazebo.server import Server
from bea_ros.gazebo.standing import RESTARTED, Standing
from bea_ros.gazebo.world import PUT_BACK
from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.node import Node, wall_timer
from bea_ros.nodes.shared.parameters import Parameter, ParameterError, declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import CLOCK, CONTROL, RESULTS
from bea_ros.nodes.shared.robot.settings import words_of
from bea_ros.nodes.shared.robot.trouble import PERIOD, TOPIC
from bea_ros.nodes.shared.robot_parameters import (
    ARENA_PARAMETERS,
    MOTOR,
    ROBOT_PARAMETERS,
    robot_of,
)
from bea_ros.nodes.shared.sole_publisher import SolePublisher
from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS
from bea_ros.system.nanoseconds import SECOND

_CAMERA = [p for p in CAMERA_PARAMETERS if p.name.partition(".")[2] in Camera.__dataclass_fields__]

PARAMETERS = [
    *ROBOT_PARAMETERS,
    MOTOR,
    *ARENA_PARAMETERS,
    Parameter("headless", False, "no window"),
    Parameter("render_engine", "ogre2", "what draws the camera's images",
              choices=("ogre2", "ogre")),
    Parameter("real_time_factor", 1.0, "simulated s per s; 0 is 1: Gazebo never waits for nodes",
              0.0, 1000.0),
    *_CAMERA,
]  # fmt: skip

STILL = 0.05  # rad/s; joints slower than this are at rest
CALM = 2 * SECOND  # ns after which the robot is put back even if its joints still move
SETTLED = SECOND  # ns in which the robot falls the last millimetres after it was put back
AGAIN = 4 * SECOND  # ns until it is put back again if the camera does not see it at its start
TRIES = 5
AT_START = 0.05  # m
LISTEN = 1.0  # s (wall clock) without a message from Gazebo, after which its clock is checked


class Stage(Enum):
    """Stage of a reset."""

    STOPPING = auto()  # the joints come to rest
    SETTLING = auto()  # the robot was put back, and the camera must see it at its start


class Gazebo(Node):
    """Starts `gz sim`; serves `reset` (std_srvs/Trigger).

    The answer comes when the camera has seen the robot at rest at its start. A reset is refused
    while a candidate drives the joints. Subscribes `joint_states`, `joint_trajectory` and `pose`,
    and `clock` while nothing moves; publishes `put_back` and, twice a second, `robot_trouble`.
    """

    def __init__(self) -> None:
        super().__init__("gazebo")
        values = declare(self, PARAMETERS)
        if shutil.which("gz") is None:
            raise ParameterError(
                "gz is not found: install Gazebo (sudo apt install ros-$ROS_DISTRO-ros-gz)"
            )
        robot = robot_of(values)
        camera = Camera(**{p.name.partition(".")[2]: values[p.name] for p in _CAMERA})
        arena, factor = load_arena(robot, values["arena"]), values["real_time_factor"] or 1.0
        self.server = Server(
            lambda folder: write_gazebo(folder, arena, robot, camera, factor, values["motor"]),
            values["headless"],
            values["render_engine"],
        )
        self.settings = words_of(robot=robot.check, motor=values["motor"])
        self.standing = Standing()
        self.trouble = ""
        self.neutral = [joint.neutral for joint in robot.joints]
        self.driven = False  # a candidate drives the joints
        self.resets: list[Future] = []
        self.stage = Stage.STOPPING
        self.now = 0  # ns, stamp of the last joint states
        self.since = 0  # ns; when this stage of the reset began
        self.tries = 0
        self.watched = time.monotonic()
        self.clock: Subscription | None = None

        self.back = self.create_publisher(Empty, PUT_BACK, CONTROL)
        self.troubles = self.create_publisher(String, TOPIC, CONTROL)
        self.joint_source = SolePublisher(self, "joint_states")
        self.joint_source.subscribe(JointState, self.on_joint_states, CONTROL)
        commands = SolePublisher(self, "joint_trajectory")
        commands.subscribe(JointTrajectory, self.on_command, CONTROL)
        SolePublisher(self, "pose").subscribe(PoseWithCovarianceStamped, self.on_pose, RESULTS)
        # Its answer waits for other messages, so their callbacks must run meanwhile.
        waiting = ReentrantCallbackGroup()
        self.create_service(Trigger, "reset", self.on_reset, callback_group=waiting)
        wall_timer(self, PERIOD, self.on_watch)

    def run(self, executor: SingleThreadedExecutor) -> int:
        """Serve until shutdown, or until Gazebo ends or hangs for good, which is an error."""
        while (code := self.server.code) is None and not self.standing.lost:
            executor.spin_once(timeout_sec=0.2)
        self.get_logger().error(
            "nothing moves in Gazebo, also after a new start: do gz sim and ros_gz_bridge run?"
            if code is None
            else f"gz sim ended with exit code {code}"
        )
        return 1

    async def on_reset(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        if self.standing.trouble:
            response.message = self.standing.trouble
            return response
        done: Future = Future()
        if not self.resets:
            self.stage, self.since, self.tries = Stage.STOPPING, self.now, 0
        self.resets.append(done)
        failure = await done
        response.success, response.message = not failure, failure or self.settings
        return response

    def on_joint_states(self, message: JointState) -> None:
        self.now = to_nanoseconds(message.header.stamp)
        self.standing.heard(self.now)
        if not self.resets:
            return
        waited = self.now - self.since
        if self.stage is Stage.STOPPING:
            still = not self.driven and all(abs(v) < STILL for v in message.velocity)
            if still or waited > CALM:
                self.put_back()
        elif waited > AGAIN:
            if self.tries < TRIES:
                self.put_back()
            else:
                self.answer("the camera does not see the robot at its start")

    def on_command(self, message: JointTrajectory) -> None:
        self.driven = any(list(point.positions) != self.neutral for point in message.points)

    def put_back(self) -> None:
        if self.driven:
            self.answer("a candidate drives the joints: stop it first")
            return
        self.back.publish(Empty())
        self.stage, self.since = Stage.SETTLING, self.now
        self.tries += 1

    def on_pose(self, message: PoseWithCovarianceStamped) -> None:
        settled = to_nanoseconds(message.header.stamp) - self.since > SETTLED
        if self.resets and self.stage is Stage.SETTLING and settled:
            position = message.pose.pose.position
            if math.hypot(position.x, position.y) < AT_START:
                self.answer("")

    def on_watch(self) -> None:
        """Publish the state of Gazebo; restart a server that hangs."""
        now = time.monotonic()
        if self.joint_source.usable():
            # at most the time since the last check, as this node may have been delayed itself
            self.standing.listened(min(now - self.watched, 2 * PERIOD))
        self.watched = now
        if self.standing.overdue:
            self.say(RESTARTED)  # before the start, which takes a moment
            self.server.restart(self.standing.begin / SECOND)
            self.standing.restarted()
        self.listen_to_clock(self.standing.up and self.standing.quiet > LISTEN)
        self.say(self.standing.trouble)

    def say(self, trouble: str) -> None:
        self.troubles.publish(String(data=trouble))
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble:
            self.get_logger().warning(trouble)
            self.answer(trouble)
        else:
            self.get_logger().info("Gazebo's time goes on")

    def listen_to_clock(self, wanted: bool) -> None:
        """Subscribe to the clock or not. A paused Gazebo publishes it, a hung one does not."""
        if wanted and self.clock is None:
            self.clock = self.create_subscription(
                Clock, "clock", lambda _: self.standing.ticked(), CLOCK
            )
        elif not wanted and self.clock is not None:
            self.destroy_subscription(self.clock)
            self.clock = None

    def answer(self, failure: str) -> None:
        resets, self.resets = self.resets, []
        for reset in resets:
            reset.set_result(failure)

    def destroy_node(self) -> None:
        """End Gazebo as well."""
        if hasattr(self, "server"):  # missing if Gazebo could not be started
            self.server.end()
        super().destroy_node()


main = partial(run_node, Gazebo, work=Gazebo.run)


if __name__ == "__main__":
    sys.exit(main())
