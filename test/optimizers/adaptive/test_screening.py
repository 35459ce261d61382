# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Screening: which offspring are worth an evaluation."""

import math

import numpy as np
import pytest

from bea_ros.optimizers.adaptive.gaussian_process import LearnedProcess
from bea_ros.optimizers.adaptive.kernel import Hyperparameters
from bea_ros.optimizers.adaptive.screening import (
    LENGTH_SCALES,
    MOST,
    NOISES,
    Archive,
    Screening,
    predict,
)
from bea_ros.optimizers.gaussian_process import squared_distances
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.optimizer import Record


def archive_of(inputs, x, fitness):
    records = [Record(one, fitness(one[None, :])[0], "initial", None, 0.0) for one in x]
    return Archive(inputs, records)


def test_screening_prefers_what_is_fitter_and_draws_more_where_it_predicts_well():
    rng = np.random.default_rng(3)
    x, offspring = rng.standard_normal((60, 4)), rng.standard_normal((40, 4))

    def fitness(points):
        return -((points - 0.5) ** 2).sum(axis=1)

    archive = archive_of(ModelInputs(4), x, fitness)
    screening = Screening()
    assert screening.drawn == 1, "nothing is known about its skill yet"
    for _ in range(20):
        chosen = screening.select(offspring, 8, archive, lambda points: points)
        screening.learn(fitness(offspring[chosen]))
    assert len({*chosen} & {*np.argsort(-fitness(offspring))[:8]}) >= 6
    assert 1 < screening.drawn <= MOST
    drawn = screening.drawn
    for _ in range(20):
        screening.select(offspring, 8, archive, lambda points: points)
        screening.learn(rng.standard_normal(8))
    assert screening.drawn < drawn


def test_screening_by_features_sees_what_parameters_hide():
    rng = np.random.default_rng(5)

    def ripples(points):
        return np.sin(200.0 * points)

    def fitness(points):
        return ripples(points).sum(axis=1)

    x, offspring = rng.random((60, 3)), rng.random((40, 3))
    best = {*np.argsort(-fitness(offspring))[:8]}
    chosen = Screening().select(offspring, 8, archive_of(ModelInputs(3, ripples), x, fitness))
    assert len({*chosen} & best) >= 7
    archive = archive_of(ModelInputs(3), x, fitness)
    chosen = Screening().select(offspring, 8, archive, lambda points: points - 0.5)
    assert len({*chosen} & best) <= 5


def test_prediction_of_screening_is_that_of_a_gaussian_process():
    rng = np.random.default_rng(4)
    x, points = rng.random((30, 3)), rng.random((5, 3))
    y = np.sin(3.0 * x).sum(axis=1)
    means = []
    for scale in LENGTH_SCALES:
        theta = scale * math.sqrt(np.median(squared_distances(x, x)))
        model = LearnedProcess(3, Hyperparameters(theta, NOISES[0]), mean="fitted")
        for one, value in zip(x, y, strict=True):
            model.add(one, value)
        means.append((model.log_likelihood(), model.posterior(points)[0]))
    expected = max(means, key=lambda pair: pair[0])[1]
    assert predict(x, y, points) == pytest.approx(expected, rel=1e-5)
