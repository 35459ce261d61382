# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that all nodes needed for an evaluation run, each once, without a problem."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import chain

from rclpy.client import Client
from rclpy.node import Node

from bea_ros.nodes.shared.robot.answers import RobotSilent
from bea_ros.nodes.shared.robot.late_pulses import LatePulses
from bea_ros.nodes.shared.robot.trouble import RobotTrouble
from bea_ros.nodes.shared.sole_publisher import SolePublisher, crowd_of_servers

# Between other nodes, which ignore both of two publishers and so bring everything to a stop.
TRUSTED = {  # topic: who trusts it; empty: anybody
    "joint_trajectory": "",
    "image_raw": "camera_localization",
    "image_raw/compressed": "camera_localization",
}
SIMULATED = {"image_processed": "", "/clock": ""}
RECORDED = ("pose", "learner/status")  # by whose subscriptions a recorder is known
SILENCE = 25.0  # s (wall) for a robot's node that no longer reports
LONG, HINT = 20.0, "; bea doctor says whether processes hear each other"  # s (wall)
TOLD = 5.0  # s (wall) between reports of what is waited for


class Presence:
    """Watches controller, localization, robot and, if the run is recorded, the recorder.

    `services` maps the servers' names, for messages, to their clients.
    """

    def __init__(self, node: Node, services: Mapping[str, Client]) -> None:
        self._node, self._services = node, services
        self.controller = SolePublisher(node, "active_parameters")
        self.driver = SolePublisher(node, "armed")
        spoken = node.get_parameter("robot_backend").value == "gazebo"
        self.trouble = RobotTrouble(node, spoken)
        simulated = bool(node.get_parameter("use_sim_time").value)
        trusted = {**TRUSTED, **(SIMULATED if simulated else {})}
        self.late = LatePulses(node, spoken=not simulated)
        self.alone = [self.controller]  # two publishers of its topic are a problem
        self.alone += [SolePublisher(node, *one) for one in trusted.items()]
        self.alone += [self.trouble.source] * spoken
        self.alone += [] if simulated else [self.driver, self.late.source]
        self.commanded = False  # the controller has published what drives the joints

    def wait(self, patience: float, spin: Callable[[], None], tell: Callable[[str], None]) -> None:
        """Call `spin` until all nodes are there without a problem; `tell` what it waits for.

        Raises RobotSilent after `patience` (s), or SILENCE if the robot's own node is silent.
        """
        began, told = time.monotonic(), -TOLD
        while True:
            names, problem = ", ".join(self.missing()), self.problem
            if not names and not problem:
                return
            waited = time.monotonic() - began
            if waited > patience or (self.trouble.silent and waited > SILENCE):
                raise RobotSilent(problem or f"no answer from {names} for {patience:.0f} s")
            if waited > told + TOLD and (problem or waited > TOLD):
                hint = HINT * (waited > LONG)
                tell(f"waiting: {problem}" if problem else f"waiting for {names}{hint}")
                told = waited
            spin()

    def missing(self) -> list[str]:
        """Return the names of missing nodes."""
        active = self._node.resolve_topic_name("active_parameters")
        there = {
            "cpg_controller": self.commanded and self._node.count_publishers(active) > 0,
            **{name: client.service_is_ready() for name, client in self._services.items()},
            "the robot's word that it is well": self.trouble.heard,
        }
        return [name for name, is_there in there.items() if not is_there] or self._unrecorded()

    @property
    def problem(self) -> str:
        """The problem with the running nodes, in words; empty if there is none."""
        crowds = (one.crowd for one in self.alone)
        servers = (crowd_of_servers(self._node, client) for client in self._services.values())
        return self.trouble.text or next(filter(None, chain(crowds, servers)), "")

    def _unrecorded(self) -> list[str]:
        """Return the recorder if the run needs it and it does not listen yet."""
        waited_for = self._node.get_parameter_or("recorded", None)
        if waited_for is None or not waited_for.value:
            return []
        heard = (
            self._node.get_subscriptions_info_by_topic(self._node.resolve_topic_name(topic))
            for topic in RECORDED
        )
        there = all(any(one.node_name == "recorder" for one in listeners) for listeners in heard)
        return [] if there else ["recorder"]
