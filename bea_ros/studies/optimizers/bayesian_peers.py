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
