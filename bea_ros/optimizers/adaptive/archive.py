# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every evaluation, as the models of the evolutionary algorithm see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.optimizer import Record

Array = NDArray[np.float64]


class Archive:
    """Every evaluation, and what the models see of it.

    Args:
        inputs: what they see of a candidate.
        known: evaluations made before.
    """

    def __init__(self, inputs: ModelInputs, known: Sequence[Record] = ()) -> None:
        self.inputs = inputs
        self._points: list[Array] = []
        self._fitness: list[float] = []
        for record in known:
            self.add(record)

    def add(self, record: Record) -> None:
        """Take in an evaluation."""
        self._points.extend(self.inputs.points(record.x[None, :]))
        self._fitness.append(record.fitness)

    @property
    def best(self) -> Array:
        """The fittest candidate, shape (d,)."""
        return self._points[int(np.argmax(self._fitness))][self.inputs.features :]

    def all(self) -> tuple[Array, Array]:
        """What the models see of the evaluations, shape (n, features + d), and the fitness."""
        return np.array(self._points), np.array(self._fitness)
