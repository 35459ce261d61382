# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Detects that a hand carried the robot: for a moment it moved unlike a simulated twin.

The twin of a simulated robot is in the same world, and does the same. Nobody knows a real robot's
masses, motors and floor. So its twin is a mixture: of several worlds that follow the same
commands, each gets the weight with which it explains the whole evaluation. From evaluation to
evaluation these worlds become more like the robot's (see `identification`). A robot that the
simulator does not know differs from its twin all the time. One that differs for a second was
carried. `bea bench carried` prints how often carrying is missed, and how often a gait is refused.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.damage import Damage
from bea_ros.robots.reach import Commanding, Reach
from bea_ros.simulation.identification import Identification
from bea_ros.simulation.moves import (
    FITTED,
    STEP,
    STEPS,
    Moves,
    apart,
    median_distance,
    moves_of,
    turned_apart,
)
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import CONTROL_RATE, drive, sample
from bea_ros.simulation.world import SimulationError, World
from bea_ros.tasks.trajectory import Trajectory

Array = NDArray[np.float64]

SEED = 3  # of a real robot's worlds
# m by which displacements over this number of steps may differ from the twin's ...
UNLIKE = dict(zip(STEPS, (0.015, 0.01, 0.005), strict=True))
USUAL = 5.0  # ... beyond this multiple of the usual difference, ...
SLIGHT = 0.03  # ... and at least
TURN = 0.6  # rad by which turns may differ likewise, at least
TURNING = 0.4  # share of the twin's fastest turn that is allowed besides
USUALLY = 0.8  # largest quantile of the usual difference
HAND = 2.0  # s that a hand may take: what it changes is not usual
ALIKE = 0.012  # m, usual difference of the camera's poses alone: that world explains them
ATTEMPTS = 2  # in which a real robot did the same before
LEAST = 3.0, 5.0  # s, shortest evaluation that is checked in a known world, and in a mixture
HUBER, PENALTY, SCALE = 1.2, 1.0, 0.01  # of the regression; m


class Twin:
    """Simulates what a robot's candidates do; `reach` has its robot, motor, output and gain."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._identification: Identification | None = None  # of a real robot
        self.physics: list[Physics] = []  # of its worlds; none before `be_in` or `expect`
        self._damages: Mapping[str, Damage] = {}
        self._rate = CONTROL_RATE
        self._worlds: list[World] = []
        self._pool = ThreadPoolExecutor(1, "twin")
        self._refused: tuple[Mapping[str, float], list[Moves]] = ({}, [])

    def be_in(self, physics: Physics, damages: Mapping[str, Damage], rate: float) -> None:
        """Be in the world of a simulated robot, with this control rate (Hz)."""
        if ([physics], damages, rate) != (self.physics, self._damages, self._rate):
            self.physics, self._damages, self._rate = [physics], damages, rate
            self._worlds, self._identification = [], None

    @contextmanager
    def expecting(self, weights: Mapping[str, float], duration: float) -> Iterator[Expected]:
        """Simulate a candidate (CPG weights, 1/s) for `duration` (s) within this context."""
        if weights != self._refused[0]:
            self._refused = (dict(weights), [])
        expected = self.expect(self.reach.network_of(weights), duration, self._refused[1])
        try:
            yield expected
        finally:
            expected.cancelled.set()
        self.learn(expected)

    def expect(self, network: Commanding, duration: float, refused: list[Moves]) -> Expected:
        """Begin to simulate, in a thread; `refused` has the displacements of earlier attempts."""
        if not self.physics:
            self._identification = Identification(np.random.default_rng(SEED))
            self.physics = self._identification.worlds
        cancelled, count = threading.Event(), len(self.physics)
        simulated = [
            self._pool.submit(self._simulate, number, network, duration, cancelled)
            for number in range(count if duration >= LEAST[count > 1] else 0)
        ]
        return Expected(self.reach, network, simulated, refused, cancelled)

    def learn(self, expected: Expected) -> None:
        """Learn a real robot's worlds from how it moved, if nobody carried it."""
        if self._identification and expected.errors is not None:
            self._identification.learn(expected.errors)
            self.physics, self._worlds = self._identification.worlds, []

    def _simulate(
        self, number: int, network: Commanding, duration: float, cancelled: threading.Event
    ) -> Moves:
        """The displacements in one of the worlds; none if it is unstable."""
        while len(self._worlds) <= number:
            physics = self.physics[len(self._worlds)]
            world = World(self.reach.robot, physics, self.reach.motor, self._damages)
            self._worlds.append(world)
        world, every = self._worlds[number], max(round(STEP * self._rate), 1)
        rows = []
        with suppress(SimulationError):
            for tick in drive(world, network, duration, self._rate):
                if cancelled.is_set():
                    raise CancelledError
                if tick % every == 0:
                    rows.append(sample(world)[:4])
            return moves_of(*np.array(rows).T)
        return {}


