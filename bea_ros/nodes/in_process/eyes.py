# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What sees a simulated robot: the camera and its localization, or their errors without images."""

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
    """The robot as a camera sees it, whose images are `lag` control periods old.

    `every` control period of `period` (ns) there is one; `seed` is that of their noise.
    """

    camera: WorldCamera
    tracker: Tracker
    seed: int
    every: int
    period: int
    lag: int
    scenes: dict[int, tuple[Array, Array]] = field(default_factory=dict)

    def pass_by(self, tick: int) -> None:
        """Keep what a later image will show of now, control period `tick`."""
        if tick == 0 or (tick + self.lag) % self.every == 0:
            self.scenes[tick] = self.camera.scene()

    def see(self, tick: int) -> Sighting | str:
        """Where the robot is in the image of control period `tick`, or why it is not seen."""
        scene = self.scenes[max(0, tick - self.lag)]
        image = self.camera.take(scene, frame_seed(self.seed, tick // self.every))
        found = self.tracker.update(image, tick * self.period / SECOND)
        if found is None:
            return self.tracker.reason
        turn = to_quaternion(found.pose[:3, :3])  # as in a message, to the bit
        return sighting_at(tick * self.period, found.pose[:3, 3].tolist(), turn.tolist())


@dataclass
class Noisy:
    """The robot as the simulator has it, with errors as of a camera."""

    world: World
    rng: np.random.Generator
    period: int
    noise: PoseNoise = field(default_factory=PoseNoise)

    def pass_by(self, tick: int) -> None:
        """Nothing is late."""

    def see(self, tick: int) -> Sighting | str:
        """As `Filmed`."""
        _, x, y, yaw, tilt = sample(self.world)
        dx, dy, turned = self.rng.standard_normal(3)
        place = self.noise.position
        x, y, yaw = x + place * dx, y + place * dy, yaw + self.noise.yaw * turned
        return Sighting(tick * self.period, float(x), float(y), float(yaw), tilt)
