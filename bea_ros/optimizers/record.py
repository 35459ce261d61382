# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One evaluation in the history of an optimizer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Record(NamedTuple):
    """One evaluation: candidate in [0, 1]^d, fitness (maximised), stage, and times in s.

    If the candidate was measured several times, `measurements` has all values, and `fitness` is
    their mean.
    """

    x: NDArray[np.float64]
    fitness: float
    stage: str
    evaluation_time: float | None
    overhead_time: float
    measurements: tuple[float, ...] = ()
