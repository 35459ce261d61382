# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The algorithms of Lan, Tomczak, Roijers and Eiben, "Time Efficiency in Optimization with a
Bayesian-Evolutionary Algorithm", as printed, to be read beside it.

    s* = max f(s)                       eq. 1          ../optimizer.py     Optimizer.best
    delta, c, G_(k,i), k + 10 = i       section III    ../time_efficiency.py
    Matern 5/2, theta, r                eq. 2          ../gaussian_process.py  matern52
    mu, sigma, K                        eq. 3 to 5     ../gaussian_process.py  GaussianProcess
    GP-UCB, nu, tau_t, gamma            eq. 6          acquisition.py
    BO: N_I, m(s), t                    section IV-A   bayesian.py
    sigma'_j, tau, tau', epsilon_0      eq. 7          mutation.py         mutated_step
    x'_j, sigma''                       eq. 8, 9       mutation.py         SelfAdaptiveMutation
    sigma''_i, alpha, beta, delta_(k,i) eq. 10         mutation.py         GainAwareStep
    L_j, U_j: out of bounds             Algorithm 2    mutation.py         drawn_inside
    EA: p, rates, tournament, elitism   IV-B, VI-A     evolutionary.py
    BEA: N_s, its three stages          Algorithm 1    bea.py
    S1 to S4, K = p, d                  section V-A    ../transfer.py
    when G of BO is below the EA's      section V-A    ../switching.py

Each module says how it reads what the paper leaves open or contradicts. released.py has the
differences of the authors' published code.
"""

from bea_ros.optimizers.paper.bayesian import BayesianOptimizer
from bea_ros.optimizers.paper.bea import BayesianEvolutionaryAlgorithm
from bea_ros.optimizers.paper.evolutionary import EvolutionaryAlgorithm
from bea_ros.optimizers.paper.released import (
    ReleasedBayesianOptimizer,
    ReleasedBea,
    ReleasedEvolutionaryAlgorithm,
)

__all__ = [
    "BayesianEvolutionaryAlgorithm",
    "BayesianOptimizer",
    "EvolutionaryAlgorithm",
    "ReleasedBayesianOptimizer",
    "ReleasedBea",
    "ReleasedEvolutionaryAlgorithm",
]
