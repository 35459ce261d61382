# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Offspring that are expected to get furthest, each in a direction of its own.

What candidates come to is learned from the elites by a Gaussian process, as in surrogate-assisted
illumination (Gaier, Asteroth and Mouret, 2018).
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

OUTERMOST, OTHERS = 512, 256  # elites that are learned from
PARENTS = 6  # elites a direction
CHILDREN, GENERATIONS = 512, 3
TURNING = 0.25  # share of directions that are turns on the spot
OPTIMISM = 1.0  # at most; standard deviations that count as gained


class GuidedEmitter(EmitterBase):
    """Asks for the children of elites that a model expects to get furthest.

    Args:
        archive: of measures x, y, yaw.
        cell: its cells' size, shape (3,).
        points: what candidates (n, d) in [0, 1]^d are compared by, shape (n, p).
        batch_size: candidates asked at a time.
        seed: of what is drawn.
    """

    def __init__(
        self,
        archive: GridArchive,
        cell: Array,
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
        self._cell, self._points, self._batch = cell, points, batch_size
        self._rng = np.random.default_rng(seed)

    def ask(self) -> Array:
        """Candidates, shape (batch_size, d)."""
        known = self.archive.data(["solution", "measures", "index"])
        order = np.argsort(known["index"], kind="stable")
        elites, at = known["solution"][order], known["measures"][order] / self._cell
        if not len(elites):
            return self._rng.random((self._batch, elites.shape[1]))
        towards = self._directions()
        chosen = _learned_from(at)
        model = Interpolation(self._points(elites[chosen]), at[chosen])
        best = np.argsort(-(at @ towards.T), axis=0, kind="stable")[:PARENTS]
        parents = elites[np.unique(best)]
        optimism = self._rng.uniform(0.0, OPTIMISM, self._batch)
        pool = np.empty((0, elites.shape[1]))
        promise = np.empty((0, self._batch))
        for _ in range(GENERATIONS):
            children = _new(offspring(parents, CHILDREN, self._rng), np.vstack([elites, pool]))
            white = model.whiten(self._points(children))
            open_ = np.sqrt(model.uncertainty(white))
            found = model.fitness(white) @ towards.T + np.outer(open_, optimism)
            pool, promise = np.vstack([pool, children]), np.vstack([promise, found])
            parents = pool[np.unique(np.argmax(promise, axis=0))]
        return pool[_each_its_own(promise)]

    def _directions(self) -> Array:
        """Unit vectors (batch, 3): any way on the floor, or a turn to either side."""
        angle = self._rng.uniform(-np.pi, np.pi, self._batch)
        turn = self._rng.random(self._batch) < TURNING
        there = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(self._batch)])
        return np.where(turn[:, None], np.sign(angle)[:, None] * (0.0, 0.0, 1.0), there)


def _learned_from(at: Array) -> NDArray[np.intp]:
    """Numbers of the outermost elites, and of some of the others."""
    outermost = np.argsort(-(at**2).sum(axis=1), kind="stable")
    others = outermost[OUTERMOST :: max(1, (len(at) - OUTERMOST) // OTHERS)]
    return np.sort(np.concatenate([outermost[:OUTERMOST], others]))


def _new(children: Array, known: Array) -> Array:
    """Those that are not known, each once."""
    first = np.unique(np.vstack([known, children]), axis=0, return_index=True)[1]
    return children[np.sort(first[first >= len(known)]) - len(known)]


def _each_its_own(promise: Array) -> NDArray[np.intp]:
    """For each direction the most promising of the pool that no other has, (pool, directions)."""
    left, taken = promise.copy(), []
    for direction in range(promise.shape[1]):
        taken.append(int(np.argmax(left[:, direction])))
        left[taken[-1]] = -np.inf
    return np.array(taken)
