# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learner whose robot is played, and its operator."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from bea_ros_interfaces.msg import LearnerStatus
from bea_ros_interfaces.srv import EvaluateFitness
from peer import Peer
from robot_player import RobotPlayer, Spoil
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.qos import LATCHED

REQUESTS = ("pause", "resume", "skip", "abort", "repeat_last")


class Learning(Peer):
    """A learner, its robot, which is played, and its operator."""

    def __init__(
        self, run: Path, domain: int, namespace: str, operator: str = "present", **more: Any
    ) -> None:
        self.run = run
        values = {
            "output": run, "duration": 2.0, "algorithm": "ea", "evaluations": 10**6,
            "operator": operator, "reset": "service", "confirm": 0, **more,
        }  # fmt: skip
        words = [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
        super().__init__("learner", domain, *words, namespace=namespace)
        node = self.node
        self.robot = RobotPlayer(node)
        self.requests = {n: node.create_client(Trigger, f"learner/{n}") for n in REQUESTS}
        self.statuses: list[LearnerStatus] = []
        node.create_subscription(LearnerStatus, "learner/status", self.statuses.append, LATCHED)
        self.armed = node.create_publisher(Bool, "armed", LATCHED)

    def answer(self, name: str) -> Trigger.Response:
        self.wait_for(self.requests[name].service_is_ready)
        return self.call(self.requests[name], Trigger.Request())

    def ask(self, name: str) -> None:
        answer = self.answer(name)
        assert answer.success, answer.message

    def hold_next(self) -> int:
        """Have the next evaluation wait for its measurement; returns its number."""
        self.robot.hold()
        asked = len(self.robot.asked)
        self.wait_for(lambda: len(self.robot.asked) > asked)
        return self.robot.asked[-1]

    def hear_next(self, *nonsense: EvaluateFitness.Response | Spoil) -> int:
        """Have the next evaluation answered by these, one after another; returns its number."""
        evaluation = self.hold_next()
        self.robot.nonsense = list(nonsense)
        self.robot.release()
        return evaluation

    def goes_on(self) -> None:
        asked = len(self.robot.asked)
        self.wait_for(lambda: len(self.robot.asked) > asked + 1)

    def is_(self, state: str, words: str = "") -> bool:
        return self.statuses[-1].state == state and words in self.statuses[-1].message

    def becomes(self, state: str, words: str = "") -> None:
        self.wait_for(lambda: self.is_(state, words))

    def stands_still(self) -> bool:
        return not self.robot.told.names


def nan(answer: EvaluateFitness.Response) -> EvaluateFitness.Response:
    answer.fitness = math.nan
    return answer
