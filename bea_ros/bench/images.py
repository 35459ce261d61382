# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Performance of the localization on images that get harder step by step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from rich.console import Console
from rich.progress import track

from bea_ros.bench.hard_images import CHANGES, Change, Shot
from bea_ros.bench.localization import Scene, errors_of, new_table
from bea_ros.images.arrays import Array, Image
from bea_ros.localization.observation import Observation

WIDTH, HEIGHT = 640, 480
FALSE_DISTANCE, FALSE_YAW = 0.05, math.radians(20)  # a larger error is a false find
HEADINGS = ("harder by", "strength", "searched", "tracked", "mm", "max", "degrees", "false")


@dataclass
class Step:
    """Results of one change at one strength.

    `searched` counts finds in the whole image, `tracked` finds by tracking from a good image;
    `distances` (m) and `yaws` (rad) are the errors of both. `false` counts false finds, also in
    images without the robot.
    """

    name: str
    strength: float
    images: int = 0
    searched: int = 0
    tracked: int = 0
    false: int = 0
    distances: list[float] = field(default_factory=list)
    yaws: list[float] = field(default_factory=list)

    def add(self, seen: Observation | None, truth: Array) -> int:
        """Count a find as true or false; returns 1 if the robot was found, else 0."""
        if seen is None:
            return 0
        distance, yaw = errors_of(seen, truth)
        if distance > FALSE_DISTANCE or yaw > FALSE_YAW:
            self.false += 1
            return 0
        self.distances.append(distance)
        self.yaws.append(yaw)
        return 1


# A base pose (4, 4), an image there, one shortly before, and one without the robot.
View = tuple[Array, Image, Image, Image]


def run(poses: int = 20, seed: int = 0) -> int:
    """Print a row for each step; returns the exit code, 1 after any false find."""
    table = new_table(HEADINGS, f"Harder images, {WIDTH}x{HEIGHT}, {poses} poses each")
    table.columns[0].justify = "left"
    total = sum(map(len, CHANGES.values())) + 1
    steps = list(track(measure(poses, seed), "looking", total=total, transient=True))
    for step in steps:
        found = bool(step.distances)
        table.add_row(
            step.name.replace("_", " "),
            f"{step.strength:g}",
            f"{step.searched / step.images:.0%}",
            f"{step.tracked / step.images:.0%}",
            f"{1e3 * np.mean(step.distances):.1f}" if found else "",
            f"{1e3 * np.max(step.distances):.1f}" if found else "",
            f"{np.degrees(np.mean(step.yaws)):.2f}" if found else "",
            f"{step.false}",
        )
    Console().print(table)
    false = sum(step.false for step in steps)
    print(f"false markers taken for the robot: {false}")
    return 1 if false else 0


def measure(poses: int, seed: int) -> Iterator[Step]:
    """The results of each step; unchanged images come first."""
    scene = Scene(WIDTH, HEIGHT, seed)
    views = [
        (then, scene.picture(then, n + 1), scene.picture(first, n), scene.camera.render_empty(n))
        for n, (first, then) in zip(count(step=2), scene.random_poses(poses), strict=False)
    ]
    yield _step(scene, None, 0.0, views)
    for change, strengths in CHANGES.items():
        for strength in strengths:
            yield _step(scene, change, strength, views)


def _step(scene: Scene, change: Change | None, strength: float, views: list[View]) -> Step:
    step = Step(change.__name__ if change else "as they are", strength)
    for index, (base, image, before, without) in enumerate(views):
        marker = base @ scene.marker_in_base
        rng = np.random.default_rng([index, round(1000 * strength), len(step.name)])
        shots = [Shot(one, scene.camera, marker, rng) for one in (image, without)]
        hard, empty = (change(shot, strength) if change else shot.image for shot in shots)
        step.images += 1
        scene.tracker.reset()
        step.searched += step.add(scene.tracker.update(hard, 0.0), base)
        scene.tracker.reset()
        if scene.tracker.update(before, 0.0) is not None:
            step.tracked += step.add(scene.tracker.update(hard, 0.25), base)
        scene.tracker.reset()
        step.false += scene.tracker.update(empty, 0.0) is not None  # there is no robot
    return step
