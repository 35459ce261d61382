# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the paper's algorithms cost on the paper's machine, to judge by it what it says of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.studies.engine.results import Result

LAST, AT = 12.5, 1500  # s that BO takes for its 1500th candidate: 11 to 14 (paper, section VII-B)

Array = NDArray[np.float64]


def overhead(result: Result, switch: int) -> Array:
    """Overhead so far (s) at each point of a run's curve: cubic in BO's evaluations, as the paper
    says and draws it, and none of the EA's. `switch` is where BEA leaves BO.
    """
    family = result.algorithm.split("-")[0]
    last = {"bo": np.inf, "bea": switch, "ea": 0}.get(family, np.nan)
    return LAST * AT / 4.0 * (np.minimum(result.evaluation, last) / AT) ** 4


def times(result: Result, switch: int, evaluation_time: float) -> Array:
    """Computation time (s) at each point, if each evaluation takes `evaluation_time` s."""
    return evaluation_time * result.evaluation + overhead(result, switch)
