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

TOLERANCE = 1e-6  # of features about as far apart as candidates, on another machine


def compared(features: Features | None, options: Mapping[str, Any]) -> Features | None:
    """What candidates are compared by: the features, unless the options say parameters."""
    return features if options["compare"] == "features" else None


def fingerprint(
    features: Features | None, options: Mapping[str, Any], dimension: int
) -> list[float]:
    """Features of one candidate, by which they are recognised; empty where none are compared.

    Its parameters all differ, so that their order counts.
    """
    used = compared(features, options) if features else None
    probe = np.linspace(0.1, 0.9, dimension)[None, :]
    return used(probe)[0].tolist() if used else []


def alike(stored: Any, here: list[float]) -> bool:
    """Whether fingerprints are the same but for rounding; older states have none, None."""
    if stored is None:
        return True
    try:
        known = np.array(stored, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return known.shape == (len(here),) and np.allclose(known, here, TOLERANCE, TOLERANCE)


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
