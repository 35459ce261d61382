# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Quality-diversity search: for each place and heading that the robot gets to, what survives.

MAP-Elites by pyribs; half of the candidates by iso-line variation (Vassiliades and Mouret, 2018),
half as a model expects them to get furthest (`guided`). A cell is of the pose in the end, the mean
over the draws of physics; it keeps the candidate whose poses differ least from draw to draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ribs.archives import GridArchive
from ribs.emitters import EmitterBase, IsoLineEmitter
from ribs.schedulers import Scheduler

from bea_ros.repertoire.guided import GuidedEmitter
from bea_ros.repertoire.plan import STEPS
from bea_ros.repertoire.trying import Paths

Array = NDArray[np.float64]

ISO_SIGMA, LINE_SIGMA = 0.02, 0.3
# Cells about the start in each direction of x, y and yaw, and shares of how far one in ten random
# candidates gets: the same for every robot, however fast it is.
REACH = 32
CELL = (0.4, 0.4, 0.2)
SMALLEST_CELL = 1e-3  # m, rad, of robots that do not move
LOST = -1e6  # objective of what falls over, below the archive's threshold
THRESHOLD = -1e5


@dataclass(frozen=True, eq=False)
class Elites:
    """The best of each cell: numbers of their evaluations, objectives (n,), measures (n, 3)."""

    numbers: NDArray[np.int64]
    objectives: Array
    measures: Array

    def __len__(self) -> int:
        return len(self.numbers)


class Search:
    """Asks for a batch of candidates in [0, 1]^d, and is told what they came to.

    The same seed and paths give the same batches. `points` are what candidates (n, d) are compared
    by, shape (n, p).
    """

    def __init__(
        self, dimension: int, seed: int, batch: int, points: Callable[[Array], Array]
    ) -> None:
        self._dimension, self._batch, self._points = dimension, batch, points
        self._seed = seed
        self._told = 0
        self._scheduler: Scheduler | None = None
        self._random = np.random.default_rng(seed).random((batch, dimension))

    def ask(self) -> Array:
        """The next candidates, shape (batch, d)."""
        asked = self._scheduler.ask() if self._scheduler else self._random
        return np.round(asked * STEPS) / STEPS

    def tell(self, paths: Paths) -> None:
        """Take in the paths of the candidates asked last, shape (batch, draws, poses, 3)."""
        ends = paths[:, :, -1].astype(float)
        stood = np.isfinite(ends).all(axis=(1, 2))
        numbers = self._told + np.arange(len(paths))
        self._told += len(paths)
        if self._scheduler is None:
            self._begin(ends[stood])
            objective, measures = self._judge(ends, stood)
            fields = {"solution": self.ask_again(), "number": numbers}
            self._archive.add(objective=objective, measures=measures, **fields)
            self._scheduler = Scheduler(self._archive, self._emitters())
        else:
            objective, measures = self._judge(ends, stood)
            self._scheduler.tell(objective, measures, number=numbers)

    def ask_again(self) -> Array:
        """The random candidates that the search began with."""
        return np.round(self._random * STEPS) / STEPS

    def _begin(self, ends: Array) -> None:
        """Choose the cells by how far random candidates get."""
        mean = ends.mean(axis=1) if len(ends) else np.zeros((1, 3))
        far = np.quantile(np.hypot(mean[:, 0], mean[:, 1]), 0.9)
        turn = np.quantile(np.abs(mean[:, 2]), 0.9)
        self.cell = np.maximum(np.array(CELL) * (far, far, turn), SMALLEST_CELL)
        reach = REACH * self.cell
        self._archive = GridArchive(
            solution_dim=self._dimension,
            dims=[2 * REACH] * 3,
            ranges=list(zip(-reach, reach, strict=True)),
            learning_rate=1.0,
            threshold_min=THRESHOLD,
            seed=self._seed + 1,
            extra_fields={"number": ((), np.int64)},
        )

    def _emitters(self) -> list[EmitterBase]:
        guided = self._batch // 2
        anywhere = IsoLineEmitter(
            self._archive,
            x0=np.full(self._dimension, 0.5),
            iso_sigma=ISO_SIGMA,
            line_sigma=LINE_SIGMA,
            bounds=[(0.0, 1.0)] * self._dimension,
            batch_size=self._batch - guided,
            seed=self._seed + 2,
        )
        further = GuidedEmitter(self._archive, self.cell, self._points, guided, self._seed + 3)
        return [anywhere, further]

    def _judge(self, ends: Array, stood: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Objectives (n,) and measures (n, 3) of poses in the end, (n, draws, 3)."""
        known = np.where(stood[:, None, None], ends, 0.0)
        measures = known.mean(axis=1)
        apart = ((known - measures[:, None]) / self.cell) ** 2
        spread = np.sqrt(apart.sum(axis=2).mean(axis=1))
        return np.where(stood, -spread, LOST), measures

    @property
    def elites(self) -> Elites:
        """What is known by now, in the order of the cells."""
        if self._scheduler is None:
            return Elites(np.empty(0, np.int64), np.empty(0), np.empty((0, 3)))
        found = self._archive.data(["number", "objective", "measures", "index"])
        order = np.argsort(found["index"], kind="stable")
        return Elites(*(found[name][order] for name in ("number", "objective", "measures")))

    def thinned(self, count: int) -> Elites:
        """At most `count` elites: the outermost, then ever the one that is least like those.

        Further out they lie closer together: that is where tasks find their best.
        """
        elites = self.elites
        if len(elites) <= count:
            return elites
        at = elites.measures / self.cell
        at *= np.sqrt(np.linalg.norm(at, axis=1, keepdims=True))
        apart = np.full(len(at), np.inf)
        chosen = [int(np.argmax((at**2).sum(axis=1)))]
        while len(chosen) < count:
            apart = np.minimum(apart, ((at - at[chosen[-1]]) ** 2).sum(axis=1))
            chosen.append(int(np.argmax(apart)))
        kept = np.sort(chosen)
        return Elites(elites.numbers[kept], elites.objectives[kept], elites.measures[kept])
