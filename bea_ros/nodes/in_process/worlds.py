# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in several worlds at once, to learn a gait that works in others, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bea_ros.nodes.in_process.robot import SimulatedRobot, Values
from bea_ros.nodes.shared.parameters import ParameterError
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.simulation.camera.drawing import DrawingProcess
from bea_ros.simulation.physics import Physics, Ranges, draw_physics


class SeveralWorlds:
    """Measures each candidate under several draws of physics within `ranges`, which depend on
    the simulator's seed.

    The fitness is the mean or the worst (`told`). A measurement is valid only if it is valid in
    all worlds. Raises ValueError like `SimulatedRobot`, also if a parameter is among the ranges.
    """

    def __init__(
        self,
        count: int,
        ranges: Ranges,
        told: str,
        simulator: Values,
        controller: Values,
        localization: Values,
        drawing: DrawingProcess | None,
    ) -> None:
        self._told = told
        self._robots = []
        worlds = draw_physics(count, simulator["seed"], ranges)
        for name in ranges:
            if simulator[f"physics.{name}"] != getattr(Physics(), name):
                raise ParameterError(
                    f"physics.{name} is drawn with --physics: leave it out of the parameter file"
                )
        for physics in worlds:
            drawn = {f"physics.{name}": getattr(physics, name) for name in ranges}
            world = {**simulator, **drawn}
            self._robots.append(SimulatedRobot(world, controller, localization, drawing))
        self.settings = self._robots[0].settings

    def evaluate(self, weights: Mapping[str, float], task: str, duration: float) -> Measurement:
        """Like `SimulatedRobot.evaluate`; the trajectory is that of the worst world."""
        found = []
        for robot in self._robots:
            found.append(robot.evaluate(weights, task, duration))
            if not found[-1].success:
                return found[-1]
        worst = min(found, key=lambda one: one.fitness)
        if self._told == "worst":
            return worst
        terms = {name: float(np.mean([one.terms[name] for one in found])) for name in worst.terms}
        return replace(worst, fitness=float(np.mean([one.fitness for one in found])), terms=terms)
