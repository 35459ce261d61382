# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Warm start: first candidates of a run, from another run of the same robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.transfer import select
from bea_ros.robots.cpg import from_weights, to_weights
from bea_ros.runs.folder.head import RunFolderError, read_request
from bea_ros.runs.folder.measurements import measured
from bea_ros.runs.folder.run_folder import read_evaluations

TOP = 25.0  # percent of a run's candidates that count as good
CLUSTERS_SEED = 1


def start_candidates(
    folder: Path, names: list[str], weight_range: float, count: int
) -> NDArray[np.float64]:
    """Return good and diverse candidates of a run, best first, shape (count, d) in [0, 1]^d.

    They are the best candidate of each of `count` clusters of the best quarter (the paper's
    transfer S4).

    Args:
        folder: the folder of the run.
        names: names of the d weights.
        weight_range: range of the weights (1/s).
        count: number of candidates.

    Raises:
        RunFolderError: the run has too few evaluations, another robot, or larger weights.
    """
    if read_request(folder) is None:
        raise RunFolderError(f"warm_start: {folder} is not the folder of a run")
    records = measured(read_evaluations(folder))
    if len(records) < count:
        raise RunFolderError(f"warm_start: {folder} has {len(records)} measurements, not {count}")
    if any(set(record["parameters"]) != set(names) for record in records):
        raise RunFolderError(f"warm_start: {folder} is of a robot with other CPG weights")
    weights = np.array([[r["parameters"][name] for name in names] for r in records], float)
    fitness = np.array([r["fitness"] for r in records], float)
    x = best_and_diverse(from_weights(weights, weight_range), fitness, count)
    return within(folder, x, weight_range)


def within(
    folder: Path, candidates: NDArray[np.float64], weight_range: float
) -> NDArray[np.float64]:
    """Return candidates of a run, (..., d), in [0, 1]; raises RunFolderError if one is beyond.

    With a clipped weight it would be another gait.
    """
    largest = float(np.abs(to_weights(candidates, weight_range)).max())
    if largest > weight_range * (1.0 + 1e-9):
        raise RunFolderError(
            f"{folder} has a CPG weight of {largest:g} /s, beyond the weight_range of "
            f"{weight_range:g}: give the run's own"
        )
    return np.clip(candidates, 0.0, 1.0)


def best_and_diverse(
    x: NDArray[np.float64], fitness: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Return the best of each of `count` clusters of good candidates (n, d), best first."""
    chosen = select("S4", x, fitness, count, top=TOP, seed=CLUSTERS_SEED)
    return x[chosen[np.argsort(-fitness[chosen], kind="stable")]]
