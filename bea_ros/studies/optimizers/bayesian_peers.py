# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Adapters of Bayesian optimization packages; see evolution_peers.py."""

from __future__ import annotations

import logging
import tempfile
import warnings
from pathlib import Path
from typing import Any

from bea_ros.studies.optimizers.evolution_peers import Objective

INITIAL = 10  # random samples, as in our BO
BETA = 1.0  # of the upper confidence bound, as the paper's nu


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


def smac(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """SMAC3's HyperparameterOptimizationFacade (Lindauer et al., 2022), its defaults: a forest.

    Its other facade for numbers, with a Gaussian process, takes several seconds per candidate.
    """
    from ConfigSpace import ConfigurationSpace
    from smac import HyperparameterOptimizationFacade, Scenario
    from smac.runhistory import TrialValue

    warnings.simplefilter("ignore")
    names = [f"x{i}" for i in range(dimension)]
    cube = ConfigurationSpace(dict.fromkeys(names, (0.0, 1.0)))
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            cube, deterministic=True, n_trials=budget, seed=seed, output_directory=Path(folder)
        )
        # We evaluate; the facade demands a function all the same.
        optimizer = HyperparameterOptimizationFacade(
            scenario, lambda x, seed: 0.0, logging_level=False
        )
        while True:
            asked = optimizer.ask()
            value = objective([asked.config[name] for name in names])
            optimizer.tell(asked, TrialValue(cost=value), save=False)


def botorch_ucb(objective: Objective, dimension: int, budget: int, seed: int) -> None:
    """SingleTaskGP, fitted again at each step; upper confidence bound with 5 restarts."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.optim import optimize_acqf

    x, y = _initial(objective, INITIAL, dimension, seed)
    bounds = torch.stack([torch.zeros_like(x[0]), torch.ones_like(x[0])])
    while True:
        acquisition = UpperConfidenceBound(_fitted(x, y), beta=BETA)
        new, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=5, raw_samples=128)
        x, y = _evaluated(objective, x, y, new)


def _initial(objective: Objective, count: int, dimension: int, seed: int) -> tuple[Any, Any]:
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    x = torch.rand(count, dimension, dtype=torch.double)
    values = [-objective(point.numpy()) for point in x]
    return x, torch.tensor(values, dtype=torch.double)


def _evaluated(objective: Objective, x: Any, y: Any, new: Any) -> tuple[Any, Any]:
    import torch

    values = [-objective(point.numpy()) for point in new]
    return torch.cat([x, new]), torch.cat([y, torch.tensor(values, dtype=torch.double)])


def _fitted(x: Any, y: Any) -> Any:
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    values = (y - y.mean()) / y.std().clamp_min(1e-12)
    model = SingleTaskGP(x, values[:, None])
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model
