# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Accuracy and speed of the localization over random poses in the arena."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import cv2
import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import load_arena
from bea_ros.localization.observation import Observation
from bea_ros.localization.tracker import Tracker
from bea_ros.robots import Robot, load_robot
from bea_ros.simulation.camera.overhead import (
    OverheadCamera,
    default_intrinsics,
    looks_of,
    overhead_pose,
)
from bea_ros.simulation.observed import CAMERA_HEIGHT, CAMERA_PITCH, CAMERA_ROLL
from bea_ros.simulation.world import World

T = TypeVar("T")

SIZES = ((640, 480), (1280, 960))
_MARGIN = 0.12  # the robot's centre stays this far inside the arena (m)
_TILT = math.radians(3)  # standard deviation
_LIFT, _LIFT_SIGMA = 0.006, 0.008  # above the standing height (m)
_POSTURES = 12
_HEADINGS = ("image", "search", "found", "mm", "max", "degrees", "max", "CPU ms", "to draw")


@dataclass
class Score:
    """Results of one method of detection."""

    distances: list[float] = field(default_factory=list)  # m
    yaws: list[float] = field(default_factory=list)  # rad
    seconds: list[float] = field(default_factory=list)  # CPU time per image

    def add(self, seen: Observation | None, truth: Array, seconds: float) -> None:
        """Count the result for an image with base_link at `truth` (4, 4) in map."""
        self.seconds.append(seconds)
        if seen is not None:
            distance, yaw = errors_of(seen, truth)
            self.distances.append(distance)
            self.yaws.append(yaw)

    @property
    def rate(self) -> float:
        """Share of the images in which the robot was found."""
        return len(self.distances) / len(self.seconds)


def errors_of(seen: Observation, truth: Array) -> tuple[float, float]:
    """Errors of position (m) and yaw (rad), with base_link at `truth` (4, 4) in map."""
    turn = math.remainder(seen.yaw - math.atan2(truth[1, 0], truth[0, 0]), 2 * math.pi)
    return math.hypot(seen.x - truth[0, 3], seen.y - truth[1, 3]), abs(turn)


def new_table(headings: Sequence[str], title: str) -> Table:
    """A table of numbers."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=title)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def run(poses: int = 400, seed: int = 0) -> None:
    """Print the errors and times of both image sizes."""
    title = f"Localization error, mean and maximum: camera {CAMERA_HEIGHT} m up, {poses} poses"
    table = new_table(_HEADINGS, title)
    for width, height in SIZES:
        full, tracking, drawing = measure(width, height, poses, seed)
        for name, score in (("full", full), ("tracking", tracking)):
            table.add_row(
                f"{width}x{height}",
                name,
                f"{score.rate:.1%}",
                f"{1e3 * np.mean(score.distances):.2f}",
                f"{1e3 * np.max(score.distances):.2f}",
                f"{np.degrees(np.mean(score.yaws)):.3f}",
                f"{np.degrees(np.max(score.yaws)):.3f}",
                f"{1e3 * np.median(score.seconds):.2f}",
                f"{1e3 * drawing:.2f}",
            )
    Console().print(table)


def measure(width: int, height: int, poses: int, seed: int) -> tuple[Score, Score, float]:
    """Localize the robot at random poses, first by search, then by tracking a small step.

    Returns the scores of both, and the CPU time (s) to draw one image.
    """
    scene = Scene(width, height, seed)
    full, tracking, drawing = Score(), Score(), []
    cv2.setNumThreads(1)  # so that times can be compared
    pairs = enumerate(scene.random_poses(poses))
    for index, (first, then) in track(pairs, f"{width}x{height}", poses, transient=True):
        image, seconds = _timed(scene.picture, first, 2 * index)
        drawing.append(seconds)
        scene.tracker.reset()
        seen, seconds = _timed(scene.tracker.update, image, 0.0)
        full.add(seen, first, seconds)
        if seen is None:
            continue
        image = scene.picture(then, 2 * index + 1)
        seen, seconds = _timed(scene.tracker.update, image, 0.25)
        tracking.add(seen, then, seconds)
    return full, tracking, float(np.median(drawing))


class Scene:
    """The default arena, camera and robot, with the robot in postures of a gait."""

    def __init__(self, width: int, height: int, seed: int):
        robot = load_robot("spider9")
        self.arena = load_arena(robot)
        self.camera = OverheadCamera(
            self.arena,
            default_intrinsics(width, height),
            overhead_pose(CAMERA_HEIGHT, roll=CAMERA_ROLL, pitch=CAMERA_PITCH),
        )
        self.tracker = Tracker.of(robot, self.arena, self.camera.intrinsics)
        self.marker_in_base = robot.marker.pose
        self._height = robot.standing_height
        self._looks = looks_of(robot)
        self._rng = np.random.default_rng(seed)
        self._postures = self._postures_of(robot)

    def picture(self, base: Array, seed: int) -> Image:
        """An image of the robot with base_link at `base` (4, 4) in map."""
        modules = base @ self._postures[seed % len(self._postures)]
        marker = base @ self.marker_in_base
        return self.camera.render(*self._looks, modules, marker, seed)

    def random_poses(self, count: int) -> Iterator[tuple[Array, Array]]:
        """Pairs of poses (4, 4) of base_link in map: the second is a small step away."""
        rng = self._rng
        reach = np.array([self.arena.width, self.arena.depth]) / 2 - _MARGIN
        for _ in range(count):
            place, yaw = rng.uniform(-reach, reach), rng.uniform(-math.pi, math.pi)
            step, turn = rng.normal(0, 0.02, 2), rng.normal(0, 0.1)
            yield self._pose(place, yaw), self._pose(place + step, yaw + turn)

    def _pose(self, place: Array, yaw: float) -> Array:
        pose = np.eye(4)
        tilt = np.append(self._rng.normal(0, _TILT, 2), 0.0)
        pose[:3, :3] = cv2.Rodrigues(tilt)[0] @ cv2.Rodrigues(np.array([0.0, 0.0, yaw]))[0]
        pose[:3, 3] = *place, self._height + self._rng.normal(_LIFT, _LIFT_SIGMA)
        return pose

    def _postures_of(self, robot: Robot) -> list[Array]:
        """Poses (n, 4, 4) of the modules in base_link, while a random gait moves the robot."""
        world = World(robot)
        world.reset()
        postures = []
        for _ in range(_POSTURES):
            world.step(self._rng.uniform(-0.6, 0.6, len(robot.joints)), 0.4)
            postures.append(np.linalg.inv(world.base_pose()) @ world.module_poses())
        return postures


def _timed(call: Callable[..., T], *arguments: Any) -> tuple[T, float]:
    """Result of a call, and its CPU time (s)."""
    start = time.process_time()
    result = call(*arguments)
    return result, time.process_time() - start
