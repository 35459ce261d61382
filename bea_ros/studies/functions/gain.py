# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gains per second, and the evaluation at which BO's falls behind the EA's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bea_ros.optimizers.time_efficiency import efficiency
from bea_ros.studies.engine.results import Result

Array = NDArray[np.float64]

SMOOTHED = 5  # windows of ten evaluations in the mean of a shown gain


def gain_per_second(runs: Sequence[Result], evaluation_time: float) -> tuple[Array, Array]:
    """Evaluations (m,), and the mean over runs of the gain in f per second since the previous
    point, usually ten evaluations before (m,).
    """
    gains = [efficiency(-run.best, run.times(evaluation_time), 1) for run in runs]
    return runs[0].evaluation[1:], np.mean(gains, axis=0)


def smooth(values: Array) -> Array:
    """Moving mean over SMOOTHED values, fewer at the ends."""
    shown = pd.Series(values).rolling(SMOOTHED, center=True, min_periods=1).mean()
    return shown.to_numpy()


def switch_point(evaluations: Array, bo: Array, ea: Array) -> float:
    """Evaluation at which the EA's gain per second overtakes BO's; NaN if it never does.

    Noisy curves cross often. The chosen crossing maximises the sum of BO's lead up to it: before
    it BO is better, after it the EA.
    """
    lead = np.cumsum(bo - ea)
    if not lead.size or lead.max() <= 0.0:  # the EA always leads
        return float(evaluations[0]) if evaluations.size else math.nan
    last = int(np.flatnonzero(lead == lead.max())[-1])
    return float(evaluations[last]) if last + 1 < len(lead) else math.nan
