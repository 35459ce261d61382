# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of a fitness beforehand."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prior:
    """Fitness of candidates in several worlds, of which reality may be like any, or like none.

    Attributes:
        candidates: in [0, 1]^d, shape (n, d).
        fitness: in each world, shape (n, worlds), finite.

    Raises ValueError for other shapes, or fewer than two candidates or worlds.
    """

    candidates: Array
    fitness: Array

    def __post_init__(self) -> None:
        x, f = self.candidates, self.fitness
        if x.ndim != 2 or f.ndim != 2 or len(x) != len(f) or len(x) < 2 or f.shape[1] < 2:
            raise ValueError(f"a prior of candidates {x.shape} with fitness {f.shape}")
        if not (np.isfinite(f).all() and (x >= 0.0).all() and (x <= 1.0).all()):
            raise ValueError("a prior's candidates must be in [0, 1]^d and its fitness finite")

    @property
    def expected(self) -> Array:
        """Mean over the worlds, shape (n,)."""
        return self.fitness.mean(axis=1)

    @property
    def check(self) -> str:
        """A word that tells priors apart."""
        return f"{zlib.crc32(self.fitness.tobytes(), zlib.crc32(self.candidates.tobytes())):08x}"
