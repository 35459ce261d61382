# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""GP-UCB, the acquisition function of the paper (eq. 6), and where it is looked at."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NU = 1.0
SPREAD = -3.0, -0.5  # decades of the standard deviation of local points


def sqrt_nu_tau(t: int, dimension: int, gamma: float) -> float:
    """sqrt(nu tau_t), with tau_t = 2 log(t^(d/2 + 2) pi^2 / (3 gamma)), t evaluations.

    The paper prints pi^2/3gamma; read as pi^2 / (3 gamma) (Brochu et al. 2010; Limbo). A negative
    tau_t (gamma above 1 and t = 1) counts as 0.
    """
    log_t = math.log(max(t, 1))
    tau = 2.0 * ((dimension / 2.0 + 2.0) * log_t + math.log(math.pi**2 / (3.0 * gamma)))
    return math.sqrt(NU * max(tau, 0.0))


def gp_ucb(mean: Array, variance: Array, weight: float) -> Array:
    """GP-UCB(s) = mu(s) + sqrt(nu tau_t) sigma(s) (eq. 6), the weight being sqrt(nu tau_t)."""
    return mean + weight * np.sqrt(variance)


def uniform_and_local(best: Array, count: int, rng: np.random.Generator) -> Array:
    """Return points for GP-UCB, half uniform and half Gaussian around the best, shape (count, d).

    The paper leaves the search to Limbo (DIRECT, 500 evaluations), which takes point after
    point; these can be evaluated at once.
    """
    points = rng.random((count, len(best)))
    half = count // 2
    spread = 10.0 ** rng.uniform(*SPREAD, (half, 1))
    points[:half] = np.clip(best + spread * rng.standard_normal((half, len(best))), 0.0, 1.0)
    return points
