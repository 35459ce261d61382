# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gain per second of a run, after each evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bea_ros.optimizers.time_efficiency import WINDOW, TimeEfficiency, efficiency
from bea_ros.runs.folder.measurements import told


def gains_per_second(evaluations: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the gain in best fitness per second after each evaluation.

    It covers the last WINDOW evaluations, or fewer at the start. It is infinite if they took no
    time. Neither a given-up evaluation nor the first measured one is a gain.
    """
    if not evaluations:
        return []
    fitness = [None if r.get("given_up", False) else told(r) for r in evaluations]
    first = next((value for value in fitness if value is not None), 0.0)
    run = TimeEfficiency(
        np.array([first if value is None else value for value in fitness]),
        np.array([r["time"]["evaluation"] for r in evaluations], dtype=np.float64),
        np.array([r["time"]["overhead"] for r in evaluations], dtype=np.float64),
    )
    best, stamps = (np.pad(each, (WINDOW, 0), "edge") for each in (run.best, run.time_stamps))
    return efficiency(best, stamps, WINDOW).tolist()
