# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The loop between an optimizer and an objective, for the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from bea_ros.optimizers import Optimizer, create


def run(optimizer: Any, count: int, fitness: Callable[[Any], float], **times: float) -> Any:
    """Ask and tell so often; returns the optimizer."""
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness(x), **times)
    return optimizer


def bowl(x: Any) -> float:
    """A fitness that is best, and 0, at 0.3."""
    return -float(((x - 0.3) ** 2).sum())


def stages(optimizer: Optimizer) -> list[str]:
    """The stage of each evaluation."""
    return [record.stage for record in optimizer.history]


def asked(optimizer: Optimizer) -> Any:
    """The candidates of all evaluations, shape (n, d)."""
    return np.array([record.x for record in optimizer.history])


def resumed(fresh: Optimizer, optimizer: Optimizer) -> Optimizer:
    """A fresh optimizer that takes the state of another, by way of JSON."""
    fresh.restore(json.loads(json.dumps(optimizer.state())))
    return fresh


BEA_SWITCH = {"bea": {"switch": 25}}
FEW = {"acquisition_evaluations": 100}  # of DIRECT, which would take most of the time


def made(
    name: str,
    profile: str = "default",
    dimension: int = 4,
    seed: int = 1,
    budget: int = 60,
    **options: Any,
) -> Optimizer:
    """An optimizer; BEA's soon leaves BO, and that of the publication searches shortly."""
    few = {} if name == "ea" or profile == "default" else FEW
    options = {**BEA_SWITCH.get(name, {}), **few, **options}
    return create(name, dimension, seed=seed, budget=budget, profile=profile, **options)


def bumpy(x: Any) -> float:
    """A fitness with several maxima."""
    return float(np.sin(7.0 * x).sum() - ((x - 0.3) ** 2).sum())


def advance(optimizer: Optimizer, count: int, fitness: Callable[[Any], float] = bumpy) -> Any:
    """Ask and tell so often; returns what was asked, shape (count, d)."""
    return asked(run(optimizer, count, fitness))[-count:]
