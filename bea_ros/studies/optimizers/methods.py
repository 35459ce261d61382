# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The compared methods: our optimizers by profile and with options, and the peers.

Names of ours are like bea, bea-paper or bea:switch=500,restarts=false.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from bea_ros.studies.engine.plan import options_of
from bea_ros.studies.functions.problems import published_options
from bea_ros.studies.optimizers.evolution_peers import Objective


@dataclass(frozen=True)
class Peer:
    """A peer: the module of its adapter (a function with the peer's name), the packages to
    `pip install`, the names of their modules, and whether it is slow (a second per candidate).
    """

    module: str
    package: str
    imports: tuple[str, ...]
    slow: bool = False

    @property
    def installed(self) -> bool:
        """Whether all its modules can be imported."""
        return all(find_spec(name) for name in self.imports)


def _peers() -> dict[str, Peer]:
    def family(module: str, *rows: tuple[str, str, str, bool]) -> dict[str, Peer]:
        return {
            name: Peer(module, package, tuple(imports.split()), slow)
            for name, package, imports, slow in rows
        }

    return {
        **family(
            "evolution_peers",
            ("pycma", "cma", "cma", False),
            ("cmaes", "cmaes", "cmaes", False),
            ("sep_cmaes", "cmaes", "cmaes", False),
            ("lq_cmaes", "cma", "cma", False),
            ("scipy_slsqp", "scipy", "scipy", False),
            ("scipy_de", "scipy", "scipy", False),
            ("scipy_de_small", "scipy", "scipy", False),
            ("nevergrad_ngopt", "nevergrad", "nevergrad", False),
            ("nevergrad_de", "nevergrad", "nevergrad", False),
            ("random_search", "numpy", "numpy", False),
        ),
        **family(
            "botorch_peers",
            ("turbo", "botorch", "botorch torch", True),
            ("botorch_ucb", "botorch", "botorch torch", True),
        ),
        **family(
            "bayesian_peers",
            ("scikit_optimize", "scikit-optimize", "skopt", True),
            ("bayesian_optimization", "bayesian-optimization", "bayes_opt", True),
            ("optuna_tpe", "optuna", "optuna", True),
            ("optuna_gp", "optuna torch", "optuna torch", True),
        ),
    }


PEERS = _peers()
OURS = (
    "bea", "bo", "ea",
    "bea-paper", "bo-paper", "ea-paper",
    "bea-released", "bo-released", "ea-released",
)  # fmt: skip


def parts_of(method: str) -> tuple[str, str, dict[str, Any]]:
    """Name, profile and options of one of our optimizers; raises ValueError for an unknown one."""
    known, _, words = method.partition(":")
    if known not in OURS:
        raise ValueError(f"unknown optimizer '{known}', only {', '.join(OURS)}")
    name, _, profile = known.partition("-")
    return name, profile or "default", options_of(words.replace(",", " "))


def minimise(
    method: str, objective: Objective, dimension: int, budget: int, seed: int, function: str = ""
) -> None:
    """Run a method, which calls the objective until that raises.

    `function` names the objective: our published profiles have settings by function.
    """
    if method in PEERS:
        peer = PEERS[method]
        module = importlib.import_module(f"{__package__}.{peer.module}")
        getattr(module, method)(objective, dimension, budget, seed)
        return
    # Imported here, as these modules would count as a peer's memory.
    from bea_ros.optimizers import create
    from bea_ros.studies.optimizers.ablation import without

    name, profile, options = parts_of(method)
    own = published_options(function, name, profile)
    with without(options.pop("without", None)):
        settings = {"seed": seed, "budget": budget, "profile": profile, **own, **options}
        optimizer = create(name, dimension, **settings)
        while True:
            x = optimizer.ask()
            optimizer.tell(x, -objective(x))
