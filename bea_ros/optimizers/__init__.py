# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO, EA and BEA behind ask() and tell(): numpy arrays in [0, 1]^d, no ROS."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from bea_ros.optimizers.bayesian import BayesianOptimizer
from bea_ros.optimizers.bea import BayesianEvolutionaryAlgorithm
from bea_ros.optimizers.evolutionary import EvolutionaryAlgorithm
from bea_ros.optimizers.inputs import Features
from bea_ros.optimizers.optimizer import Optimizer, Record
from bea_ros.optimizers.options import PROFILES

__all__ = ["OPTIMIZERS", "PROFILES", "Optimizer", "Record", "create"]

OPTIMIZERS: dict[str, type[Optimizer]] = {
    algorithm.name: algorithm
    for algorithm in (BayesianOptimizer, EvolutionaryAlgorithm, BayesianEvolutionaryAlgorithm)
}


def create(
    name: str,
    dimension: int,
    *,
    seed: int = 0,
    budget: int = 300,
    profile: str = "default",
    start: ArrayLike = (),
    features: Features | None = None,
    **options: Any,
) -> Optimizer:
    """Return the optimizer "bo", "ea" or "bea", to maximise over [0, 1]^dimension.

    Args:
        dimension: number of parameters.
        seed: same seed and same fitness values, same candidates (on one machine).
        budget: evaluations planned.
        profile: "default" (what measures best), "paper" (as printed) or "released" (as the
            authors' published code).
        start: candidates to ask first, shape (k, dimension).
        features: what models compare candidates by instead of their parameters.
        options: see `OPTIMIZERS[name].OPTIONS`.

    Raises:
        ValueError: a name, an option or a value is not allowed.
    """
    if name not in OPTIMIZERS:
        raise ValueError(f"unknown optimizer {name!r}: allowed is one of {', '.join(OPTIMIZERS)}")
    return OPTIMIZERS[name](
        dimension,
        seed=seed,
        budget=budget,
        profile=profile,
        start=start,
        features=features,
        **options,
    )
