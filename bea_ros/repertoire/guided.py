# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Offspring that are expected to get furthest, each in a direction of its own.

What candidates come to is learned from those that were tried by a Gaussian process, as in
surrogate-assisted illumination (Gaier, Asteroth and Mouret, 2018).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from ribs.archives import GridArchive
from ribs.emitters import EmitterBase

from bea_ros.optimizers.adaptive.candidates import offspring
from bea_ros.optimizers.prior.interpolation import Interpolation

Array = NDArray[np.float64]

OUTERMOST, OTHERS = 384, 128  # candidates that are learned from
PARENTS = 6  # candidates a direction
CHILDREN, GENERATIONS = 256, 4
TURNING = 0.5  # standard deviation of a direction's turning, over those of its x and y
OPTIMISM = 1.0  # at most; standard deviations that count as gained


class GuidedEmitter(EmitterBase):
    """Asks for the children of candidates that a model expects to get furthest.

    Args:
        archive: whose candidates are asked for.
        known: all that were tried, shape (n, d), and how far they got in x, y and yaw, (n, 3).
        points: what candidates (n, d) in [0, 1]^d are compared by, shape (n, p).
        batch_size: candidates asked at a time.
        seed: of what is drawn.
    """

    def __init__(
        self,
        archive: GridArchive,
        known: Callable[[], tuple[Array, Array]],
        points: Callable[[Array], Array],
        batch_size: int,
        seed: int,
    ) -> None:
        dimension = int(archive.solution_dim)  # type: ignore[arg-type]
        super().__init__(
            archive,
            solution_dim=archive.solution_dim,
            bounds=[(0.0, 1.0)] * dimension,
            lower_bounds=None,
            upper_bounds=None,
        )
        self._known, self._points, self._batch = known, points, batch_size
        self._rng = np.random.default_rng(seed)

    def ask(self) -> Array:
        """Candidates, shape (batch_size, d)."""
        tried, moved = self._known()
        towards = self._rng.normal(size=(self._batch, 3)) * (1.0, 1.0, TURNING)
        towards /= np.linalg.norm(towards, axis=1, keepdims=True)
        chosen = _learned_from(moved)
        model = Interpolation(self._points(tried[chosen]), moved[chosen])
        best = np.argsort(-(moved @ towards.T), axis=0, kind="stable")[:PARENTS]
        parents = tried[np.unique(best)]
        optimism = self._rng.uniform(0.0, OPTIMISM, self._batch)
        pool = np.empty((0, tried.shape[1]))
        promise = np.empty((0, self._batch))
        for _ in range(GENERATIONS):
            children = offspring(parents, CHILDREN, self._rng)
            white = model.whiten(self._points(children))
            open_ = np.sqrt(model.uncertainty(white))
            found = model.fitness(white) @ towards.T + np.outer(open_, optimism)
            pool, promise = np.vstack([pool, children]), np.vstack([promise, found])
            parents = pool[np.unique(np.argmax(promise, axis=0))]
        return pool[_each_its_own(promise)]


def _learned_from(moved: Array) -> NDArray[np.intp]:
    """Numbers of those that got furthest, and of some of the others."""
    outermost = np.argsort(-(moved**2).sum(axis=1), kind="stable")
    others = outermost[OUTERMOST:]
    step = max(1, -(-len(others) // OTHERS))
    return np.sort(np.concatenate([outermost[:OUTERMOST], others[::step]]))


def _each_its_own(promise: Array) -> NDArray[np.intp]:
    """For each direction the most promising of the pool that no other has, (pool, directions)."""
    left, taken = promise.copy(), []
    for direction in range(promise.shape[1]):
        taken.append(int(np.argmax(left[:, direction])))
        left[taken[-1]] = -np.inf
    return np.array(taken)
