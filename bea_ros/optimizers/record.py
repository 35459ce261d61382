# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One evaluation, as an optimizer keeps it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Record(NamedTuple):
    """One evaluation: candidate in [0, 1]^d, fitness (maximised), stage, and times in s.

    Of a candidate that was tried several times, `measurements` are all, and `fitness` their mean.
    """

    x: NDArray[np.float64]
    fitness: float
    stage: str
    evaluation_time: float | None
    overhead_time: float
    measurements: tuple[float, ...] = ()
