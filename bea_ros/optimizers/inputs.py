# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of a model: the features of a candidate, if there are any, and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Features = Callable[[Array], Array]

TOLERANCE = 1e-6  # of fingerprints from different machines


def compared(features: Features | None, options: Mapping[str, Any]) -> Features | None:
    """Return the features, or None if the options say to compare candidates by parameters."""
    return features if options["compare"] == "features" else None


def fingerprint(
    features: Features | None, options: Mapping[str, Any], dimension: int
) -> list[float]:
    """Return the features of a fixed candidate, to recognise the function; empty without features.

    The parameters of this candidate all differ, so their order matters.
    """
    used = compared(features, options) if features else None
    probe = np.linspace(0.1, 0.9, dimension)[None, :]
    return used(probe)[0].tolist() if used else []


def alike(stored: Any, here: list[float]) -> bool:
    """Whether fingerprints are equal except for rounding. Older states have None."""
    if stored is None:
        return True
    try:
        known = np.array(stored, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return known.shape == (len(here),) and np.allclose(known, here, TOLERANCE, TOLERANCE)


class ModelInputs:
    """Maps candidates (n, d) to points (n, features + d).

    Args:
        dimension: d.
        features: function of candidates (n, d) with values of shape (n, k). Candidates of similar
            fitness should have similar features. The distances of features should be of the same
            size as the distances of candidates.
    """

    def __init__(self, dimension: int, features: Features | None = None) -> None:
        self._features = features
        self.features = 0
        if features:
            shape = np.shape(features(np.full((1, dimension), 0.5)))
            if len(shape) != 2 or shape[0] != 1:
                raise ValueError(f"features of one candidate have shape {shape}: expected (1, k)")
            self.features = shape[1]

    def points(self, candidates: Array) -> Array:
        """Model inputs of candidates (n, d), shape (n, features + d).

        Raises ValueError if a feature is not finite.
        """
        if self._features is None:
            return candidates
        features = self._features(candidates)
        if not np.isfinite(features).all():
            raise ValueError("features are not finite for some candidate in [0, 1]^d")
        return np.hstack([features, candidates])