@dataclass
class Expected:
    """What a candidate's robot should do, in each of the twin's worlds."""

    reach: Reach
    network: Commanding
    simulated: list[Future[Moves]]
    refused: list[Moves]  # of its earlier attempts
    cancelled: threading.Event
    errors: Array | None = None  # m, those of the worlds, if nobody carried the robot

    def objection(
        self,
        trajectory: Trajectory,
        suspicion: str = "",
        spin: Callable[[], None] | None = None,
    ) -> str:
        """Say where the robot was carried, or "". Calls `spin` while it waits for a simulation.

        It was not if it moved like a twin in the same world. Else it was if it moved further than
        its joints can. Else it was not if it did the same at its last attempts, as a real robot.
        Else it was if there is a `suspicion` by its motion alone, or if it moved unlike the
        mixture.
        """
        t, x, y, yaw = trajectory.t, trajectory.x, trajectory.y, trajectory.yaw
        simulated: list[Moves] = []
        a_mixture = len(self.simulated) > 1
        if t[-1] >= LEAST[a_mixture]:
            while spin and self.simulated and not self.simulated[-1].done():
                spin()
            simulated = [moves for one in self.simulated if (moves := one.result())]
        moves = moves_of(t, x, y, yaw) if simulated or suspicion else {}
        if simulated and not a_mixture and _alike(moves, simulated[0]):
            return carried(moves, simulated[0])
        if words := self.reach.objection(self.network, t, x, y, yaw):
            return words
        if suspicion and t[-1] < max(UNLIKE) * STEP:
            return suspicion  # too short to be compared with its other attempts
        if not suspicion and not (a_mixture and simulated):
            return ""
        words = ""
        if not self._did_so_before(moves):
            words = suspicion or carried(moves, mixture(moves, simulated))
        if words:
            self.refused.append(moves)
        elif simulated:
            worlds = [one.result() for one in self.simulated]
            self.errors = np.array([median_distance(moves, world) for world in worlds])
        return words

    def _did_so_before(self, moves: Moves) -> bool:
        last = self.refused[-ATTEMPTS:]
        again = [_alike(moves, known) and not carried(moves, known) for known in last]
        return len(again) == ATTEMPTS and all(again)


def carried(moves: Moves, twin: Moves) -> str:
    """Say where displacements or turns differ from the twin's as at no other time, or ""."""
    distances = {steps: apart(moves, twin, steps) for steps in UNLIKE}
    excess, when, steps, distance = max(_excesses(distances, UNLIKE, SLIGHT))
    what = f"moved {distance:.2f} m"
    if excess <= 0:
        turns = {steps: turned_apart(moves, twin, steps) for steps in UNLIKE}
        more = {steps: TURNING * float(np.abs(twin[steps][:, 2]).max()) for steps in UNLIKE}
        excess, when, steps, angle = max(_excesses(turns, more, TURN))
        what = f"turned by {math.degrees(angle):.0f} degrees"
    if excess <= 0:
        return ""
    return (
        f"the robot {what} in {steps * STEP:g} s unlike its simulated twin, "
        f"{when * STEP:.1f} s after the start: it was carried"
    )


def mixture(moves: Moves, simulated: list[Moves]) -> Moves:
    """The mixture of worlds that explains most displacements."""
    from sklearn.linear_model import HuberRegressor  # it takes a second to load

    moved = moves[FITTED][:, :2]
    worlds = np.array([world[FITTED][: len(moved), :2].ravel() for world in simulated]).T
    equal = np.full(len(simulated), 1 / len(simulated))
    rest = moved[: len(worlds) // 2].ravel() - worlds @ equal
    fit = HuberRegressor(epsilon=HUBER, alpha=PENALTY, fit_intercept=False, max_iter=200)
    weights = equal
    with warnings.catch_warnings(), suppress(ValueError):  # not converged
        warnings.simplefilter("ignore")
        weights = equal + fit.fit(worlds / SCALE, rest / SCALE).coef_
    return {
        steps: np.tensordot(weights, [world[steps] for world in simulated], 1) for steps in UNLIKE
    }


def _excesses(
    by_steps: Mapping[int, Array], more: Mapping[int, float], least: float
) -> Iterator[tuple[float, int, int, float]]:
    """For each number of steps the largest excess (m or rad), its index, the steps and the
    difference.

    Up to USUAL times the usual difference and `more` is allowed, and at `least` so much.
    """
    for steps, differences in by_steps.items():
        worst = int(differences.argmax())
        allowed = max(USUAL * _usual(differences, steps) + more[steps], least)
        yield float(differences[worst]) - allowed, worst, steps, float(differences[worst])


def _alike(moves: Moves, other: Moves) -> bool:
    """Whether displacements differ by the camera's errors only, apart from a hand's."""
    return _usual(apart(moves, other, FITTED), FITTED) <= ALIKE


def _usual(differences: Array, steps: int) -> float:
    """The usual difference (m or rad) over so many steps, whatever a hand changed."""
    changed = (steps + HAND / STEP) / len(differences)
    return float(np.quantile(differences, max(min(USUALLY, 1 - changed), 0.0)))
