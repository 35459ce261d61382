# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The prior: fitness of candidates in several simulated worlds."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prior:
    """Fitness of candidates in several worlds. Reality may resemble one, several or none.

    Attributes:
        candidates: candidates in [0, 1]^d, shape (n, d).
        fitness: finite fitness in each world, shape (n, worlds).

    Raises:
        ValueError: a shape is wrong, or there are fewer than two candidates or worlds.
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
        """Mean fitness over the worlds, shape (n,)."""
        return self.fitness.mean(axis=1)

    @property
    def check(self) -> str:
        """Checksum that identifies the prior."""
        return f"{zlib.crc32(self.fitness.tobytes(), zlib.crc32(self.candidates.tobytes())):08x}"
