# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""CMA-ES by pycma, for comparison. pycma is optional: pip install cma."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers import Optimizer, Record

SIGMA = 0.25  # of the unit cube's width; pycma recommends a quarter to a third
LARGER = 2  # growth of the population at a restart (IPOP, Auger and Hansen, 2005)


class PycmaOptimizer(Optimizer):
    """pycma with its defaults, started at the centre of the cube, restarted on convergence."""

    name: ClassVar[str] = "cma"
    OPTIONS: ClassVar[dict[str, Any]] = {}

    def _prepare(self) -> None:
        self._restarts = 0
        self._strategy = self._start(np.full(self._dimension, 0.5))
        self._asked: list[NDArray[np.float64]] = []
        self._told: list[float] = []

    def _start(self, mean: NDArray[np.float64]) -> Any:
        from cma import CMAEvolutionStrategy, CMAOptions

        options = {
            "bounds": [0.0, 1.0],
            "verbose": -9,
            "seed": np.nan,  # random draws come from our generator
            "randn": lambda *shape: self._rng.standard_normal(shape),
        }
        usual = 4 + int(3 * np.log(self._dimension))
        options["popsize"] = usual * LARGER**self._restarts
        return CMAEvolutionStrategy(mean.tolist(), SIGMA, CMAOptions(**options))

    @property
    def stage(self) -> str:
        return "evolutionary"

    def _propose(self) -> NDArray[np.float64]:
        if len(self._told) == len(self._asked):
            if self._strategy.stop():
                self._restarts += 1
                self._strategy = self._start(self._rng.random(self._dimension))
            self._asked, self._told = self._strategy.ask(), []
        return np.asarray(self._asked[len(self._told)], dtype=np.float64)

    def _learn(self, record: Record) -> None:
        self._told.append(-record.fitness)
        if len(self._told) == len(self._asked):
            self._strategy.tell(self._asked, self._told)
