# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Adapters of evolution strategies, differential evolution and similar methods.

An adapter calls `objective` with candidates in [0, 1]^d until it raises; it returns f (minimised).
The caller counts the budget. A converged strategy restarts elsewhere with twice the population
(IPOP, Auger and Hansen, 2005).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Objective = Callable[[ArrayLike], float]

SIGMA = 0.3  # initial step size, relative to the cube's width


def _starts(dimension: int, seed: int) -> Iterator[tuple[Array, int]]:
    """Mean and population size of each start; the first is at the centre."""
    rng = np.random.default_rng(seed)
    usual = 4 + int(3 * math.log(dimension))
    for restart in itertools.count():
        yield rng.random(dimension) if restart else np.full(dimension, 0.5), usual * 2**restart


def pycma(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """CMA-ES of pycma, its defaults."""
    from cma import CMAEvolutionStrategy

    for mean, options in _pycma_starts(dimension, seed):
        strategy = CMAEvolutionStrategy(mean, SIGMA, options)
        while not strategy.stop():
            candidates = strategy.ask()
            strategy.tell(candidates, [objective(x) for x in candidates])


def lq_cmaes(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """CMA-ES of pycma with a linear-quadratic surrogate (Hansen, 2019), its defaults."""
    from cma import fmin_lq_surr2

    for mean, options in _pycma_starts(dimension, seed):
        fmin_lq_surr2(objective, mean, SIGMA, options)


def _pycma_starts(dimension: int, seed: int) -> Iterator[tuple[list[float], dict[str, Any]]]:
    for restart, (mean, population) in enumerate(_starts(dimension, seed)):
        options = {"bounds": [0.0, 1.0], "verbose": -9, "popsize": population}
        # a seed of 0 would be the clock
        yield mean.tolist(), {**options, "seed": 1000 * seed + restart + 1}


def cmaes(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """CMA-ES of the package cmaes."""
    from cmaes import CMA

    _cmaes(CMA, objective, dimension, seed)


def sep_cmaes(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """Separable CMA-ES of the package cmaes."""
    from cmaes import SepCMA

    _cmaes(SepCMA, objective, dimension, seed)


def _cmaes(strategy: Any, objective: Objective, dimension: int, seed: int) -> None:
    bounds = np.tile([0.0, 1.0], (dimension, 1))
    for restart, (mean, population) in enumerate(_starts(dimension, seed)):
        cma = strategy(
            mean, SIGMA, bounds=bounds, seed=1000 * seed + restart, population_size=population
        )
        with np.errstate(invalid="ignore"):  # a converged SepCMA
            while not cma.should_stop():
                asked = [cma.ask() for _ in range(population)]
                cma.tell([(x, objective(x)) for x in asked])


def scipy_slsqp(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """scipy's SLSQP with finite differences, restarted from random points."""
    from scipy.optimize import minimize

    for mean, _ in _starts(dimension, seed):
        minimize(objective, mean, method="SLSQP", bounds=[(0.0, 1.0)] * dimension)


def scipy_de_small(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """scipy's differential evolution with a population of 2 d, for a small budget."""
    from scipy.optimize import differential_evolution

    for restart in itertools.count():
        differential_evolution(
            objective, [(0.0, 1.0)] * dimension, popsize=2, maxiter=10**6, polish=False,
            seed=np.random.default_rng([seed, restart]),
        )  # fmt: skip


def nevergrad_ngopt(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """NGOpt, nevergrad's choice for the budget."""
    with suppress(ImportError):  # a name of old that nevergrad 1.0 imports, but NGOpt does not use
        import bayes_opt

        vars(bayes_opt).setdefault("UtilityFunction", None)
    import nevergrad
    from nevergrad.optimization import metamodel

    # nevergrad 1.0 needs float() of an array with one element, which NumPy 2.4 refuses.
    metamodel.float = lambda value: np.asarray(value).item()
    cube = nevergrad.p.Array(shape=(dimension,), lower=0.0, upper=1.0)
    cube.random_state.seed(seed)
    optimizer = nevergrad.optimizers.NGOpt(parametrization=cube, budget=budget)
    while True:
        asked = optimizer.ask()
        optimizer.tell(asked, objective(asked.value))


def random_search(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """Uniform random candidates: the baseline for all methods."""
    rng = np.random.default_rng(seed)
    while True:
        objective(rng.random(dimension))
