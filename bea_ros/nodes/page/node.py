# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows the run in a browser while it learns, and takes the operator's requests.

No other node waits for this one. It handles messages five times a second, or 2.5 times in a
simulation, and uses only the latest of each topic. While no browser shows the page, the node does
not subscribe to paths, commands and debug images, and does not read the log.
"""

from __future__ import annotations

import os
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
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import BatteryState, Image
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory

from bea_ros.localization.arena import Arena, load_arena
from bea_ros.nodes.executables import BACKENDS, REAL
from bea_ros.nodes.page import address
from bea_ros.nodes.page.desk import Desk
from bea_ros.nodes.page.guard import Guard, new_token
from bea_ros.nodes.page.history import History
from bea_ros.nodes.page.scene import Scene
from bea_ros.nodes.page.server import PageError, Reply, Server
from bea_ros.nodes.page.sight import Sight
from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.parameters import Parameter, declare
from bea_ros.nodes.shared.process import SYSTEM_ERROR, note_signals, run_node
from bea_ros.nodes.shared.qos import LATCHED, images
from bea_ros.nodes.shared.robot_parameters import ARENA_PARAMETERS, ROBOT_PARAMETERS, robot_of
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

LOOK = 0.2  # s between updates of the browsers
LOOK_BESIDE = 0.4  # s, the same with a simulated robot
SOON = 0.05  # s, the same while an answer is awaited
READ = 1.0  # s between readings of the log
NICE = 10  # with a simulated robot: the simulation has priority
LEARNER = 20.0  # s to wait for learner/status before printing the address without it
LAST_WORDS = 0.3  # s for which the node still listens after a signal
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)  # never delays a publisher
MANY = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)  # several nodes publish
STILL = (LearnerStatus.STATE_PAUSED, LearnerStatus.STATE_FINISHED, LearnerStatus.STATE_STOPPED)


class Page(Node):
    """Subscribes to `learner/status`, `/diagnostics`, `active_parameters`, `battery_state` and
    `armed`. If a browser is open, also to `path`, `learner/best_path`, `joint_trajectory` and
    `debug_image`.

    Publishes `emergency_stop`; calls the services of the learner and the servo driver.
    """

    def __init__(self) -> None:
        super().__init__("page")
        values = declare(self, PARAMETERS)
        robot = robot_of(values)
        self.simulated = values["robot_backend"] not in REAL
        about = {
            "robot": robot.name,
            "simulated": self.simulated,
            "powered": values["robot_backend"] == "ros2_control",  # after a stop, too
            "switch": values["switch"],
            **layout_of(robot, load_arena(robot, values["arena"])),
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
        self.read = 0.0  # time of the last reading of the log (s, monotonic)
        self.listen(LearnerStatus, "learner/status", LATCHED)
        self.listen(CpgParameters, "active_parameters", LATCHED)
        self.listen(BatteryState, "battery_state", LATEST)
        self.listen(Bool, "armed", LATCHED)
        self.diagnostics = self.create_subscription(
            DiagnosticArray, "/diagnostics", self.on_diagnostics, MANY
        )

    def listen(self, kind: Any, topic: str, qos: QoSProfile) -> Subscription:
        """Keep the latest message of a topic."""
        return self.create_subscription(kind, topic, partial(self.sight.keep, topic), qos)

    def on_diagnostics(self, message: DiagnosticArray) -> None:
        """Take this message and those that wait: many nodes publish here, those of all robots.

        At most one is of the servos: `stopping` is to see each of their states.
        """
        before = self.sight.servos
        taken: Any = (message, None)
        while taken:
            self.sight.on_diagnostics(taken[0])
            if self.sight.servos is not before:
                return
            taken = self.diagnostics.handle.take_message(DiagnosticArray, False)

    def look(self) -> None:
        """Subscribe to the topics that only open browsers need."""
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
        """Take a request of an operator; the server's thread calls this."""
        self.desk.ask(what, reply)
        self.asked.set()

    def serve(self, executor: SingleThreadedExecutor) -> int:
        """Serve the page until the node is shut down; returns the exit code."""
        if self.simulated:  # no servos wait for its STOP; DDS's threads keep their priority
            os.nice(NICE)
        ports = range(self.port, self.port + 1) if self.port else address.PORTS
        try:
            self.server.start(address.HOSTS[self.reach], ports)
        except PageError as error:
            print(f"page: {error}", file=sys.stderr)
            return SYSTEM_ERROR
        patience = time.monotonic() + LEARNER if self.history.log else 0.0
        told = False
        asked_to_stop = note_signals()  # else the node would end before the learner's last status
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
        """Send the current scene to the browsers."""
        status = self.sight.latest("learner/status")
        if status is not None:
            self.history.heard(status)
        stands = status is not None and status.state in STILL
        stopping, drivers = self.desk.stopping, self.count_publishers("armed")
        armed, heard = self.sight.latest("armed"), self.sight.heard("armed")
        follows = heard is None or heard <= stopping.pressed or armed.data
        stopping.look(self.sight.servos, stands, drivers, follows)
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
        """Stop the server, then the node."""
        if hasattr(self, "server"):
            self.server.stop()
        super().destroy_node()


def take(executor: SingleThreadedExecutor) -> None:
    """Handle a message of each topic; `spin` would wake for each message of a fast simulation."""
    while True:
        try:
            handler, _, _ = executor.wait_for_ready_callbacks(timeout_sec=0)
        except TimeoutException:
            return
        handler()
        handler.result()


def layout_of(robot: Robot, arena: Arena) -> dict[str, Any]:
    """Return what never changes: arena (m), robot from above (m), joints and limits (rad)."""
    markers = [[m.x, m.y, m.size] for m in arena.floor_markers]
    return {
        "arena": {"width": arena.width, "depth": arena.depth, "markers": markers},
        "outline": outline(robot),
        "joints": [[joint.name, joint.lower, joint.upper] for joint in robot.joints],
    }


main = partial(run_node, Page, work=Page.serve)


if __name__ == "__main__":
    sys.exit(main())
