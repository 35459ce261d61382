# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Detects that a hand carried the robot: for a moment it moved unlike a simulated twin.

Nobody knows a real robot's masses, motors and floor. So its twin is a mixture: of several worlds
that follow the same commands, each gets the weight with which it explains the whole evaluation. A
robot that the simulator does not know differs from its twin all the time. One that differs for a
second was carried. `bea bench carried` prints how often carrying is missed, and how often a gait
is refused.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.cpg import CpgNetwork
from bea_ros.robots.reach import Commanding, Reach
from bea_ros.simulation.physics import Physics, spread_physics
from bea_ros.simulation.rollout import CONTROL_RATE, drive, sample
from bea_ros.simulation.world import SimulationError, World
from bea_ros.tasks.trajectory import Trajectory

Array = NDArray[np.float64]

WORLDS = 9  # the usual one, and others that are spread over physics.RANGES
SEED = 3
STEP = 0.25  # s
# m by which displacements over this number of steps may differ from the twin's ...
UNLIKE = {2: 0.015, 4: 0.01, 8: 0.005}
USUAL = 4.0  # ... beyond this multiple of the usual difference, ...
SLIGHT = 0.03  # ... and at least
USUALLY = 0.8  # quantile of the usual difference
FITTED = 4  # steps of the displacements that give the worlds their weights
ALIKE = 0.012  # m, usual difference of the camera's poses alone: that world explains them
LEAST = 10.0  # s, shortest evaluation that is checked
HUBER, PENALTY, SCALE = 1.2, 1.0, 0.01  # of the regression; m

Moves = dict[int, Array]  # displacements (m) ahead and to the left, shape (n, 2), by their steps


class Twin:
    """Simulates what a robot's candidates do.

    `reach` has robot, motor, output and gain. A `real` robot is simulated in all worlds while it
    moves, a simulated one in the usual world, and in the others if that one differs.
    """

    def __init__(self, reach: Reach, real: bool) -> None:
        self.reach, self.ahead = reach, WORLDS if real else 1
        self._worlds: list[World] = []
        self._pool = ThreadPoolExecutor(1, "twin")
        self._refused: tuple[Mapping[str, float], list[Moves]] = ({}, [])

    @contextmanager
    def expecting(self, weights: Mapping[str, float], duration: float) -> Iterator[Expected]:
        """Simulate a candidate (CPG weights, 1/s) for `duration` (s) within this context."""
        reach = self.reach
        network = CpgNetwork.from_weights(reach.robot, weights, reach.output, reach.gain)
        if weights != self._refused[0]:
            self._refused = (dict(weights), [])
        expected = Expected(self, network, duration, self._refused[1])
        try:
            yield expected
        finally:
            expected.cancelled.set()

    def simulate(self, number: int, expected: Expected) -> Moves:
        """Displacements in a world, in the thread of the pool."""
        while len(self._worlds) <= number:
            physics = worlds()[len(self._worlds)]
            self._worlds.append(World(self.reach.robot, physics, self.reach.motor))
        world, every = self._worlds[number], round(STEP * CONTROL_RATE)
        rows = []
        for tick in drive(world, expected.network, expected.duration):
            if expected.cancelled.is_set():
                break
            if tick % every == 0:
                rows.append(sample(world)[:4])
        return displacements(*np.array(rows).T)

    def submit(self, number: int, expected: Expected) -> Future[Moves]:
        return self._pool.submit(self.simulate, number, expected)


