# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea localize`: a robot's trajectory and fitness from a video of the overhead camera."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bea_ros.images.arrays import Image
from bea_ros.images.videos import video_writer
from bea_ros.localization.annotate import annotate
from bea_ros.localization.arena import Arena
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.observation import Observation
from bea_ros.localization.referee import Referee
from bea_ros.localization.tracker import Tracker
from bea_ros.localization.window import Sighting, Untrusted
from bea_ros.robots import Robot
from bea_ros.system.files import replace_file
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Fitness, Task

COLUMNS = ("t", "x", "y", "z", "yaw", "tilt", "sigma", "reprojection_error")
TRAIL = 60.0  # s of the path that are drawn


@dataclass(frozen=True)
class Footage:
    """Result of tracking: observations, and the number of images until `end` (s)."""

    observations: list[Observation]
    images: int
    end: float
    reason: str  # why the robot was not seen in the last image without it
    twins: tuple[tuple[float, str], ...] = ()  # s, and which marker is in the image twice


def follow(
    frames: Iterable[tuple[float, Image]],
    arena: Arena,
    intrinsics: Intrinsics,
    robot: Robot,
    video: Path | None = None,
    rate: float = 25.0,
) -> Footage:
    """Track the robot through frames, (time in s, image); write them, annotated, as a `video` of
    `rate` frames per second.
    """
    tracker = Tracker.of(robot, arena, intrinsics)
    seen: list[Observation] = []
    twins: list[tuple[float, str]] = []
    images, end, reason = 0, 0.0, "no image"
    with ExitStack() as stack:
        write: Callable[[Image], object] | None = None
        for stamp, image in frames:
            images, end = images + 1, stamp
            found = tracker.update(image, stamp)
            if found is not None:
                seen.append(found)
            else:
                reason = tracker.reason
            if tracker.twins:
                twins.append((stamp, reason))
            if video is None:
                continue
            picture = annotate(image, tracker, _trail(seen, stamp))
            if write is None:
                height, width = (side + side % 2 for side in picture.shape[:2])  # for codecs
                write = stack.enter_context(video_writer(video, width, height, rate))
            write(_sized(picture, height, width))
    return Footage(seen, images, end, reason, tuple(twins))


def fitness_of(
    footage: Footage, task: Task, arena: Arena, start: float, duration: float
) -> Fitness:
    """The fitness from `start` on over `duration` (s); raises Untrusted."""
    for stamp, twins in footage.twins:
        if start <= stamp <= start + duration:
            raise Untrusted(f"{twins}, {stamp - start:.1f} s after the start")
    sightings = (
        Sighting(round(o.stamp * SECOND), o.x, o.y, o.yaw, o.tilt, o.z)
        for o in footage.observations
    )
    referee = Referee({}, arena)
    fitness, window = referee.measure(task, sightings, round(start * SECOND), duration)
    if window.suspicion:
        raise Untrusted(window.suspicion)
    return fitness


def write_trajectory(path: Path, observations: Sequence[Observation]) -> None:
    """Write a CSV: t in s, lengths in m, angles in rad, and each position's deviation `sigma`."""
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    yaws = np.unwrap([o.yaw for o in observations]).tolist()  # without jumps
    for o, yaw in zip(observations, yaws, strict=True):
        sigma = math.sqrt(o.covariance[0, 0] + o.covariance[1, 1])
        row = (o.stamp, o.x, o.y, o.z, yaw, o.tilt, sigma, o.reprojection_error)
        writer.writerow([f"{value:.6f}" for value in row])
    replace_file(path, table.getvalue())


def _trail(seen: list[Observation], now: float) -> np.ndarray:
    return np.array([(o.x, o.y) for o in seen if o.stamp > now - TRAIL]).reshape(-1, 2)


def _sized(picture: Image, height: int, width: int) -> Image:
    """The picture cut or padded to a size, as all of a video are of one."""
    part = picture[:height, :width]
    rows, columns = part.shape[:2]
    return np.pad(part, ((0, height - rows), (0, width - columns), (0, 0)), mode="edge")
