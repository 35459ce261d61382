# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Synthetic functions on the unit cube, to be maximised: -f, with f = 0 at a known optimum.

`authors` has the domains of the paper's released code, `textbook` the usual ones. `shifted` moves
the optimum off the centre, so a bias to the centre has no advantage. `rotated` also turns the
axes, so moves along single coordinates have none. Beyond +-500, Schwefel's function has lower
values than in its domain. There it is continued as in the CEC 2014 competition (Liang, Qu and
Suganthan, 2013).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Formula = Callable[[Array], float]

SHIFT = 0.3  # largest distance of a shifted optimum from the centre, in each coordinate
# Where x sin(sqrt(x)) has its largest value within 500, from its derivative's root.
SCHWEFEL_OPTIMUM = 420.9687463599821
SCHWEFEL_DEPTH = SCHWEFEL_OPTIMUM * math.sin(math.sqrt(SCHWEFEL_OPTIMUM))


def schwefel(z: Array) -> float:
    """d * 418.98... - sum z sin(sqrt|z|)."""
    inside = np.clip(z, -500.0, 500.0)
    outside = z - inside
    # Beyond the domain it is mirrored at the edge, with a growing penalty.
    folded = np.sign(z) * (500.0 - np.mod(np.abs(z), 500.0))
    y = np.where(outside == 0.0, z, folded)
    values = y * np.sin(np.sqrt(np.abs(y))) - outside**2 / (10000.0 * len(z))
    return float(np.sum(SCHWEFEL_DEPTH - values))


def griewank(z: Array) -> float:
    """sum z^2 / 4000 - prod cos(z_i / sqrt(i)) + 1."""
    cosines = np.cos(z / np.sqrt(np.arange(1, len(z) + 1)))
    return float(np.sum(z**2) / 4000.0 - np.prod(cosines) + 1.0)


def rastrigin(z: Array) -> float:
    """sum z^2 - 10 cos(2 pi z) + 10."""
    return float(np.sum(z**2 - 10.0 * np.cos(2.0 * np.pi * z) + 10.0))


def ackley(z: Array) -> float:
    """20 + e - 20 exp(-0.2 sqrt(mean z^2)) - exp(mean cos(2 pi z))."""
    bowl = -20.0 * math.expm1(-0.2 * math.sqrt(float(np.mean(z**2))))
    return bowl + math.e - math.exp(float(np.mean(np.cos(2.0 * np.pi * z))))


def rosenbrock(z: Array) -> float:
    """sum 100 (z_(i+1) - z_i^2)^2 + (1 - z_i)^2."""
    return float(np.sum(100.0 * (z[1:] - z[:-1] ** 2) ** 2 + (1.0 - z[:-1]) ** 2))


FORMULAS: dict[str, tuple[Formula, float]] = {  # and the coordinates of their optimum
    "schwefel": (schwefel, SCHWEFEL_OPTIMUM),
    "griewank": (griewank, 0.0),
    "rastrigin": (rastrigin, 0.0),
    "ackley": (ackley, 0.0),
    "rosenbrock": (rosenbrock, 1.0),
}
DOMAINS: dict[str, dict[str, tuple[float, float]]] = {
    "authors": {"schwefel": (200.0, 500.0), "griewank": (-5.0, 5.0), "rastrigin": (-2.0, 2.0)},
    "textbook": {
        "schwefel": (-500.0, 500.0),
        "griewank": (-600.0, 600.0),
        "rastrigin": (-5.12, 5.12),
    },
    "rotated": {
        "rastrigin": (-5.12, 5.12),
        "griewank": (-600.0, 600.0),
        "ackley": (-32.768, 32.768),
        "rosenbrock": (-5.0, 10.0),
    },
}
GROUPS = {
    group: tuple(f"{name}-{group}" for name in DOMAINS[group.removesuffix("-shifted")])
    for group in ("authors", "authors-shifted", "textbook", "textbook-shifted", "rotated")
}
NAMES = tuple(name for group in GROUPS.values() for name in group)
# theta of BO's kernel on the unit cube, in the paper (section VI-A) and in its released code
LENGTH_SCALES = {"schwefel": 0.5, "griewank": 0.1, "rastrigin": 0.1}


@dataclass(frozen=True, eq=False)
class Function:
    """A function on [0, 1]^d to be maximised; its largest value is 0.

    Attributes:
        name: one of NAMES.
        optimum: where the value is 0, shape (d,), in [0, 1]^d.
    """

    name: str
    optimum: Array
    _formula: Formula
    _optimum_there: float
    _axes: Array  # (d, d), from the unit cube to the formula's coordinates

    def __call__(self, x: ArrayLike) -> float:
        """-f at x, shape (d,)."""
        return -self._formula(self.coordinates(x))

    def coordinates(self, x: ArrayLike) -> Array:
        """The formula's coordinates for x, shape (d,)."""
        difference = np.asarray(x, dtype=np.float64) - self.optimum
        return self._axes @ difference + self._optimum_there


def create(name: str, dimension: int = 20, seed: int = 0) -> Function:
    """The function of a name; the seed determines its shift and rotation, if any.

    Raises ValueError for an unknown name, or a dimension below 2.
    """
    if name not in NAMES:
        raise ValueError(f"unknown function '{name}': allowed is one of {', '.join(NAMES)}")
    if dimension < 2:
        raise ValueError(f"dimension={dimension}: at least 2 is expected")
    formula_name, domain, *shifted = name.split("-")
    formula, there = FORMULAS[formula_name]
    low, high = DOMAINS[domain][formula_name]
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    optimum = np.full(dimension, (there - low) / (high - low))
    axes = (high - low) * np.eye(dimension)
    if shifted or domain == "rotated":
        optimum = 0.5 + rng.uniform(-SHIFT, SHIFT, dimension)
    if domain == "rotated":
        axes = (high - low) * rotation(dimension, rng)
    return Function(name, optimum, formula, there, axes)


def rotation(dimension: int, rng: np.random.Generator) -> Array:
    """A random orthogonal matrix, uniform (Haar) by QR with the signs of R's diagonal."""
    q, r = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    return q * np.sign(np.diag(r))


def published_options(name: str, algorithm: str, profile: str) -> dict[str, Any]:
    """Options that profiles "paper" and "released" set by function: theta of BO, and so of BEA.

    For other functions there are none, so the profile's own value holds.
    """
    theta = LENGTH_SCALES.get(name.split("-")[0])
    if profile == "default" or algorithm == "ea" or theta is None:
        return {}
    return {"length_scale": theta}


def select(words: Iterable[str]) -> tuple[str, ...]:
    """Names of functions from words, each a name or a group; raises ValueError for others."""
    known = GROUPS | {name: (name,) for name in NAMES}
    for word in words:
        if word not in known:
            raise ValueError(f"unknown function '{word}': allowed is one of {', '.join(known)}")
    return tuple(dict.fromkeys(name for word in words for name in known[word]))
