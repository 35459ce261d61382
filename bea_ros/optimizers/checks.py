# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of an optimizer's arguments. Each raises ValueError with a message of one line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def points(name: str, value: ArrayLike, dimension: int) -> NDArray[np.float64]:
    """Points (k, d) in [0, 1]^d; raises ValueError."""
    given = np.array(value, dtype=np.float64)
    if not given.size:
        return np.empty((0, dimension))
    inside = bool(((given >= 0.0) & (given <= 1.0)).all())
    if given.ndim != 2 or given.shape[1] != dimension or not inside:
        raise ValueError(f"{name} of shape {given.shape}: points in [0, 1]^{dimension} expected")
    return given


def shaped(what: str, x: ArrayLike, dimension: int) -> NDArray[np.float64]:
    """One point (d,); raises ValueError."""
    given = np.asarray(x, dtype=np.float64)
    if given.shape != (dimension,):
        raise ValueError(f"{what} of shape {given.shape}: expected ({dimension},)")
    return given


def whole(name: str, value: Any, low: int) -> int:
    """An integer not below `low`; raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise ValueError(f"{name}={value!r}: an integer >= {low} is expected")
    return int(value)


def finite(name: str, value: Any, low: float = -math.inf) -> float:
    """A finite number not below `low`; raises ValueError."""
    try:
        number = float(value)
    except OverflowError:  # an integer larger than any float
        number = math.inf
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a number") from None
    if not math.isfinite(number) or number < low:
        raise ValueError(
            f"{name}={number} is refused: a finite number{'' if low < 0 else ' >= 0'} is expected"
        )
    return number
