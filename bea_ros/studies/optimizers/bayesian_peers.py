# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Adapters of Bayesian optimization packages; see evolution_peers.py."""

from __future__ import annotations

import logging
import warnings
from typing import Any

from bea_ros.studies.optimizers.evolution_peers import Objective

INITIAL = 10  # random samples, as in our BO


def scikit_optimize(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """skopt's Optimizer, its defaults (gp_hedge)."""
    from skopt import Optimizer

    cube = [(0.0, 1.0)] * dimension
    optimizer = Optimizer(cube, random_state=seed, n_initial_points=INITIAL)
    while True:
        x = optimizer.ask()
        optimizer.tell(x, objective(x))


def bayesian_optimization(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """BayesianOptimization of bayes_opt, its defaults (UCB)."""
    from bayes_opt import BayesianOptimization

    names = [f"x{i:03d}" for i in range(dimension)]
    optimizer = BayesianOptimization(
        f=None, pbounds=dict.fromkeys(names, (0.0, 1.0)), random_state=seed, verbose=0,
        allow_duplicate_points=True,
    )  # fmt: skip
    for x in optimizer.space.random_sample(INITIAL, random_state=seed):
        optimizer.register(params=x, target=-objective(x))
    while True:
        point = optimizer.suggest()
        optimizer.register(params=point, target=-objective([float(point[name]) for name in names]))


def optuna_tpe(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """Tree-structured Parzen estimator of optuna, its default."""
    from optuna.samplers import TPESampler

    _optuna(TPESampler(seed=seed), objective, dimension)


def optuna_gp(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """GPSampler of optuna."""
    from optuna.samplers import GPSampler

    _optuna(GPSampler(seed=seed, n_startup_trials=INITIAL), objective, dimension)


def _optuna(sampler: Any, objective: Objective, dimension: int) -> None:
    import optuna

    optuna.logging.set_verbosity(logging.ERROR)
    warnings.simplefilter("ignore")
    study = optuna.create_study(sampler=sampler)
    while True:
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(dimension)]
        study.tell(trial, objective(x))
