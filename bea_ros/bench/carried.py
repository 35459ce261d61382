# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Detection rate of a hand that carries the robot, and false alarms on undisturbed gaits.

Motions come from the simulator, sampled four times a second with the camera's errors. A hand
carries the robot smoothly at a random time; in the air the legs do not move the robot. The checks
are those of the graph: the motion itself, what the commands allow, and the robot's twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bea_ros.images.arrays import Array
from bea_ros.localization.arena import LARGEST, Arena, Marker
from bea_ros.localization.window import (
    SECOND,
    Sighting,
    Trust,
    Tumbled,
    Untrusted,
    window_of,
)
from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.robots.reach import Reach
from bea_ros.simulation.observed import IMAGE_RATE, PoseNoise
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import CONTROL_RATE, drive, sample
from bea_ros.simulation.twin import Expected, Twin
from bea_ros.simulation.world import World
from bea_ros.studies.adaptation.plan import broken_of, damages_by, drawn_world
from bea_ros.studies.engine.results import Results
from bea_ros.studies.robots.study import RobotStudy
from bea_ros.tasks import find_task

DISTANCES = (0.05, 0.1, 0.15, 0.2, 0.35)  # m
LIFTS = ((0.0, "on the floor"), (0.03, "0 to 3 cm"), (0.06, "3 to 6 cm"), (0.1, "6 to 10 cm"))  # m
SHORTEST, LONGEST = 0.3, 2.0  # s
OFF_THE_FLOOR = 0.005  # m
HEIGHT_ERROR = 0.004  # m, standard deviation of a height measured by the camera
EARLY = 5  # evaluations of a robot whose world the learner hardly knows
FASTER = 2.0  # times the best known gaits: such a gait is no false alarm yet


@dataclass(frozen=True)
class Hand:
    """Carries the robot for `duration` from `start` on (s): `distance` (m) towards `direction`
    (rad) in the map, up to `lift` (m) above its own height.
    """

    start: float
    duration: float
    distance: float
    direction: float
    lift: float

    def carry(self, moved: Array) -> Array:
        """Samples (n, 6) of t, x, y, yaw, tilt and z (s, m, rad), with the robot carried."""
        t, carried = moved[:, 0], moved.copy()
        share = np.clip((t - self.start) / self.duration, 0.0, 1.0)
        if self.lift > OFF_THE_FLOOR:  # the legs move it again after it is put down
            x, y, yaw = (np.interp(self.start, t, moved[:, column]) for column in (1, 2, 3))
            end = [np.interp(self.start + self.duration, t, moved[:, c]) for c in (1, 2, 3)]
            way = (moved[:, 1] - end[0] + 1j * (moved[:, 2] - end[1])) * np.exp(
                1j * (yaw - end[2])
            )
            after = np.column_stack([x + way.real, y + way.imag, moved[:, 3] + yaw - end[2]])
            carried[t > self.start, 1:4] = x, y, yaw
            down = t > self.start + self.duration
            carried[down, 1:4] = after[down]
        way = self.distance * share**3 * (10 - 15 * share + 6 * share**2)  # minimum jerk
        carried[:, 1] += way * math.cos(self.direction)
        carried[:, 2] += way * math.sin(self.direction)
        carried[:, 5] += self.lift * np.sin(math.pi * share)
        return carried


def run(
    folder: Path, random: int, hands: int, seed: int, world: str, duration: float | None
) -> None:
    """Print both rates; raises ValueError for a folder without a study, or a short `duration`.

    In an "other" `world` the robot is as heavy as the real one, on other floors and with weaker
    motors, as in `bea bench adaptation`; in a "broken" one, a joint is limp or stuck, too. The
    learner does not know such a world, one for each case, and learns it from each evaluation.
    Evaluations last `duration` (s), or as long as the task's own.
    """
    if duration is not None and not duration > LONGEST:
        raise ValueError(f"--duration {duration:g}: it must be above {LONGEST:g} s, as hands take")
    rng = np.random.default_rng(seed)
    honest: list[tuple[str, bool]] = []  # kind of motion, and whether it was refused
    carried: list[tuple[str, float, str, bool]] = []  # kind, distance, height, noticed

    def count(kind: str, moved: Array, refused: str | None) -> None:
        honest.append((kind, bool(refused)))
        if refused:
            print(f"refused: {kind}, {moved[-1, 0]:.0f} s: {refused}")

    results = RobotStudy().load(folder)
    for kind, checks, network, moved in _motions(results, random, rng, world, duration):
        refused = checks.refused(network, moved, rng)
        if refused is None:
            count("fell over", moved, None)
            continue
        if not refused:
            checks.learn()
        count(kind, moved, refused)
        if kind == "best":
            faster = moved[:: round(FASTER)].copy()
            faster[:, 0] /= FASTER
            refused = checks.refused(_Faster(network), faster, rng)
            count(f"best, {FASTER:g} times as fast", faster, refused)
        for _ in range(hands):
            band, hand = _hand(rng, moved[-1, 0])
            noticed = bool(checks.refused(network, hand.carry(moved), rng))
            carried.append((kind, hand.distance, band, noticed))
    print("undisturbed evaluations:")
    for kind, refused in pd.DataFrame(honest, columns=["kind", "refused"]).groupby("kind"):
        print(f"  {kind}: {len(refused)}, {refused['refused'].sum()} of them refused")
    _show(pd.DataFrame(carried, columns=["kind", "distance", "band", "noticed"]))


