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

from bea_ros.studies.engine.plan import check_known, options_of
from bea_ros.studies.functions.problems import published_options
from bea_ros.studies.optimizers.evolution_peers import Objective


@dataclass(frozen=True)
class Peer:
    """A peer: the module of its adapter (a function with the peer's name), the packages that it
    needs, and whether it is slow (a second per candidate).
    """

    module: str
    package: str
    slow: bool = False

    @property
    def installed(self) -> bool:
        """Whether all its packages can be imported."""
        return all(find_spec(name) for name in self.package.split())


PEERS = {
    "pycma": Peer("evolution_peers", "cma"),
    "cmaes": Peer("evolution_peers", "cmaes"),
    "sep_cmaes": Peer("evolution_peers", "cmaes"),
    "lq_cmaes": Peer("evolution_peers", "cma"),
    "scipy_slsqp": Peer("evolution_peers", "scipy"),
    "scipy_de_small": Peer("evolution_peers", "scipy"),
    "nevergrad_ngopt": Peer("evolution_peers", "nevergrad"),
    "random_search": Peer("evolution_peers", "numpy"),
    "turbo": Peer("turbo_peer", "scipy", slow=True),
    "smac": Peer("bayesian_peers", "smac", slow=True),
    "optuna_tpe": Peer("bayesian_peers", "optuna", slow=True),
    "optuna_gp": Peer("bayesian_peers", "optuna torch", slow=True),
}
OURS = (
    "bea", "bo", "ea",
    "bea-paper", "bo-paper", "ea-paper",
    "bea-released", "bo-released", "ea-released",
)  # fmt: skip


def parts_of(method: str) -> tuple[str, str, dict[str, Any]]:
    """Name, profile and options of one of our optimizers; raises ValueError for an unknown one."""
    known, _, words = method.partition(":")
    check_known("optimizer", [known], OURS)
    name, _, profile = known.partition("-")
    return name, profile or "default", options_of(words.replace(",", " "))


def minimise(
    method: str,
    objective: Objective,
    dimension: int,
    budget: int,
    seed: int,
    function: str = "",
    evaluation_time: float | None = None,
) -> None:
    """Run a method, which calls the objective until that raises.

    `function` names the objective: our published profiles have settings by function. Our
    optimizers are told the `evaluation_time` (s).
    """
    if method in PEERS:
        peer = PEERS[method]
        module = importlib.import_module(f"{__package__}.{peer.module}")
        getattr(module, method)(objective, dimension, budget, seed)
        return
    # Imported here, as these modules would count as a peer's memory.
    from bea_ros.optimizers import create
    from bea_ros.studies.engine.ablation import without

    name, profile, options = parts_of(method)
    own = published_options(function, name, profile)
    with without(options.pop("without", None)):
        settings = {"seed": seed, "budget": budget, "profile": profile, **own, **options}
        optimizer = create(name, dimension, **settings)
        while True:
            x = optimizer.ask()
            optimizer.tell(x, -objective(x), evaluation_time=evaluation_time)
