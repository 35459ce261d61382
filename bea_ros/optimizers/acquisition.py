# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""GP-UCB, the acquisition function of the paper (eq. 6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def gp_ucb_beta(evaluations: int, dimension: int, gamma: float) -> float:
    """Return sqrt(nu tau_t) with nu = 1 and tau_t = 2 log(t^(d/2 + 2) pi^2 / (3 gamma)).

    t is the count of evaluations. The paper prints pi^2/3gamma; read as pi^2 / (3 gamma)
    (Brochu et al. 2010; Limbo). A negative tau_t (gamma above 1 and t = 1) counts as 0.
    """
    t = max(evaluations, 1)
    tau = 2.0 * ((dimension / 2.0 + 2.0) * math.log(t) + math.log(math.pi**2 / (3.0 * gamma)))
    return math.sqrt(max(tau, 0.0))


def upper_confidence_bound(
    mean: NDArray[np.float64], variance: NDArray[np.float64], beta: float
) -> NDArray[np.float64]:
    """GP-UCB(s) = mu(s) + beta sigma(s) (eq. 6)."""
    return mean + beta * np.sqrt(variance)
