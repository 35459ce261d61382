# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot under the overhead camera in one process: measures as the graph does, without ROS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import Arena, load_arena
from bea_ros.localization.tracker import Tracker
from bea_ros.localization.window import Sighting, Trust, window_of
from bea_ros.robots import Robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.robots.damage import Damage
from bea_ros.simulation.camera.overhead import OverheadCamera, looks_of, overhead_pose
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import (
    CONTROL_RATE,
    drive,
    sample,
    ticks_in,
    trajectory_of_samples,
)
from bea_ros.simulation.world import World
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Trajectory

# Default height, angles and rate of the camera.
CAMERA_HEIGHT, CAMERA_ROLL, CAMERA_PITCH = 2.5, 0.02, -0.015  # m, rad, rad
IMAGE_RATE = 4.0  # images per second


@dataclass(frozen=True)
class PoseNoise:
    """Errors of poses from the camera: standard deviations, independent between images.

    The defaults are those of the default camera (640 x 480, at 2.5 m) over moving robots.
    """

    position: float = 0.0009  # m, of x and of y
    yaw: float = 0.001  # rad

    def add_to(self, samples: Array, rng: np.random.Generator) -> None:
        """Add errors to x, y and yaw, the columns 1 to 3 of samples (n, 4 or more), in place."""
        samples[:, 1:3] += self.position * rng.standard_normal((len(samples), 2))
        samples[:, 3] += self.yaw * rng.standard_normal(len(samples))


def frame_seed(seed: int, frame: int) -> int:
    """Seed of an image's noise, from the run's seed and the image's number since the last reset.

    So a resumed run gets the same images as an undisturbed one.
    """
    return seed * 1_000_003 + frame


class WorldCamera:
    """A camera above a world: `take(world.scene(), seed)` is its image now."""

    def __init__(self, world: World, camera: OverheadCamera) -> None:
        self.world, self.camera = world, camera
        self._looks = looks_of(world.robot)

    def take(self, scene: tuple[Array, Array], seed: int) -> Image:
        """The image of a scene, uint8; `seed` is that of its noise."""
        return self.camera.render(*self._looks, *scene, seed=seed)


@dataclass(frozen=True)
class Observed:
    """An evaluation as measured by the camera (`sightings`), and the truth (`samples`).

    Samples (n, 5) are time (s), x, y (m), yaw, tilt (rad) of base_link at every control tick.
    """

    sightings: list[Sighting]
    samples: Array
    arena: Arena
    duration: float

    @property
    def seen(self) -> Trajectory:
        """Trajectory from the camera; raises Untrusted."""
        return window_of(self.sightings, 0, self.duration, self.arena, Trust()).trajectory

    @property
    def truth(self) -> Trajectory:
        """True trajectory from the simulator."""
        return trajectory_of_samples(self.samples)


class Laboratory:
    """A robot in its arena under the camera, with the defaults of `bea learn`.

    `seed` is the run's, for the camera's noise; `motor` is the motor model; `damages` are those of
    joints, by their names.
    """

    def __init__(
        self,
        robot: Robot,
        physics: Physics | None = None,
        arena: Arena | None = None,
        seed: int = 1,
        motor: str = "servo",
        damages: Mapping[str, Damage] | None = None,
    ) -> None:
        self.robot = robot
        self.world = World(robot, physics, motor, damages)
        self.arena = arena or load_arena(robot)
        self.seed = seed
        pose = overhead_pose(CAMERA_HEIGHT, roll=CAMERA_ROLL, pitch=CAMERA_PITCH)
        self.camera = WorldCamera(self.world, OverheadCamera(self.arena, pose=pose))

    def picture(self, frame: int) -> Image:
        """The robot now, in the camera's image of this number."""
        return self.camera.take(self.world.scene(), frame_seed(self.seed, frame))

    def observe(
        self,
        cpg: CpgNetwork,
        duration: float,
        start: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> Observed:
        """Evaluate a network for `duration` (s), from rest at `start` (x, y in m, yaw in rad)."""
        tracker = Tracker.of(self.robot, self.arena, self.camera.camera.intrinsics)
        every = round(CONTROL_RATE / IMAGE_RATE)
        images = -(-ticks_in(duration) // every)  # the last is at or after the end
        sightings, samples = [], []
        for tick in drive(self.world, cpg, images * every / CONTROL_RATE, start=start):
            samples.append(sample(self.world))
            frame, between = divmod(tick, every)
            if between:
                continue
            found = tracker.update(self.picture(frame), tick / CONTROL_RATE)
            if found:
                stamp = round(tick * SECOND / CONTROL_RATE)
                sightings.append(Sighting(stamp, found.x, found.y, found.yaw, found.tilt, found.z))
        kept = np.array(samples[: ticks_in(duration) + 1])
        return Observed(sightings, kept, self.arena, duration)