@dataclass(frozen=True)
class _Faster:
    """A network that runs FASTER times as fast."""

    network: CpgNetwork

    def output(self, time: ArrayLike) -> Array:
        return self.network.output(FASTER * np.asarray(time))


def _motions(
    results: Results, count: int, rng: Any, kind_of_world: str, asked: float | None
) -> Iterator[tuple[str, Checks, CpgNetwork, Array]]:
    """Best gait and `count` random candidates of each case: kind, checks, network, samples."""
    for name, task in track(results.cases, "cases", transient=True):
        runs = [one for one in results.results if one.case == (name, task)]
        robot, duration = load_robot(name), asked or find_task(task).duration
        known = kind_of_world == "usual"
        best = max(runs, key=lambda one: one.final)
        candidates = [("best", np.array(best.candidate))]
        size = len(robot.parameter_names)
        for number, candidate in enumerate(rng.random((count, size))):
            early = not known and number < EARLY
            candidates.append(("early random" if early else "random", candidate))
        world = World(robot) if known else _another_world(name, kind_of_world == "broken", rng)
        checks = Checks(robot, known)
        for kind, candidate in candidates:
            network = CpgNetwork(robot, candidate)
            yield kind, checks, network, _samples(world, network, duration)


def _samples(world: Any, network: CpgNetwork, duration: float) -> Array:
    """Samples (n, 6) of t, x, y, yaw, tilt and z at every control tick."""
    rows = [(*sample(world), world.base_pose()[2, 3]) for _ in drive(world, network, duration)]
    moved = np.array(rows)
    moved[:, 3] = np.unwrap(moved[:, 3])
    return moved


def _hand(rng: Any, duration: float) -> tuple[str, Hand]:
    """The name of a band of heights, and a random hand within `duration` (s)."""
    distance = float(rng.choice(DISTANCES))
    number = int(rng.integers(len(LIFTS)))
    lowest = LIFTS[max(number - 1, 0)][0]
    lift = float(rng.uniform(lowest, LIFTS[number][0])) if number else 0.0
    takes = float(rng.uniform(SHORTEST, LONGEST))
    start = float(rng.uniform(0.0, duration - takes))
    direction = float(rng.uniform(-math.pi, math.pi))
    return LIFTS[number][1], Hand(start, takes, distance, direction, lift)


def _another_world(name: str, broken: bool, rng: Any) -> World:
    robot, physics = drawn_world(name, rng)
    damages = damages_by(rng.choice(broken_of(name)), robot) if broken else {}
    return World(robot, physics, damages=damages)


class Checks:
    """The graph's checks of a robot's motion."""

    def __init__(self, robot: Robot, known: bool = True) -> None:
        self.twin = Twin(Reach(robot))
        if known:
            self.twin.be_in(Physics(), {}, CONTROL_RATE)
        self._expected: tuple[Any, Expected] | None = None  # of this network

    def learn(self) -> None:
        """Learn from the last motion, as after an evaluation."""
        if self._expected:
            self.twin.learn(self._expected[1])

    def refused(self, network: Any, moved: Array, rng: Any) -> str | None:
        """Why a motion is refused; "" if it is accepted, None if the robot fell over."""
        seen = moved[:: round(CONTROL_RATE / IMAGE_RATE)].copy()
        PoseNoise().add_to(seen, rng)
        seen[:, 5] += HEIGHT_ERROR * rng.standard_normal(len(seen))
        sightings = [Sighting(round(t * SECOND), *rest) for t, *rest in seen.tolist()]
        arena = Arena(LARGEST, LARGEST, Marker(0, 0.1), ())
        try:
            window = window_of(sightings, 0, moved[-1, 0], arena, Trust())
        except Tumbled:
            return None
        except Untrusted as why:
            return str(why)
        trajectory = window.trajectory
        if self._expected is None or self._expected[0] is not network:
            self._expected = network, self.twin.expect(network, trajectory.t[-1], [])
        expected = self._expected[1]
        expected.refused.clear()
        return expected.objection(trajectory, window.suspicion)


def _show(hands: pd.DataFrame) -> None:
    """Print the share of noticed hands by distance and height."""
    for kind, found in hands.groupby("kind"):
        title = f"hands that were noticed, {kind} gaits"
        table = Table("carried by", *(words for _, words in LIFTS), title=title)
        noticed = found.groupby(["distance", "band"])["noticed"]
        shares, counts = noticed.mean(), noticed.size()
        for distance in DISTANCES:
            cells = [
                f"{shares.get((distance, band), 0.0):.0%} of {counts.get((distance, band), 0)}"
                for _, band in LIFTS
            ]
            table.add_row(f"{100 * distance:.0f} cm", *cells)
        Console().print(table)
