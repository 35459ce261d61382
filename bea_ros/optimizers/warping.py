# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fitness as the default model may see it: differences among the bad compressed.

Whether that helps depends on the function: it does in a long curved valley, it does not where the
bad ones tell the way. The marginal likelihood decides, with the Jacobian that makes it comparable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SMALLEST_SCALE = 1e-9  # of the range of the fitness


def deficits(fitness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each fitness is below the median, in units of best minus median.

    An affine change of the fitness changes nothing.

    Args:
        fitness: shape (n,), n at least 1.
    """
    return (float(np.median(fitness)) - fitness) / deficit_unit(fitness)


def deficit_unit(fitness: NDArray[np.float64]) -> float:
    """Best minus median, or a small part of the range; 1 if all are equal."""
    best, median = float(np.max(fitness)), float(np.median(fitness))
    return max(best - median, SMALLEST_SCALE * (best - float(np.min(fitness)))) or 1.0


def compressed(deficit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return minus the deficits, logarithmic below the median; order is kept."""
    return np.where(deficit > 0.0, -np.log1p(np.maximum(deficit, 0.0)), -deficit)


def log_jacobian(deficit: NDArray[np.float64]) -> float:
    """Log of the density that compression adds to a likelihood."""
    return -float(np.sum(np.log1p(np.maximum(deficit, 0.0))))
