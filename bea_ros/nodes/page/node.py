# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows the run in a browser while it learns, and takes what its operator asks.

The node looks and asks; nothing waits for it. It takes what has come five times a second, beside
a simulation half as often, the latest of each, however fast a simulation says it, and while no
browser shows the page it neither hears paths and commands, nor has the camera's images drawn, nor
reads the log.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Path as PathMessage
from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import uninstall_signal_handlers
from rclpy.subscription import Subscription
from sensor_msgs.msg import BatteryState, Image
from trajectory_msgs.msg import JointTrajectory

from bea_ros.localization.arena import Arena
from bea_ros.nodes.executables import BACKENDS, REAL
from bea_ros.nodes.page import address
from bea_ros.nodes.page.desk import Desk
from bea_ros.nodes.page.guard import Guard, new_token
from bea_ros.nodes.page.history import History
from bea_ros.nodes.page.scene import Scene
from bea_ros.nodes.page.server import PageError, Reply, Server
from bea_ros.nodes.page.sight import Sight
from bea_ros.nodes.shared.arena_parameters import ARENA_PARAMETERS, arena_of
from bea_ros.nodes.shared.parameters import Parameter, declare
from bea_ros.nodes.shared.process import SYSTEM_ERROR, run_node
from bea_ros.nodes.shared.qos import LATCHED, images
from bea_ros.nodes.shared.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.report.shapes import outline
from bea_ros.robots import Robot

PARAMETERS = [
    *ROBOT_PARAMETERS,
    *ARENA_PARAMETERS,
    Parameter("robot_backend", "simulator", "what moves the joints", choices=BACKENDS),
    Parameter("output", "", "folder of the run whose log is shown; empty: use learner/status"),
    Parameter("reach", "local", "who can open the page: this machine, or all of its networks",
              choices=tuple(address.HOSTS)),
    Parameter("port", 0, "port of the page; 0: the first free one from 8600 on", 0, 65535),
    Parameter("switch", "the switch of the servos' power supply",
              "where to cut the servos' power; shown if a STOP is unconfirmed"),
]  # fmt: skip

LOOK = 0.2  # s between looks at what has come, each told the browsers
LOOK_BESIDE = 0.4  # s, beside a simulation
SOON = 0.05  # s, while an answer is awaited
READ = 1.0  # s between looks at the log
NICE = 10  # beside a simulation, which goes first
LEARNER = 20.0  # s for which the address waits for a learner that may refuse its parameters
LAST_WORDS = 0.3  # s for which, asked to stop, the node still listens
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)  # keeps nobody waiting
MANY = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)  # of several nodes
STILL = (LearnerStatus.STATE_PAUSED, LearnerStatus.STATE_FINISHED, LearnerStatus.STATE_STOPPED)


