# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""GP-UCB, the acquisition function of the paper (eq. 6), and the search for its maximum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NU = 1.0
SPREAD = -3.0, -0.5  # decades of the standard deviation of local points


def log_tau(t: int, dimension: int, gamma: float) -> float:
    """log(t^(d/2 + 2) pi^2 / (3 gamma)), half of tau_t; -inf for t = 0."""
    log_t = math.log(t) if t else -math.inf
    return (dimension / 2.0 + 2.0) * log_t + math.log(math.pi**2 / (3.0 * gamma))


def sqrt_nu_tau(t: int, dimension: int, gamma: float) -> float:
    """sqrt(nu tau_t), with tau_t = 2 log(t^(d/2 + 2) pi^2 / (3 gamma)), t evaluations.

    The paper prints pi^2/3gamma; read as pi^2 / (3 gamma) (Brochu et al. 2010; Limbo). A negative
    tau_t (few evaluations, and gamma above pi^2 / 3) counts as 0.
    """
    return math.sqrt(NU * max(2.0 * log_tau(t, dimension, gamma), 0.0))


def gp_ucb(mean: Array, variance: Array, weight: float) -> Array:
    """GP-UCB(s) = mu(s) + sqrt(nu tau_t) sigma(s) (eq. 6), the weight being sqrt(nu tau_t)."""
    return mean + weight * np.sqrt(variance)


def uniform_and_local(best: Array, count: int, rng: np.random.Generator) -> Array:
    """Return points for GP-UCB, half uniform and half Gaussian around the best, shape (count, d).

    They can be evaluated in one batch; DIRECT evaluates one point after another.
    """
    points = rng.random((count, len(best)))
    half = count // 2
    spread = 10.0 ** rng.uniform(*SPREAD, (half, 1))
    points[:half] = np.clip(best + spread * rng.standard_normal((half, len(best))), 0.0, 1.0)
    return points


def import_nlopt() -> Any:
    """Import NLopt, which only these profiles need; raises ValueError if it is missing."""
    try:
        import nlopt
    except ImportError:
        raise ValueError(
            "search='direct', the paper's, needs NLopt: pip install nlopt, or sudo "
            "apt install python3-nlopt; search='fresh' does without"
        ) from None
    return nlopt


def direct(
    function: Callable[[Array], float], dimension: int, evaluations: int, seed: int
) -> Array:
    """Return the point of [0, 1]^dimension with the largest value that DIRECT found, shape (d,).

    The search is Limbo's (opt/nlopt_no_grad.hpp): NLopt's GN_DIRECT_L_RAND, the locally biased
    DIRECT that divides a random one of a rectangle's longest sides. It stops after `evaluations`.
    SciPy's `direct` is another variant: it divides all sides of a cube, in 2 d evaluations.
    """
    nlopt = import_nlopt()
    best, found = -math.inf, np.full(dimension, 0.5)

    def watched(x: Array, gradient: Array) -> float:
        nonlocal best, found
        value = function(x)
        if value > best:
            best, found = value, x.copy()
        return value

    search = nlopt.opt(nlopt.GN_DIRECT_L_RAND, dimension)
    search.set_max_objective(watched)
    search.set_lower_bounds(0.0)
    search.set_upper_bounds(1.0)
    search.set_maxeval(evaluations)
    nlopt.srand(seed)
    search.optimize(np.full(dimension, 0.5))  # a required argument that DIRECT ignores
    return found
