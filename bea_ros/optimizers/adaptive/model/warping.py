# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Warping of the fitness: differences between bad candidates are compressed.

This helps in a long curved valley. It does not help where bad candidates show the way to better
ones. The marginal likelihood, corrected by the Jacobian of the warping, decides whether to warp.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SMALLEST_SCALE = 1e-9  # in ranges of the fitness
OUTLIER = 2.0  # in units, or in distances of the lower quartile to the median if larger
LARGEST_GAIN = 1e100  # in units: its square is a number
DRIFT = 0.1  # in units: a larger move of the scale updates the deficits


class Scale(NamedTuple):
    """Origin and unit of deficits, which are invariant to affine changes of the fitness.

    Attributes:
        median: of the fitness.
        unit: best minus median, at least a small part of the range; 1 if all are equal.
        most: deficit beyond which a fitness is an outlier.
    """

    median: float
    unit: float
    most: float = math.inf

    @classmethod
    def of(cls, fitness: NDArray[np.float64]) -> Scale:
        """Scale of fitness values, shape (n,), n >= 1."""
        best, (low, median) = float(np.max(fitness)), low_and_median(fitness)
        least = SMALLEST_SCALE * (best - float(np.min(fitness)))
        unit = max(best - median, least) or 1.0
        return cls(median, unit, OUTLIER * max((median - low) / unit, 1.0))

    def deficits(self, fitness: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance of each fitness below the median, in units."""
        return (self.median - fitness) / self.unit

    def bounded(self, fitness: NDArray[np.float64]) -> NDArray[np.float64]:
        """Deficits, at most `most`, and at least minus LARGEST_GAIN."""
        return np.clip(self.deficits(fitness), -LARGEST_GAIN, self.most)

    def near(self, other: Scale) -> bool:
        """Whether another scale gives nearly the same deficits."""
        moved = abs(other.median - self.median) / self.unit
        return moved < DRIFT and abs(other.unit / self.unit - 1.0) < DRIFT


def low_and_median(values: NDArray[np.float64]) -> tuple[float, float]:
    """Lower quartile and median of values (n,): those of np.quantile, which is slow."""
    ordered = np.sort(values).tolist()

    def at(share: float) -> float:
        before = int(share * (len(ordered) - 1))
        part = share * (len(ordered) - 1) - before
        low, high = ordered[before], ordered[min(before + 1, len(ordered) - 1)]
        between = high - low
        return float(low + between * part if part < 0.5 else high - between * (1.0 - part))

    return at(0.25), at(0.5)


def deficits(fitness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the deficits of fitness values (n,) by their own scale."""
    return Scale.of(fitness).deficits(fitness)


def compressed(deficit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return minus the deficits, logarithmic below the median. Their order stays the same."""
    return np.where(deficit > 0.0, -np.log1p(np.maximum(deficit, 0.0)), -deficit)


def log_jacobian(deficit: NDArray[np.float64]) -> float:
    """Log Jacobian of `compressed`, to be added to a log likelihood."""
    return -float(np.sum(np.log1p(np.maximum(deficit, 0.0))))
