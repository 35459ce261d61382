# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants that evolve on a model before they are evaluated.

The model is fitted to a bounded number of evaluations, so the cost of a generation does not grow.
The candidates of a generation are chosen by GP-UCB, one after the other. Each choice assumes that
the earlier ones of the generation turn out as predicted (GP-BUCB: Desautels, Krause and Burdick,
2014), which keeps them apart. The weight of sigma grows from the first candidate to the last: the
first exploit, the last explore.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.adaptive.evolution.archive import Archive
from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess
from bea_ros.optimizers.adaptive.model.hyperparameters import (
    LEARN_GROWTH,
    Correlations,
    LogPosterior,
    hyperparameters_at,
    learn,
    sample,
)
from bea_ros.optimizers.adaptive.model.kernel import Hyperparameters
from bea_ros.optimizers.adaptive.model.search import FEATURE_BETA, EvolvedSearch
from bea_ros.optimizers.adaptive.model.warping import deficits
from bea_ros.optimizers.inputs import ModelInputs

Array = NDArray[np.float64]

BEST, RECENT = 200, 200  # evaluations that the model is fitted to
LEAST_BETA = 0.5  # weight of sigma for the first of a generation


class ModelledMutants:
    """Mutants that evolve on a Gaussian process.

    Args:
        dimension: d.
        inputs: maps candidates to model inputs.
        rng: every draw comes from it.
    """

    def __init__(self, dimension: int, inputs: ModelInputs, rng: np.random.Generator) -> None:
        self._dimension = dimension
        self._inputs = inputs
        self._rng = rng
        self._hyperparameters = Hyperparameters(2.0, 1e-2)
        self._learn_at = 0

    def generation(self, mutants: Array, archive: Archive) -> Array:
        """Return a generation from mutants (m, d): as many candidates, shape (m, d)."""
        search = EvolvedSearch(self._model(archive), self._inputs, self._rng, mutants)
        chosen = []
        for beta in np.geomspace(LEAST_BETA, FEATURE_BETA, len(mutants)):
            chosen.append(search.propose(archive.best, float(beta), False))
            point = self._inputs.points(chosen[-1][None, :])
            search.extend(point, search.model.posterior(point)[0])
        return np.array(chosen)

    def _model(self, archive: Archive) -> LearnedProcess:
        points, fitness = archive.all()
        y = -deficits(fitness)
        if len(y) >= self._learn_at:
            self._learn_at = math.ceil(LEARN_GROWTH * len(y))
            kept = sample(y, self._rng)
            correlations = Correlations(points[kept], self._inputs.features)
            posterior = LogPosterior(correlations, y[kept])
            self._hyperparameters = hyperparameters_at(learn(posterior, self._hyperparameters))
        ranked = np.argsort(-y, kind="stable")
        kept = np.union1d(ranked[:BEST], np.arange(len(y))[-RECENT:])
        features = self._inputs.features
        model = LearnedProcess(self._dimension, self._hyperparameters, features=features)
        model.extend(points[kept], y[kept])
        return model
