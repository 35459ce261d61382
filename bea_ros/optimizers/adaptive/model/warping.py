# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fitness as the default model may see it: differences among the bad compressed.

Whether that helps depends on the function: it does in a long curved valley, it does not where the
bad ones tell the way. The marginal likelihood decides, with the Jacobian that makes it comparable.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SMALLEST_SCALE = 1e-9  # of the range of the fitness
OUTLIER = 2.0  # units, or distances of the lower quartile to the median where these are larger
DRIFT = 0.1  # units: deficits are counted anew when the scale moved further


class Scale(NamedTuple):
    """What deficits are counted from and in: affine changes of the fitness change nothing.

    Attributes:
        median: of the fitness.
        unit: best minus median, or a small part of the range; 1 if all are equal.
        most: deficit beyond which a fitness is an outlier.
    """

    median: float
    unit: float
    most: float = math.inf

    @classmethod
    def of(cls, fitness: NDArray[np.float64]) -> Scale:
        """That of some fitness, shape (n,), n at least 1."""
        best, (low, median) = float(np.max(fitness)), np.quantile(fitness, (0.25, 0.5)).tolist()
        least = SMALLEST_SCALE * (best - float(np.min(fitness)))
        unit = max(best - median, least) or 1.0
        return cls(median, unit, OUTLIER * max((median - low) / unit, 1.0))

    def deficits(self, fitness: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far each fitness is below the median, in units."""
        return (self.median - fitness) / self.unit

    def bounded(self, fitness: NDArray[np.float64]) -> NDArray[np.float64]:
        """Deficits, those of outliers no larger than `most`."""
        return np.minimum(self.deficits(fitness), self.most)

    def near(self, other: Scale) -> bool:
        """Whether deficits by another scale are much the same."""
        moved = abs(other.median - self.median) / self.unit
        return moved < DRIFT and abs(other.unit / self.unit - 1.0) < DRIFT


def deficits(fitness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each fitness is below the median, by its own scale."""
    return Scale.of(fitness).deficits(fitness)


def compressed(deficit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return minus the deficits, logarithmic below the median; order is kept."""
    return np.where(deficit > 0.0, -np.log1p(np.maximum(deficit, 0.0)), -deficit)


def log_jacobian(deficit: NDArray[np.float64]) -> float:
    """Log of the density that compression adds to a likelihood."""
    return -float(np.sum(np.log1p(np.maximum(deficit, 0.0))))
