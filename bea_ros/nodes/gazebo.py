# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs Gazebo with the arena and the robot in it, and puts the robot back to its start.

Topics go over ros_gz_bridge (config/gazebo/bridge.yaml). Gazebo's time goes on during a reset: to
turn it back would pull the clock from under every node.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import subprocess
import sys
import tempfile
import time
from enum import Enum, auto

import psutil
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from bea_ros.gazebo import Camera, write_gazebo
from bea_ros.gazebo.world import PUT_BACK
from bea_ros.nodes.shared.arena_parameters import ARENA_PARAMETERS, arena_of
from bea_ros.nodes.shared.parameters import Parameter, ParameterError, declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import CONTROL, RESULTS
from bea_ros.nodes.shared.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.nodes.shared.sole_publisher import SolePublisher
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds
from bea_ros.nodes.shared.timers import wall_timer
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS
from bea_ros.system.processes import die_with_parent

_CAMERA = [p for p in CAMERA_PARAMETERS if p.name.partition(".")[2] in Camera.__dataclass_fields__]

PARAMETERS = [
    *ROBOT_PARAMETERS,
    *ARENA_PARAMETERS,
    Parameter("headless", False, "no window"),
    Parameter("render_engine", "ogre2", "what draws the camera's images",
              choices=("ogre2", "ogre")),
    Parameter("real_time_factor", 1.0, "simulated s per s; 0: 1, for nothing waits for the nodes",
              0.0, 1000.0),
    *_CAMERA,
]  # fmt: skip

STILL = 0.05  # rad/s; joints slower than this are at rest
CALM = 2 * SECOND  # ns after which a robot whose joints do not come to rest is put back as it is
SETTLED = SECOND  # ns after being put back, in which the robot falls the last millimetres
AGAIN = 4 * SECOND  # ns after which it is put back again if it is not seen at its start
TRIES = 5
AT_START = 0.05  # m
SILENCE = 30.0  # s (wall) without a message from Gazebo until a reset fails
GRACE = 1.0  # s between asking Gazebo to end and killing it


class Stage(Enum):
    """How far a reset is."""

    STOPPING = auto()  # the joints come to rest
    SETTLING = auto()  # the robot was put back, and the camera must see it there


class Gazebo(Node):
    """Starts `gz sim`; serves `reset` (std_srvs/Trigger).

    The answer comes when the camera has seen the robot at rest at its start; one whose joints are
    driven is not put back. Subscribes `joint_states`, `joint_trajectory` and `pose`, publishes
    `put_back`.
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
        self.folder = tempfile.TemporaryDirectory(prefix="bea_ros_gazebo_")
        world = write_gazebo(
            self.folder.name,
            arena_of(values, robot),
            robot,
            camera,
            values["real_time_factor"] or 1.0,
        )
        self.process = subprocess.Popen(
            command(str(world), values["headless"], values["render_engine"]),
            cwd=self.folder.name,  # where the world's robot is looked for
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        self.neutral = [(joint.lower + joint.upper) / 2 for joint in robot.joints]
        self.driven = False  # a candidate drives the joints
        self.resets: list[Future] = []
        self.stage = Stage.STOPPING
        self.now = 0  # ns, stamp of the last joint states
        self.since = 0  # ns; when this stage of the reset began
        self.tries = 0
        self.heard = time.monotonic()

        self.back = self.create_publisher(Empty, PUT_BACK, CONTROL)
        self.create_subscription(JointState, "joint_states", self.on_joint_states, CONTROL)
        self.create_subscription(JointTrajectory, "joint_trajectory", self.on_command, CONTROL)
        self.create_subscription(PoseWithCovarianceStamped, "pose", self.on_pose, RESULTS)
        self.alone = {
            topic: SolePublisher(self, topic)
            for topic in ("joint_states", "joint_trajectory", "pose")
        }
        # Its answer waits for other messages, so it must not keep them from being handled.
        waiting = ReentrantCallbackGroup()
        self.create_service(Trigger, "reset", self.on_reset, callback_group=waiting)
        wall_timer(self, 0.5, self.on_watch)

    def run(self, executor: SingleThreadedExecutor) -> int:
        """Serve until Gazebo ends, which is an error, or the node is shut down."""
        while (code := self.process.poll()) is None:
            executor.spin_once(timeout_sec=0.2)
        self.get_logger().error(f"gz sim ended with exit code {code}")
        return 1

    async def on_reset(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        done: Future = Future()
        if not self.resets:
            self.stage, self.since, self.tries = Stage.STOPPING, self.now, 0
            self.heard = time.monotonic()
        self.resets.append(done)
        response.message = await done
        response.success = not response.message
        return response

    def on_joint_states(self, message: JointState) -> None:
        if not self.alone["joint_states"]():
            return
        self.now, self.heard = to_nanoseconds(message.header.stamp), time.monotonic()
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
        if not self.alone["joint_trajectory"]():
            return
        self.driven = any(list(point.positions) != self.neutral for point in message.points)

    def put_back(self) -> None:
        if self.driven:
            self.answer("a candidate drives the joints: stop it first")
            return
        self.back.publish(Empty())
        self.stage, self.since = Stage.SETTLING, self.now
        self.tries += 1

    def on_pose(self, message: PoseWithCovarianceStamped) -> None:
        if not self.alone["pose"]():
            return
        settled = to_nanoseconds(message.header.stamp) - self.since > SETTLED
        if self.resets and self.stage is Stage.SETTLING and settled:
            position = message.pose.pose.position
            if math.hypot(position.x, position.y) < AT_START:
                self.answer("")

    def on_watch(self) -> None:
        if self.resets and time.monotonic() - self.heard > SILENCE:
            self.answer(f"no joint_states from Gazebo for {SILENCE:.0f} s: is it paused?")

    def answer(self, failure: str) -> None:
        resets, self.resets = self.resets, []
        for reset in resets:
            reset.set_result(failure)

    def destroy_node(self) -> None:
        """End Gazebo, too: its server and its window are processes of their own, in groups of
        their own, and the window's end may take longer than there is time.
        """
        family: list[psutil.Process] = []
        with contextlib.suppress(psutil.NoSuchProcess):
            family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.terminate()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        self.folder.cleanup()
        super().destroy_node()


def command(world: str, headless: bool, render_engine: str) -> list[str]:
    """How Gazebo is started; headless, Ogre 2 needs no display, Ogre 1 does."""
    words = ["gz", "sim", "-r", "--render-engine", render_engine]
    if headless:
        words += ["-s", *(["--headless-rendering"] if render_engine == "ogre2" else [])]
    return [*words, world]


def main(args: list[str] | None = None) -> int:
    """Run the node until it is shut down."""
    return run_node(Gazebo, args, work=lambda node, executor: node.run(executor))


if __name__ == "__main__":
    sys.exit(main())
