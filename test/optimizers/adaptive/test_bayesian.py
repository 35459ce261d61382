# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation: what it asks first, what it maximises, what it learns."""

import math

import numpy as np
import pytest
from loop import asked, bowl, run

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.model.candidates import ascend, moves, wide_moves
from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess, PosteriorMean
from bea_ros.optimizers.adaptive.model.hyperparameters import repetition_variance
from bea_ros.optimizers.adaptive.model.kernel import Hyperparameters
from bea_ros.optimizers.adaptive.model.search import LocalSearch, ModelChoice


def model_of(n, d=4):
    rng = np.random.default_rng(0)
    model = LearnedProcess(d, Hyperparameters(1.0, 1e-4))
    for x in rng.random((n, d)):
        model.add(x, bowl(x))
    return model


def test_the_initial_samples_of_the_default_are_a_latin_hypercube():
    optimizer = run(create("bo", 7, seed=3, initial_samples=8), 8, bowl)
    slices = np.floor(8.0 * asked(optimizer))
    np.testing.assert_array_equal(np.sort(slices, axis=0), np.tile(np.arange(8.0), (7, 1)).T)
    assert {r.stage for r in optimizer.history} == {"initial"}
    assert optimizer.stage == "bayesian"


def test_moves_stay_inside_and_move_few_or_all_coordinates():
    rng = np.random.default_rng(0)
    best = 0.5 + 0.499 * rng.choice([-1.0, 1.0], 20)  # in a corner
    points = moves(best, 2000, rng)
    assert ((points >= 0.0) & (points <= 1.0)).all()
    moved = (points != best).sum(axis=1)
    assert np.mean(moved == 1) > 0.2
    assert np.mean(moved == 20) > 0.5
    assert np.mean((points == 0.0) | (points == 1.0)) < 1e-3


def test_ascending_the_posterior_mean_never_descends():
    model = model_of(60)
    mean = PosteriorMean(model)
    for start in np.random.default_rng(5).random((20, 4)):
        end = ascend(mean, start, 12)
        assert mean(end)[0] >= mean(start)[0]
        assert ((end >= 0.0) & (end <= 1.0)).all()
    assert np.linalg.norm(ascend(mean, np.full(4, 0.6), 30) - 0.3) < 0.1


def test_candidates_keep_apart():
    x = asked(run(create("bo", 3, budget=80), 80, bowl))
    distances = np.linalg.norm(x[:, None] - x[None], axis=2) + np.eye(len(x))
    assert distances.min() >= LocalSearch.LEAST_GAP * math.sqrt(3)


def test_given_hyperparameters_are_kept():
    optimizer = run(create("bo", 3, length_scale=0.7, noise=0.01), 40, bowl)
    assert optimizer.model.hyperparameters == Hyperparameters(0.7, 0.01)


def test_a_jump_whose_square_is_no_number_is_taken():
    seen = iter([0.0] * 40 + [1e170] * 20)
    optimizer = run(create("bo", 3, budget=60, seed=1), 60, lambda x: next(seen))
    assert np.isfinite([record.x for record in optimizer.history]).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_default_finds_a_bowl_that_random_search_does_not(seed):
    optimizer = run(create("bo", 15, seed=seed, budget=80), 80, bowl)
    assert optimizer.best[1] > -0.02  # random search: about -0.7


def test_repetitions_tell_how_noisy_the_fitness_is():
    def learned_noise(repeated):
        rng = np.random.default_rng(5)
        optimizer = create("bo", 3, seed=2, budget=40)
        for _ in range(30):
            x = optimizer.ask()
            measured = [-float(np.sum((x - 0.4) ** 2)) + 0.1 * rng.standard_normal()]
            if repeated:
                measured += [measured[0] + 0.5, measured[0] - 0.5]
            optimizer.tell(x, float(np.mean(measured)), measurements=measured)
        return optimizer.model.hyperparameters.noise

    # measurements of one candidate differ more than candidates do
    assert learned_noise(repeated=True) >= 3.0 * learned_noise(repeated=False)


def test_variance_of_repetitions_is_pooled():
    assert repetition_variance([(), (3.0,)]) == (0.0, 0)
    repeated = [(1.0, 3.0), (5.0,), (0.0, 3.0, 6.0)]
    assert repetition_variance(repeated) == (pytest.approx(20.0 / 3.0), 3)


def test_wide_moves_start_from_several_good_solutions_and_go_along_their_differences():
    rng = np.random.default_rng(0)
    x, y = 0.4 + 0.2 * rng.random((40, 20)), np.arange(40.0)[::-1]
    x[:, 1:10] = 0.5  # good solutions differ in the others alone
    points = wide_moves(x, y, 2000, rng)
    assert ((points >= 0.0) & (points <= 1.0)).all()
    unmoved = points[:, None] == x[None]
    nearest = unmoved.sum(axis=2).argmax(axis=1)[unmoved.sum(axis=2).max(axis=1) == 19]
    assert set(nearest) == set(range(5))
    assert np.mean(nearest == 0) > 0.6
    along = unmoved[:, 0, 1:10].all(axis=1) & ~unmoved[:, :5, 10:].any(axis=(1, 2))
    assert 0.1 < np.mean(along) < 0.16
    assert np.mean(np.abs(points - x[0]).max(axis=1) > 0.3) > 0.2


def test_the_choice_of_a_model_follows_the_gain_and_keeps_an_eye_on_the_others():
    choice = ModelChoice(3)
    assert choice.next(1) in (1, 2), "smooth models are preferred before anything is learned"
    for n in range(200):
        choice.credit(0.3 if choice.next(n) == 0 else 0.0)
    turns = [choice.next(n) for n in range(200, 240)]
    assert turns.count(0) == 30
    assert turns.count(1) == turns.count(2) == 5


def test_the_smooth_model_knows_every_evaluation_when_it_is_asked():
    optimizer = run(create("bo", 4, seed=1), 40, bowl)
    optimizer._rescale()
    for one, length_scale in zip(optimizer._searches, (None, 1.0), strict=True):
        assert length_scale in (None, one.model.hyperparameters.length_scale)
        optimizer._catch_up(one)
        assert np.array_equal(one.model.x, asked(optimizer))
        np.testing.assert_allclose(one.model.y, optimizer._targets(optimizer._fitness))


def test_falls_now_and_then_bend_no_model():
    def reached(seed):
        falls = iter(np.random.default_rng(seed).random(80) < 0.1)
        optimizer = create("bo", 6, seed=seed)
        return run(optimizer, 80, lambda x: -1e9 if next(falls) else bowl(x)).best[1]

    assert np.mean([np.log10(-reached(seed)) for seed in (5, 6, 7)]) < -1.1
