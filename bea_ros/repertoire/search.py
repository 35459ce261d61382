# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Quality-diversity search for the candidate that moves furthest in each direction (x, y, yaw).

It is MAP-Elites by pyribs. A third of the candidates come from iso-line variation (Vassiliades and
Mouret, 2018), the others from Bayesian optimizers (`guided`). A cell of the archive is a direction
of the total motion. It keeps the candidate that moved furthest. Each world has an archive of its
own: what a weak or heavy robot needs hardly moves a strong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from ribs.archives import GridArchive
from ribs.emitters import IsoLineEmitter

from bea_ros.repertoire.guided import Climbers
from bea_ros.repertoire.plan import STEPS
from bea_ros.repertoire.trying import Paths

Array = NDArray[np.float64]

ISO_SIGMA, LINE_SIGMA = 0.02, 0.3
HEADINGS, TURNS = 40, 9  # cells: directions on the floor, and shares of turning in the motion
FIRST = 96  # random candidates
GUIDED = 2 / 3  # share of the later candidates
TYPICAL = 0.9  # quantile of random candidates: the unit of distance, and of turning
SMALLEST_UNIT = 1e-3  # m, rad, of robots that do not move
LOST = -1e6  # objective of a fall, below the archive's threshold
THRESHOLD = -1e5


class Search:
    """Proposes candidates in [0, 1]^d, and learns from their paths.

    The same seed and paths give the same candidates. `features` is a function of candidates (n, d)
    with values of shape (n, p), by which candidates are compared.
    """

    def __init__(
        self,
        dimension: int,
        seed: int,
        batch: int,
        features: Callable[[Array], Array],
        worlds: int = 1,
    ) -> None:
        self._seed, self._features, self._guided = seed, features, round(GUIDED * batch)
        self._tried, self._moved = np.empty((0, dimension)), np.empty((0, worlds, 3))
        self._first = _stored(np.random.default_rng(seed).random((FIRST, dimension)))
        self._archives = [
            GridArchive(
                solution_dim=dimension,
                dims=[HEADINGS, TURNS],
                ranges=[(-np.pi, np.pi), (-1.0, 1.0)],
                learning_rate=1.0,
                threshold_min=THRESHOLD,
                seed=[seed, 1, world],  # type: ignore[arg-type]  # as NumPy takes it
                extra_fields={"number": ((), np.int64)},
            )
            for world in range(worlds)
        ]
        sizes = np.bincount(np.arange(batch - self._guided) % worlds, minlength=worlds)
        self._anywhere = [
            IsoLineEmitter(
                archive,
                x0=np.full(dimension, 0.5),
                iso_sigma=ISO_SIGMA,
                line_sigma=LINE_SIGMA,
                bounds=[(0.0, 1.0)] * dimension,
                batch_size=int(sizes[world]),
                seed=[seed, 2, world],  # type: ignore[arg-type]
            )
            for world, archive in enumerate(self._archives)
        ]
        self._climbers: Climbers | None = None

    def ask(self) -> Iterator[Array]:
        """Yield the next candidates (d,): FIRST random ones, then `batch` each time.

        The optimizers' proposals take long to compute, so they come last and one by one: earlier
        candidates can be tried meanwhile. (pyribs' scheduler returns them all at once.)
        """
        self._asked: list[Array] = []
        for candidate in self._proposals():
            self._asked.append(candidate)
            yield _stored(candidate)

    def _proposals(self) -> Iterable[Array]:
        if self._climbers is None:
            return self._first
        return chain(*(emitter.ask() for emitter in self._anywhere), self._climbers.ask())

    def tell(self, paths: Paths) -> None:
        """Learn the paths of the last candidates, shape (n, worlds, poses, 3)."""
        ends = paths[:, :, -1].astype(float)
        stood = np.isfinite(ends).all(axis=2)
        moved = np.where(stood[:, :, None], ends, 0.0)
        if self._climbers is None:
            self.unit = np.array([_unit(ways) for ways in np.moveaxis(moved, 1, 0)])
        moved = moved / self.unit
        self._moved = np.vstack([self._moved, np.where(stood[:, :, None], moved, np.nan)])
        number = len(self._tried) + np.arange(len(paths))
        self._tried = np.vstack([self._tried, _stored(np.array(self._asked))])
        for world, archive in enumerate(self._archives):
            x, y, yaw = moved[:, world].T
            far = np.linalg.norm(moved[:, world], axis=1)
            turning = np.divide(yaw, far, out=np.zeros(len(far)), where=far > 0)
            objective = np.where(stood[:, world], far, LOST)
            measures = np.column_stack([np.arctan2(y, x), turning])
            archive.add(self._asked, objective, measures, number=number)
        if self._climbers is None:
            self._climbers = Climbers(
                lambda: (self._tried, self._moved), self._features, self._guided, self._seed + 3
            )
        else:
            self._climbers.tell(self._moved[-self._guided :])

    @property
    def remark(self) -> str:
        """The progress, in words."""
        furthest = 0.0
        for archive, unit in zip(self._archives, self.unit, strict=True):
            found = archive.data(["objective", "measures"])
            straight = found["objective"] * np.sqrt(1.0 - found["measures"][:, 1] ** 2)
            furthest = max(furthest, unit[0] * straight.max(initial=0.0))
        return f"{len(self.elites)} elites, furthest {furthest:.2f} m"

    @property
    def elites(self) -> NDArray[np.int64]:
        """Evaluation indices of the elites of all worlds, in the order of evaluation."""
        return np.unique(np.concatenate([archive.data("number") for archive in self._archives]))


def _unit(moved: Array) -> Array:
    """Return the units of x, y and yaw, by the motion of random candidates, shape (n, 3)."""
    far = np.quantile(np.hypot(moved[:, 0], moved[:, 1]), TYPICAL)
    turn = np.quantile(np.abs(moved[:, 2]), TYPICAL)
    return np.maximum((far, far, turn), SMALLEST_UNIT)


def _stored(candidates: Array) -> Array:
    """Round candidates as a repertoire stores them."""
    return np.round(candidates * STEPS) / STEPS
