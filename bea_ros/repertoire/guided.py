# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates of Bayesian optimizers, each for the way in its own direction and world."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers import Optimizer, create
from bea_ros.optimizers.record import Record

Array = NDArray[np.float64]

# Shares of turning of the directions. Each direction has its own heading.
TURNING = (0.0, 0.0, 0.6, 0.0, 0.0, 1.0, 0.0, 0.0, -0.6, 0.0, 0.0, -1.0)
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0  # turns from one heading to the next: an even spread
ASIDE = 0.5  # penalty of a unit off the direction
EVALUATIONS = 50  # of an optimizer; the next one, in another direction, knows what was found
BEST, OTHERS = 48, 96  # evaluations that an optimizer begins with


class Climbers:
    """Bayesian optimizers, each of which climbs in a direction of x, y and yaw in one world.

    Args:
        known: all evaluated candidates, shape (n, d), and their displacements in x, y and yaw in
            each world, shape (n, worlds, 3); NaN if the robot fell over.
        features: function of candidates (n, d) with values of shape (n, p), by which candidates
            are compared.
        number: number of optimizers, and so of candidates per batch.
        seed: seed of all random draws.
    """

    def __init__(
        self,
        known: Callable[[], tuple[Array, Array]],
        features: Callable[[Array], Array],
        number: int,
        seed: int,
    ) -> None:
        self._known, self._features, self._seed = known, features, seed
        self._begun = 0
        self._climbers = [self._climber() for _ in range(number)]

    def ask(self) -> Iterator[Array]:
        """Yield a candidate (d,) of each optimizer, as soon as it is computed."""
        for *_, optimizer in self._climbers:
            yield optimizer.ask()

    def tell(self, moved: Array) -> None:
        """Learn the displacements of the last candidates, shape (number, worlds, 3)."""
        for which, (world, direction, optimizer) in enumerate(self._climbers):
            worst = min(record.fitness for record in optimizer.history)
            far = float(_far(moved[which, world], direction))
            optimizer.tell(optimizer.ask(), far if np.isfinite(far) else worst)
            if len(optimizer.history) >= optimizer.budget:
                self._climbers[which] = self._climber()

    def _climber(self) -> tuple[int, Array, Optimizer]:
        """Return the next world and direction (3,), and an optimizer with earlier evaluations."""
        tried, moved = self._known()
        number, world = divmod(self._begun, moved.shape[1])
        turning = TURNING[number % len(TURNING)]
        heading, straight = 2.0 * np.pi * GOLDEN * number, np.sqrt(1.0 - turning**2)
        direction = np.array([straight * np.cos(heading), straight * np.sin(heading), turning])
        far = _far(moved[:, world], direction)
        far = np.where(np.isfinite(far), far, np.nanmin(far, initial=0.0))
        chosen = _learned_from(far)
        optimizer = create(
            "bo",
            tried.shape[1],
            seed=self._seed + self._begun,
            budget=len(chosen) + EVALUATIONS,
            features=self._features,
            initial_samples=len(chosen),
        )
        for x, value in zip(tried[chosen], far[chosen].tolist(), strict=True):
            optimizer.absorb(Record(x, value, "initial", None, 0.0))
        self._begun += 1
        return world, direction, optimizer


def _far(moved: Array, direction: Array) -> Array:
    """Return the way in a direction (3,) minus a penalty, of displacements (..., 3)."""
    along = moved @ direction
    return along - ASIDE * np.linalg.norm(moved - along[..., None] * direction, axis=-1)


def _learned_from(far: Array) -> NDArray[np.intp]:
    """Return indices of the best and of some others, in order."""
    ranked = np.argsort(-far, kind="stable")
    others = ranked[BEST:]
    step = max(1, -(-len(others) // OTHERS))
    return np.sort(np.concatenate([ranked[:BEST], others[::step]]))
