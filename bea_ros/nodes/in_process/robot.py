# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot that measures candidates, and the same robot in several worlds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from bea_ros_interfaces.srv import EvaluateFitness

from bea_ros.localization.arena import load_arena
from bea_ros.localization.camera_info import read_camera_info
from bea_ros.localization.referee import Referee
from bea_ros.localization.tracker import Limits, Tracker
from bea_ros.localization.window import Sighting, Untrusted, at_edge, blame
from bea_ros.nodes.in_process.eyes import Filmed, Noisy
from bea_ros.nodes.shared.parameters import ParameterError
from bea_ros.nodes.shared.pose_messages import path_of
from bea_ros.nodes.shared.robot.measurement import Measurement, check_edge, measurement_of
from bea_ros.nodes.shared.robot.settings import measured_in
from bea_ros.nodes.shared.robot_parameters import physics_of, robot_of
from bea_ros.nodes.simulator.images import images_every
from bea_ros.nodes.simulator.parameters import damages_in, starts_of
from bea_ros.robots.cpg import output_of
from bea_ros.robots.reach import Reach
from bea_ros.simulation.camera.drawing import DrawingProcess
from bea_ros.simulation.physics import Physics, Ranges, draw_physics
from bea_ros.simulation.rollout import drive
from bea_ros.simulation.world import World
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import find_task

Values = dict[str, Any]  # a node's parameters


class SimulatedRobot:
    """A robot in its arena, with the parameters of the graph's nodes.

    The camera whose images `drawing` draws observes it, as in the graph. Without, its pose is read
    from the simulator at the camera's rate, with errors like the camera's that depend on seed and
    candidate. Raises ValueError if a parameter is wrong.
    """

    def __init__(
        self,
        simulator: Values,
        controller: Values,
        localization: Values,
        drawing: DrawingProcess | None,
    ) -> None:
        for name in ("control_rate", "motor"):
            if simulator[name] != controller[name]:
                raise ParameterError(
                    f"{name} is {simulator[name]} of the simulator and {controller[name]} of the "
                    "cpg_controller: make them equal"
                )
        if controller["shaped"]:
            raise ParameterError("shaped commands are for joints that have servos")
        self.simulator, self.controller, self.localization = simulator, controller, localization
        self.robot = robot_of(simulator)
        damages = damages_in(simulator, self.robot)
        output = output_of(controller["profile"])
        self.reach = Reach(self.robot, controller["motor"], output, controller["gain"])
        self.world = World(self.robot, physics_of(simulator), simulator["motor"], damages)
        self.period = round(SECOND / simulator["control_rate"])  # ns
        self.every = images_every(simulator["camera.rate"], self.period)
        self.arena = load_arena(self.robot, localization["arena"])
        check_edge(localization["edge"], self.arena)
        self.referee = Referee(localization, self.arena)
        self.starts = starts_of(simulator)
        self.drawing = drawing

    @property
    def settings(self) -> dict[str, str]:
        """What the graph's nodes would report, by node."""
        return {
            "cpg_controller": self.reach.settings,
            "camera_localization": measured_in(self.arena, self.robot),
        }

    def evaluate(self, weights: Mapping[str, float], task: str, duration: float) -> Measurement:
        """Put the robot back, run a candidate (CPG weights, 1/s), and measure its fitness.

        Raises ValueError if task or weights do not fit the robot, and SimulationError.
        """
        sightings: list[Sighting] = []
        unseen: list[str] = []
        for seen in self._look(weights, round(duration * SECOND)):
            if isinstance(seen, Sighting):
                sightings.append(seen)
            else:
                unseen.append(seen)
        try:
            # Nobody can carry this robot, so the window's suspicion does not matter.
            fitness, window = self.referee.measure(find_task(task), sightings, 0, duration)
        except Untrusted as why:
            message, tumbled = blame(why, unseen)
            return Measurement(False, message, 0.0, {}, None, tumbled)
        answer = EvaluateFitness.Response(  # with the numbers of the graph's messages
            success=True,
            fitness=fitness.value,
            term_names=list(fitness.terms),
            terms=list(fitness.terms.values()),
            trajectory=path_of(window.trajectory, 0),
        )
        request = EvaluateFitness.Request(task=task, duration=duration)
        return measurement_of(answer, request, self.arena)

    def _look(self, weights: Mapping[str, float], end: int) -> Iterator[Sighting | str]:
        """Yield the observation of each image until the evaluation ends at `end` (ns)."""
        network = self.reach.network_of(weights)
        x, y, yaw = next(self.starts)
        eyes = self._eyes(weights)
        missed = end + round(self.referee.trust.gap * SECOND)
        ticks = missed // self.period + self.every
        rate = self.controller["control_rate"]
        moved = drive(self.world, network, ticks / rate, rate, (x, y, yaw))
        for tick, seen in eyes.watch(moved, end):
            yield seen
            if isinstance(seen, Sighting):
                leaving = tick > 0 and at_edge(seen, self.arena, self.referee.trust)
                if leaving or tick * self.period >= end:
                    return

    def _eyes(self, weights: Mapping[str, float]) -> Filmed | Noisy:
        seed = self.simulator["seed"]
        if self.drawing is None:
            candidate = zlib.crc32(np.array(list(weights.values())).tobytes())
            rng = np.random.default_rng([seed, candidate])
            return Noisy(self.world, rng, self.every, self.period)
        file = self.localization["camera_info_file"]
        intrinsics = read_camera_info(file) if file else self.drawing.camera.intrinsics
        limits = Limits(identical=self.localization["identical_images"])
        tracker = Tracker.of(self.robot, self.arena, intrinsics, limits)
        lag = round(self.simulator["camera.delay"] * SECOND / self.period)
        return Filmed(self.world, self.drawing, tracker, seed, self.every, self.period, lag)


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