class Expected:
    """What a candidate's robot should do, in each world."""

    def __init__(
        self,
        twin: Twin,
        network: Commanding,
        duration: float,
        refused: list[Moves] | None = None,  # at earlier attempts
    ) -> None:
        self.twin, self.network, self.duration = twin, network, duration
        self.refused: list[Moves] = [] if refused is None else refused
        self.cancelled = threading.Event()
        self._futures: list[Future[Moves]] = []
        if duration >= LEAST:
            self._futures = [twin.submit(number, self) for number in range(twin.ahead)]

    def objection(self, trajectory: Trajectory, spin: Callable[[], None] | None = None) -> str:
        """Say where the robot was carried; "" if it was not, or moved so at an earlier attempt.

        Calls `spin` while it waits for a simulation.
        """
        t = trajectory.t
        if t[-1] < LEAST:
            return ""
        moves = displacements(t, trajectory.x, trajectory.y, trajectory.yaw)
        if any(_like(moves, known) for known in self.refused):
            return ""
        try:
            if _like(moves, self._in_world(0, spin)):
                return ""
            words = carried(moves, [self._in_world(number, spin) for number in range(WORLDS)])
        except SimulationError:
            return ""
        if words:
            self.refused.append(moves)
        return words

    def _in_world(self, number: int, spin: Callable[[], None] | None) -> Moves:
        while len(self._futures) <= number:
            self._futures.append(self.twin.submit(len(self._futures), self))
        while spin and not self._futures[number].done():
            spin()
        return self._futures[number].result()


def worlds() -> list[Physics]:
    """The physics of the twin's worlds, the usual ones first."""
    return [Physics(), *spread_physics(WORLDS - 1, SEED)]


def displacements(t: Array, x: Array, y: Array, yaw: Array) -> Moves:
    """Displacements of a trajectory in the robot's own frame, at every STEP.

    Args:
        t, x, y, yaw: times (s) from 0 on, positions (m) and headings (rad), shape (n,).
    """
    grid = np.arange(0.0, t[-1] + 1e-6, STEP)
    yaw = np.interp(grid, t, np.unwrap(yaw))
    at = np.interp(grid, t, x) + 1j * np.interp(grid, t, y)
    moves = {}
    for steps in UNLIKE:
        own = (at[steps:] - at[:-steps]) * np.exp(-1j * yaw[:-steps])
        moves[steps] = np.column_stack([own.real, own.imag])
    return moves


def carried(moves: Moves, simulated: list[Moves]) -> str:
    """Say where displacements differ from the mixture of worlds that explains them best, or ""."""
    weights = _weights(moves[FITTED], [world[FITTED] for world in simulated])
    twin = {
        steps: np.tensordot(weights, [world[steps] for world in simulated], 1) for steps in UNLIKE
    }
    excess, when, steps, distance = max(_excesses(moves, twin))
    if excess <= 0:
        return ""
    return (
        f"the robot moved {distance:.2f} m in {steps * STEP:g} s unlike its simulated twin, "
        f"{when * STEP:.1f} s after the start: it was carried"
    )


def _excesses(moves: Moves, twin: Moves) -> Iterator[tuple[float, int, int, float]]:
    """For each number of steps the largest excess (m), its index, the steps and the difference."""
    for steps, most in UNLIKE.items():
        apart = _apart(moves[steps], twin[steps])
        worst = int(apart.argmax())
        allowed = max(USUAL * float(np.quantile(apart, USUALLY)) + most, SLIGHT)
        yield float(apart[worst]) - allowed, worst, steps, float(apart[worst])


def _like(moves: Moves, other: Moves) -> bool:
    """Whether displacements are the same, apart from the camera's errors."""
    usual = np.quantile(_apart(moves[FITTED], other[FITTED]), USUALLY)
    return bool(usual <= ALIKE) and max(_excesses(moves, other))[0] <= 0


def _apart(moves: Array, other: Array) -> Array:
    common = min(len(moves), len(other))  # the robot may have left the arena
    return np.linalg.norm(moves[:common] - other[:common], axis=1)


def _weights(moves: Array, simulated: list[Array]) -> Array:
    """Weights of worlds in the mixture that explains most displacements, shape (w,)."""
    from sklearn.linear_model import HuberRegressor  # it takes a second to load

    worlds = np.array([world[: len(moves)].ravel() for world in simulated]).T / SCALE
    equal = np.full(len(simulated), 1 / len(simulated))
    fit = HuberRegressor(epsilon=HUBER, alpha=PENALTY, fit_intercept=False, max_iter=200)
    with warnings.catch_warnings(), suppress(ValueError):  # not converged
        warnings.simplefilter("ignore")
        fit.fit(worlds, moves.ravel() / SCALE - worlds @ equal)
        return equal + fit.coef_
    return equal
