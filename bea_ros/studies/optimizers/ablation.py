# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What each heuristic of the default profile is worth: runs without it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from bea_ros.optimizers.adaptive.model import hyperparameters

ALONE = (*hyperparameters.LOG_PRIORS[:2], np.array([0.0] + [-math.inf] * 9), np.zeros(7))

# By name: what replaces an attribute of a module of bea_ros.optimizers.adaptive.
HEURISTICS: Mapping[str, Mapping[str, Any]] = {
    "portfolio": {"bayesian.SMOOTH": ()},
    "curiosity": {"bayesian.CURIOSITY_GROWTH": 1.0},
    "compression": {"bayesian.log_jacobian": lambda deficit: -math.inf},
    "outliers": {"warping.OUTLIER": math.inf, "quadratic.OUTLIER": 1e300},
    "additive": {"hyperparameters.LOG_PRIORS": ALONE},
    "ascent": {"search.ASCENT_STEPS": 0},
    "single-moves": {"candidates.ONE_ANEW": 0.0, "candidates.FEW": 0.0},
    "far-moves": {"candidates.MANY": 0.0},
    "differences": {"candidates.DIFFERENCE": 0.0, "candidates.ALONG": 0.0},
    "screening": {"valley.MOST": 1},
    "shaping": {"valley.SHAPING": 0.0},
    "suited-step": {"evolutionary.suited_step": lambda x, y, narrowest: narrowest},
    "mutation": {"operator_choice.OperatorChoice.covariance_next": lambda self: True},
    "valley": {"evolutionary.EvolutionaryAlgorithm._begin_valley": lambda self, step=None: None},
}


@contextmanager
def without(heuristic: str | None) -> Iterator[None]:
    """Do without a heuristic in the block; raises ValueError for an unknown one."""
    if heuristic is not None and heuristic not in HEURISTICS:
        raise ValueError(f"unknown heuristic '{heuristic}', only {', '.join(HEURISTICS)}")
    with ExitStack() as stack:
        for target, value in HEURISTICS.get(heuristic or "", {}).items():
            stack.enter_context(patch(f"bea_ros.optimizers.adaptive.{target}", value))
        yield
