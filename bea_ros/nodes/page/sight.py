# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the latest data that the page shows, converted from messages to plain data."""

from __future__ import annotations

import time
from typing import Any

import cv2
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Pose
from nav_msgs.msg import Path
from sensor_msgs.msg import Image

from bea_ros.bags.sightings import yaw_of
from bea_ros.images.jpeg import encode
from bea_ros.nodes.page.stopping import Servos, Stopping
from bea_ros.nodes.shared.image_messages import ImageError, image_of
from bea_ros.tasks import unit_of

QUALITY = 75  # of the JPEGs, per cent
WIDEST = 960  # pixels; wider camera images are scaled down
POINTS = 300  # about as many points of a path are kept
DRIVERS = ("servo_driver", "ros2_control_driver")  # of a real robot's joints


class Sight:
    """The latest message of each topic; `namespace` is the robot's."""

    def __init__(self, namespace: str) -> None:
        self._namespace = f"{namespace.strip('/')}/".lstrip("/")
        self._heard: dict[str, tuple[float, Any]] = {}  # time received (s, monotonic) and message
        self.servos: Servos | None = None
        self.picture = b""  # JPEG
        self.parts: dict[str, Any] = {}  # paths

    def keep(self, topic: str, message: Any) -> None:
        self._heard[topic] = (time.monotonic(), message)

    def latest(self, topic: str) -> Any:
        return self._heard[topic][1] if topic in self._heard else None

    def heard(self, topic: str) -> float | None:
        """When the latest message of a topic came (s, steady clock), or None."""
        return self._heard[topic][0] if topic in self._heard else None

    def age(self, topic: str) -> float | None:
        """Age of the latest message of a topic (s), or None."""
        return time.monotonic() - self._heard[topic][0] if topic in self._heard else None

    def on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            level = ord(status.level)
            if status.name in (f"{self._namespace}{driver}: servos" for driver in DRIVERS):
                said = {pair.key: pair.value for pair in status.values}
                state, reason, fault = (said.get(k, "") for k in ("state", "reason", "fault"))
                still = said.get("pulses") == "none" or said.get("joints") == "standing"
                now, started = time.monotonic(), said.get("started", "")
                self.servos = Servos(state, reason, fault, not still, level, now, started)
            elif status.name == f"{self._namespace}camera_localization: tracking":
                self.keep("tracking", {"level": level, "text": status.message})

    def on_image(self, message: Image) -> None:
        try:
            picture: Any = image_of(message)
        except ImageError:  # an image that cannot be shown is skipped
            return
        if picture.shape[1] > WIDEST:
            size = (WIDEST, round(WIDEST * picture.shape[0] / picture.shape[1]))
            picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        self.picture = encode(picture, QUALITY).tobytes()

    def on_path(self, name: str, message: Path) -> None:
        self.keep(name, message)
        self.parts = {**self.parts, name: points_of(message)}

    def now(self, left: float | None, stopping: Stopping) -> dict[str, Any]:
        """The part of a scene that always changes; `left`: expected time to the run's end (s)."""
        path, trying = self.latest("path"), self.latest("active_parameters")
        battery, servos = self.latest("battery_state"), self.servos
        tracking = self.latest("tracking")
        return {
            "at": time.time(),
            "learner": self._learner(left),
            "pose": floor_pose(path.poses[-1].pose) if path and path.poses else None,
            "seen": self.age("path"),
            "trying": [trying.evaluation, trying.attempt] if trying and trying.names else None,
            "joints": self._joints(),
            "servos": servos
            and {
                "state": servos.state,
                "reason": servos.fault or servos.reason,
                "level": servos.level,
                "age": time.monotonic() - servos.heard,
            },
            "tracking": tracking and {**tracking, "age": self.age("tracking")},
            "battery": battery and {"voltage": battery.voltage, "charge": battery.percentage},
            "stop": {"state": stopping.state, "at": stopping.at, "reason": stopping.reason},
        }

    def _joints(self) -> dict[str, float]:
        """Joint angles that were commanded last (rad), by name."""
        message = self.latest("joint_trajectory")
        if message is None or not message.points:
            return {}
        return dict(zip(message.joint_names, message.points[0].positions, strict=False))

    def _learner(self, left: float | None) -> dict[str, Any] | None:
        """The learner's status; None before its first message."""
        status = self.latest("learner/status")
        if status is None:
            return None
        return {
            "age": self.age("learner/status"),
            "state": status.state,
            "message": status.message,
            "robot": status.robot,
            "task": status.task,
            "unit": unit_of(status.task),
            "stage": status.stage,
            "done": status.evaluation,
            "budget": status.budget,
            "best": status.best_fitness,
            "measured": status.best_measurements,
            "spread": status.best_spread,
            "left": left,
        }


def floor_pose(pose: Pose) -> list[float]:
    """Return x, y (m) and yaw (rad) of a pose in map."""
    at, q = pose.position, pose.orientation
    return [round(at.x, 4), round(at.y, 4), round(yaw_of((q.x, q.y, q.z, q.w)), 4)]


def points_of(path: Path) -> list[list[float]]:
    """Return x, y (m, in map) of about POINTS points of a path, rounded to 1 mm."""
    step = -(-len(path.poses) // POINTS) or 1
    kept = [*path.poses[::step], *path.poses[-1:]]
    return [[round(s.pose.position.x, 3), round(s.pose.position.y, 3)] for s in kept]