class Page(Node):
    """Subscribes `learner/status`, `/diagnostics`, `active_parameters` and `battery_state`, and
    while somebody looks `path`, `learner/best_path`, `joint_trajectory`, `debug_image`.

    Publishes `emergency_stop`; calls the operator's services of learner and servo driver.
    """

    def __init__(self) -> None:
        super().__init__("page")
        values = declare(self, PARAMETERS)
        robot = robot_of(values)
        self.simulated = values["robot_backend"] not in REAL
        about = {
            "robot": robot.name,
            "simulated": self.simulated,
            "switch": values["switch"],
            **layout_of(robot, arena_of(values, robot)),
        }
        self.pause = LOOK_BESIDE if self.simulated else LOOK
        self.reach, self.port = values["reach"], values["port"]
        self.token = new_token()
        self.history = History(Path(values["output"]) if values["output"] else None)
        self.sight = Sight(self.get_namespace())
        self.desk = Desk(self, self.simulated)
        self.asked = threading.Event()
        self.server = Server(Guard(self.token, self.reach == "local"), about, self.on_ask)
        self.looking: list[Subscription] = []
        self.read = 0.0  # when the log was, s
        self.listen(LearnerStatus, "learner/status", LATCHED)
        self.listen(CpgParameters, "active_parameters", LATCHED)
        self.listen(BatteryState, "battery_state", LATEST)
        self.create_subscription(DiagnosticArray, "/diagnostics", self.sight.on_diagnostics, MANY)

    def listen(self, kind: Any, topic: str, qos: QoSProfile) -> Subscription:
        """Keep the latest message of a topic."""
        return self.create_subscription(kind, topic, partial(self.sight.keep, topic), qos)

    def look(self) -> None:
        """Hear what is only to be seen."""
        sight, show = self.sight, self.create_subscription
        self.looking = [
            self.listen(JointTrajectory, "joint_trajectory", LATEST),
            show(PathMessage, "path", partial(sight.on_path, "path"), LATCHED),
            show(PathMessage, "learner/best_path", partial(sight.on_path, "best"), LATCHED),
            show(Image, "debug_image", sight.on_image, images(reliable=True)),
        ]

    def look_away(self) -> None:
        for subscription in self.looking:
            self.destroy_subscription(subscription)
        self.looking = []

    def on_ask(self, what: str, reply: Reply) -> None:
        """From the server's thread: a browser's operator wants something."""
        self.desk.ask(what, reply)
        self.asked.set()

    def serve(self, executor: SingleThreadedExecutor) -> int:
        """Serve the page until the node is shut down; returns the exit code."""
        if self.simulated:  # no servos wait for its STOP; not DDS's threads, which hold up senders
            os.nice(NICE)
        ports = range(self.port, self.port + 1) if self.port else address.PORTS
        try:
            self.server.start(address.HOSTS[self.reach], ports)
        except PageError as error:
            print(f"page: {error}", file=sys.stderr)
            return SYSTEM_ERROR
        patience = time.monotonic() + LEARNER if self.history.log else 0.0
        told = False
        asked_to_stop: list[int] = []
        uninstall_signal_handlers()  # rclpy's would leave the learner's last words unheard
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: asked_to_stop.append(number))
        end = 0.0
        while not end or time.monotonic() < end:
            if asked_to_stop and not end:
                end = time.monotonic() + LAST_WORDS
            take(executor)
            self.desk.work()
            if not told and (time.monotonic() > patience or self.sight.latest("learner/status")):
                told = True
                address.tell(self.reach, self.server.port, self.token)
            self.show()
            self.asked.wait(SOON if self.desk.waits else self.pause)
            self.asked.clear()
        return 0

    def show(self) -> None:
        """Tell the browsers how things stand."""
        status = self.sight.latest("learner/status")
        if status is not None:
            self.history.heard(status)
        stands = status is not None and status.state in STILL
        stopping, drivers = self.desk.stopping, self.count_publishers("armed")
        stopping.look(self.sight.servos, stands, drivers)
        if not self.server.viewers:
            self.look_away()
            return
        if not self.looking:
            self.look()
        if time.monotonic() - self.read >= READ:
            self.read = time.monotonic()
            self.history.read()
        left = self.history.left(status.budget) if status else None
        now = self.sight.now(left, stopping)
        self.server.tell(Scene(now, self.history.rows, self.sight.parts, self.sight.picture))

    def destroy_node(self) -> None:
        """End the server first."""
        if hasattr(self, "server"):
            self.server.stop()
        super().destroy_node()


def take(executor: SingleThreadedExecutor) -> None:
    """Handle all that has come; `spin` would wake for each message of a fast simulation."""
    while True:
        try:
            handler, _, _ = executor.wait_for_ready_callbacks(timeout_sec=0)
        except TimeoutException:
            return
        handler()
        handler.result()


def layout_of(robot: Robot, arena: Arena) -> dict[str, Any]:
    """What stays as it is: the arena (m), the robot from above (m), joints and limits (rad)."""
    markers = [[m.x, m.y, m.size] for m in arena.floor_markers]
    return {
        "arena": {"width": arena.width, "depth": arena.depth, "markers": markers},
        "outline": outline(robot),
        "joints": [[joint.name, joint.lower, joint.upper] for joint in robot.joints],
    }


def main(args: list[str] | None = None) -> int:
    """Run the node until it is shut down."""
    return run_node(Page, args, work=lambda node, executor: node.serve(executor))


if __name__ == "__main__":
    sys.exit(main())
