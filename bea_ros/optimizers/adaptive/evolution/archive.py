# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All evaluations, as inputs of the EA's models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.optimizer import Record

Array = NDArray[np.float64]


class Archive:
    """All evaluations, as model inputs and fitness.

    Args:
        inputs: maps candidates to model inputs.
        known: earlier evaluations.
    """

    def __init__(self, inputs: ModelInputs, known: Sequence[Record] = ()) -> None:
        self.inputs = inputs
        self._points: Array | None = None  # grown in advance
        self._fitness = np.empty(0)
        self._count = 0
        for record in known:
            self.add(record)

    def add(self, record: Record) -> None:
        """Add an evaluation."""
        point = self.inputs.points(record.x[None, :])
        if self._points is None:
            self._points = np.empty((0, point.shape[1]))
        if self._count == len(self._fitness):
            more = max(self._count, 64)
            self._points = np.vstack([self._points, np.empty((more, point.shape[1]))])
            self._fitness = np.append(self._fitness, np.empty(more))
        self._points[self._count], self._fitness[self._count] = point[0], record.fitness
        self._count += 1

    @property
    def best(self) -> Array:
        """The fittest candidate, shape (d,)."""
        points, fitness = self.all()
        return points[int(np.argmax(fitness))][self.inputs.features :]

    def all(self) -> tuple[Array, Array]:
        """Model inputs of the evaluations, shape (n, features + d), and their fitness (n,)."""
        assert self._points is not None
        return self._points[: self._count], self._fitness[: self._count]
