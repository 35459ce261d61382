# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Observation of a simulated robot: by camera images, or by true poses with random errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from bea_ros.bags.sightings import sighting_at
from bea_ros.localization.tracker import Tracker
from bea_ros.localization.window import Sighting
from bea_ros.robots.rotation import to_quaternion
from bea_ros.simulation.camera.drawing import DrawingProcess, Scene
from bea_ros.simulation.observed import PoseNoise, frame_seed
from bea_ros.simulation.rollout import sample
from bea_ros.simulation.world import SimulationError, World
from bea_ros.system.nanoseconds import SECOND

AHEAD = 2  # images that are drawn while the robot moves on

Seen = tuple[int, Sighting | str]  # control period of an image; the robot, or why it is not seen


@dataclass
class Filmed:
    """Observes the robot by camera images, which are `lag` control periods old.

    There is an image every `every` control periods of `period` (ns). `seed` is that of the noise.
    """

    world: World
    drawing: DrawingProcess
    tracker: Tracker
    seed: int
    every: int
    period: int
    lag: int

    def watch(self, ticks: Iterable[int], end: int) -> Iterator[Seen]:
        """Yield what is seen in the images of the control periods `ticks`.

        The world may be ahead of what is yielded, but not beyond the time `end` (ns).
        """
        self.drawing.forget()
        scenes: dict[int, Scene] = {}
        waiting: deque[int] = deque()
        try:
            for tick in ticks:
                if tick == 0 or (tick + self.lag) % self.every == 0:
                    scenes[tick] = self.world.scene()
                if tick % self.every:
                    continue
                scene = scenes[max(0, tick - self.lag)]
                self.drawing.begin(scene, frame_seed(self.seed, tick // self.every))
                waiting.append(tick)
                while len(waiting) > (AHEAD if tick * self.period < end else 0):
                    yield self._see(waiting.popleft())
        except SimulationError:
            yield from map(self._see, waiting)
            raise

    def _see(self, tick: int) -> Seen:
        found = self.tracker.update(self.drawing.take(), tick * self.period / SECOND)
        if found is None:
            return tick, self.tracker.reason
        turn = to_quaternion(found.pose[:3, :3])  # as in a message, to the bit
        place = found.pose[:3, 3]
        return tick, sighting_at(tick * self.period, place.tolist(), turn.tolist())


@dataclass
class Noisy:
    """Observes the robot by its true pose with the errors of a camera."""

    world: World
    rng: np.random.Generator
    every: int
    period: int
    noise: PoseNoise = field(default_factory=PoseNoise)

    def watch(self, ticks: Iterable[int], end: int) -> Iterator[Seen]:
        """Yield the robot's poses with errors, like `Filmed.watch`."""
        for tick in ticks:
            if tick % self.every == 0:
                yield tick, self._see(tick)

    def _see(self, tick: int) -> Sighting:
        seen = np.array([sample(self.world)])
        self.noise.add_to(seen, self.rng)
        return Sighting(tick * self.period, *seen[0, 1:].tolist())
