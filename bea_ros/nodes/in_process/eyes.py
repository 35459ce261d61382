# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Observation of a simulated robot: by camera images, or by true poses with random errors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bea_ros.bags.sightings import sighting_at
from bea_ros.localization.tracker import Tracker
from bea_ros.localization.window import Sighting
from bea_ros.nodes.shared.stamps import SECOND
from bea_ros.robots.rotation import to_quaternion
from bea_ros.simulation.observed import PoseNoise, WorldCamera, frame_seed
from bea_ros.simulation.rollout import sample
from bea_ros.simulation.world import Array, World


@dataclass
class Filmed:
    """Observes the robot by camera images, which are `lag` control periods old.

    There is an image every `every` control periods of `period` (ns). `seed` is that of the noise.
    """

    camera: WorldCamera
    tracker: Tracker
    seed: int
    every: int
    period: int
    lag: int
    scenes: dict[int, tuple[Array, Array]] = field(default_factory=dict)

    def pass_by(self, tick: int) -> None:
        """Store the state of control period `tick` for a later image."""
        if tick == 0 or (tick + self.lag) % self.every == 0:
            self.scenes[tick] = self.camera.scene()

    def see(self, tick: int) -> Sighting | str:
        """Return the robot in the image of control period `tick`, or why it is not seen."""
        scene = self.scenes[max(0, tick - self.lag)]
        image = self.camera.take(scene, frame_seed(self.seed, tick // self.every))
        found = self.tracker.update(image, tick * self.period / SECOND)
        if found is None:
            return self.tracker.reason
        turn = to_quaternion(found.pose[:3, :3])  # as in a message, to the bit
        return sighting_at(tick * self.period, found.pose[:3, 3].tolist(), turn.tolist())


@dataclass
class Noisy:
    """Observes the robot by its true pose with the errors of a camera."""

    world: World
    rng: np.random.Generator
    period: int
    noise: PoseNoise = field(default_factory=PoseNoise)

    def pass_by(self, tick: int) -> None:
        """Do nothing: poses have no delay."""

    def see(self, tick: int) -> Sighting | str:
        """Return the robot's pose with errors, like `Filmed.see`."""
        _, x, y, yaw, tilt = sample(self.world)
        dx, dy, turned = self.rng.standard_normal(3)
        place = self.noise.position
        x, y, yaw = x + place * dx, y + place * dy, yaw + self.noise.yaw * turned
        return Sighting(tick * self.period, float(x), float(y), float(yaw), tilt)
