# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates that Bayesian optimizers ask for, each to get far in a direction of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ribs.archives import GridArchive
from ribs.emitters import EmitterBase

from bea_ros.optimizers import Optimizer, create
from bea_ros.optimizers.record import Record

Array = NDArray[np.float64]

# Shares of turning in the directions, each with a heading of its own.
TURNING = (0.0, 0.0, 0.6, 0.0, 0.0, 1.0, 0.0, 0.0, -0.6, 0.0, 0.0, -1.0)
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0  # of a turn from heading to heading: all ways evenly
ASIDE = 0.5  # what is lost by a unit off the direction
EVALUATIONS = 150  # of an optimizer, before another one begins with another direction
BEST, OTHERS = 48, 96  # evaluations that it knows in the beginning


class GuidedEmitter(EmitterBase):
    """Bayesian optimizers, each of which climbs in a direction of x, y and yaw.

    Args:
        archive: whose candidates are asked for.
        known: all that were tried, shape (n, d), and how far they got in x, y and yaw, (n, 3);
            NaN where the robot fell over.
        features: what candidates (n, d) in [0, 1]^d are compared by, shape (n, p).
        batch_size: optimizers, and so candidates asked at a time.
        seed: of what is drawn.
    """

    def __init__(
        self,
        archive: GridArchive,
        known: Callable[[], tuple[Array, Array]],
        features: Callable[[Array], Array],
        batch_size: int,
        seed: int,
    ) -> None:
        self._dimension = int(archive.solution_dim)  # type: ignore[arg-type]
        super().__init__(
            archive,
            solution_dim=archive.solution_dim,
            bounds=[(0.0, 1.0)] * self._dimension,
            lower_bounds=None,
            upper_bounds=None,
        )
        self._known, self._features, self._seed = known, features, seed
        self._begun = 0
        self._climbers = [self._climber() for _ in range(batch_size)]

    def ask(self) -> Array:
        """Candidates, shape (batch_size, d)."""
        return np.array([optimizer.ask() for _, optimizer in self._climbers])

    def tell(
        self, solution: Any, objective: Any, measures: Any, add_info: Any, **fields: Any
    ) -> None:
        """Take in what the candidates came to: the field `number` has theirs among all."""
        moved = self._known()[1][fields["number"]]
        for which, (direction, optimizer) in enumerate(self._climbers):
            worst = min(record.fitness for record in optimizer.history)
            far = float(_far(moved[which], direction))
            optimizer.tell(optimizer.ask(), far if np.isfinite(far) else worst)
            if len(optimizer.history) >= optimizer.budget:
                self._climbers[which] = self._climber()

    def _climber(self) -> tuple[Array, Optimizer]:
        """The next direction, shape (3,), and an optimizer that knows some of what was tried."""
        turning = TURNING[self._begun % len(TURNING)]
        heading, straight = 2.0 * np.pi * GOLDEN * self._begun, np.sqrt(1.0 - turning**2)
        direction = np.array([straight * np.cos(heading), straight * np.sin(heading), turning])
        tried, moved = self._known()
        far = _far(moved, direction)
        far = np.where(np.isfinite(far), far, np.nanmin(far, initial=0.0))
        chosen = _learned_from(far)
        optimizer = create(
            "bo",
            self._dimension,
            seed=self._seed + self._begun,
            budget=len(chosen) + EVALUATIONS,
            features=self._features,
            initial_samples=len(chosen),
        )
        for x, value in zip(tried[chosen], far[chosen].tolist(), strict=True):
            optimizer.absorb(Record(x, value, "initial", None, 0.0))
        self._begun += 1
        return direction, optimizer


def _far(moved: Array, direction: Array) -> Array:
    """How far it is in a direction (3,), less what is off it, shape (...) of (..., 3)."""
    along = moved @ direction
    return along - ASIDE * np.linalg.norm(moved - along[..., None] * direction, axis=-1)


def _learned_from(far: Array) -> NDArray[np.intp]:
    """Numbers of the best, and of some of the others, in order."""
    ranked = np.argsort(-far, kind="stable")
    others = ranked[BEST:]
    step = max(1, -(-len(others) // OTHERS))
    return np.sort(np.concatenate([ranked[:BEST], others[::step]]))
