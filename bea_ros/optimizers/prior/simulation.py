# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a simulation that learns the robot's world says of candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Standard deviation of the simulation's errors, in units of the prior's spread: as known before
# any measurement, with the weight of one, and at least.
USUAL, LEAST = 0.3, 0.1
FORGETTING = 0.8  # weight of an error, per evaluation: earlier ones are of a world learned less


@dataclass(frozen=True, eq=False)
class Simulated:
    """Fitness in the simulated world: of n evaluated candidates, and of m others.

    Attributes:
        again: fitness of the evaluated ones, in their order, shape (n,).
        candidates: others, best first, shape (m, d).
        fitness: their fitness, shape (m,).
    """

    again: Array
    candidates: Array
    fitness: Array

    def deviation(self, measured: Array, unit: float) -> float:
        """Standard deviation of the simulation's errors, from the measured fitness (n,).

        `unit` is the prior's spread.
        """
        weights = FORGETTING ** np.arange(len(measured))[::-1]
        errors = ((measured - self.again) / unit) ** 2
        usual = np.sqrt((weights @ errors + USUAL**2) / (weights.sum() + 1.0))
        return unit * max(float(usual), LEAST)


class Simulation(Protocol):
    """Searches candidates in a simulated world that it learns from the robot's motion."""

    def search(self, tried: Array, fitness: Array, starts: Array) -> Simulated:
        """Learn from the robot's last evaluation, and search.

        Args:
            tried: all evaluated candidates, shape (n, d).
            fitness: their fitness, shape (n,).
            starts: candidates from which the search begins, shape (k, d).
        """
