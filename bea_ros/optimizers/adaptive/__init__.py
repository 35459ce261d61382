# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO, EA and BEA that adapt to the landscape.

They extend the paper's algorithms, and perform best in docs/optimizers.md. They are the default.
"""

from bea_ros.optimizers.adaptive.bayesian import BayesianOptimizer
from bea_ros.optimizers.adaptive.bea import BayesianEvolutionaryAlgorithm
from bea_ros.optimizers.adaptive.evolutionary import EvolutionaryAlgorithm

__all__ = ["BayesianEvolutionaryAlgorithm", "BayesianOptimizer", "EvolutionaryAlgorithm"]
