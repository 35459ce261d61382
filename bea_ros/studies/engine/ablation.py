# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Ablation of the default profile: runs without one of its heuristics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from bea_ros.optimizers.adaptive.model import hyperparameters
from bea_ros.optimizers.paper.bayesian import BayesianOptimizer
from bea_ros.studies.engine.plan import check_known

ALONE = (*hyperparameters.LOG_PRIORS[:2], np.array([0.0] + [-math.inf] * 9), np.zeros(7))

# By name: replacements of attributes of modules in bea_ros.optimizers.adaptive.
HEURISTICS: Mapping[str, Mapping[str, Any]] = {
    "latin": {"bayesian.BayesianOptimizer._random_samples": BayesianOptimizer._random_samples},
    "portfolio": {"model.search.LocalSearch.SMOOTH": (), "model.search.EvolvedSearch.SMOOTH": ()},
    "compression": {"bayesian.log_jacobian": lambda deficit: -math.inf},
    "outliers": {"model.warping.OUTLIER": math.inf, "evolution.quadratic.OUTLIER": 1e300},
    "additive": {"model.hyperparameters.LOG_PRIORS": ALONE},
    "ascent": {"model.search.ASCENT_STEPS": 0},
    "single-moves": {"model.candidates.ONE_ANEW": 0.0, "model.candidates.FEW": 0.0},
    # where candidates are compared by features, as those of robots:
    "choice": {"model.search.ModelChoice.next": lambda self, n: n % len(self._gains)},
    "generations": {"model.search.GENERATIONS": 0},
    "wide-moves": {
        "model.candidates.MANY": 0.0,
        "model.candidates.DIFFERENCE": 0.0,
        "model.candidates.FROM_OTHERS": 0.0,
    },
    "screening": {"evolution.valley.MOST": 1},
    "shaping": {"evolution.valley.SHAPING": 0.0},
    "weights": {"evolution.quadratic.LEAST_WEIGHT": 1.0},
    "suited-step": {"evolutionary.suited_step": lambda x, y, narrowest: narrowest},
    "gain-aware-step": {"evolutionary.BOUND": 1.0},
    "mutation": {"evolution.operator_choice.OperatorChoice.covariance_next": lambda self: True},
    "valley": {"evolutionary.EvolutionaryAlgorithm._begin_valley": lambda self: None},
}


@contextmanager
def without(heuristic: str | None) -> Iterator[None]:
    """Switch off a heuristic, or several joined by +, during the block; raises ValueError."""
    names = heuristic.split("+") if heuristic is not None else []
    check_known("heuristic", names, HEURISTICS)
    with ExitStack() as stack:
        for target, value in (item for name in names for item in HEURISTICS[name].items()):
            stack.enter_context(patch(f"bea_ros.optimizers.adaptive.{target}", value))
        yield
