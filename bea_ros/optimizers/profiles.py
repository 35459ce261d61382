# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO, EA and BEA by name and profile."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from bea_ros.optimizers import adaptive, paper
from bea_ros.optimizers.inputs import Features
from bea_ros.optimizers.optimizer import Optimizer

# By name, then by profile: tuned, as printed, and as in the authors' published code.
OPTIMIZERS: dict[str, dict[str, type[Optimizer]]] = {
    "bo": {
        "default": adaptive.BayesianOptimizer,
        "paper": paper.BayesianOptimizer,
        "released": paper.ReleasedBayesianOptimizer,
    },
    "ea": {
        "default": adaptive.EvolutionaryAlgorithm,
        "paper": paper.EvolutionaryAlgorithm,
        "released": paper.ReleasedEvolutionaryAlgorithm,
    },
    "bea": {
        "default": adaptive.BayesianEvolutionaryAlgorithm,
        "paper": paper.BayesianEvolutionaryAlgorithm,
        "released": paper.ReleasedBea,
    },
}
PROFILES = tuple(OPTIMIZERS["bea"])


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
        seed: on one machine, the same seed and the same fitness values give the same candidates.
        budget: number of planned evaluations.
        profile: "default" (tuned), "paper" (as printed) or "released" (as the authors' published
            code).
        start: candidates to ask first, shape (k, dimension).
        features: function of candidates (n, dimension) with values of shape (n, k). Models compare
            candidates by these values.
        options: see `OPTIMIZERS[name][profile].OPTIONS`.

    Raises:
        ValueError: a name, an option or a value is not allowed.
    """
    if name not in OPTIMIZERS:
        raise ValueError(f"unknown optimizer {name!r}: allowed is one of {', '.join(OPTIMIZERS)}")
    profiles = OPTIMIZERS[name]
    if profile not in profiles:
        raise ValueError(f"unknown profile {profile!r}: allowed is one of {', '.join(profiles)}")
    return profiles[profile](
        dimension, seed=seed, budget=budget, start=start, features=features, **options
    )
