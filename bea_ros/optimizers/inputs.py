# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a model sees of a candidate: features of it, where there are any, and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Features = Callable[[Array], Array]


def compared(features: Features | None, options: Mapping[str, Any]) -> Features | None:
    """What candidates are compared by: the features, unless the options say parameters."""
    return features if options["compare"] == "features" else None


class ModelInputs:
    """Maps candidates (n, d) to points (n, features + d), and back.

    Args:
        dimension: d.
        features: of candidates (n, d), shape (n, k): numbers that are alike where the fitness is
            expected to be alike, and about as far apart as the candidates.
    """

    def __init__(self, dimension: int, features: Features | None = None) -> None:
        self._features = features
        self.features = features(np.full((1, dimension), 0.5)).shape[1] if features else 0

    def points(self, candidates: Array) -> Array:
        """What the model sees of candidates (n, d), shape (n, features + d)."""
        if self._features is None:
            return candidates
        features = self._features(candidates)
        if not np.isfinite(features).all():
            raise ValueError("features are not finite for some candidate in [0, 1]^d")
        return np.hstack([features, candidates])

    def candidates(self, points: Array) -> Array:
        """The candidates (n, d) of points."""
        return points[:, self.features :]
