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
        self._points: list[Array] = []
        self._fitness: list[float] = []
        for record in known:
            self.add(record)

    def add(self, record: Record) -> None:
        """Add an evaluation."""
        self._points.extend(self.inputs.points(record.x[None, :]))
        self._fitness.append(record.fitness)

    @property
    def best(self) -> Array:
        """The fittest candidate, shape (d,)."""
        points, fitness = self.all()
        return points[int(np.argmax(fitness))][self.inputs.features :]

    def all(self) -> tuple[Array, Array]:
        """Model inputs of the evaluations, shape (n, features + d), and their fitness (n,)."""
        return np.array(self._points), np.array(self._fitness)
