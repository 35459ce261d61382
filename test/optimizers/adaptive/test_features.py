# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates compared by features instead of parameters."""

import json

import numpy as np
import pytest
from loop import advance, run
from sklearn.gaussian_process.kernels import Matern

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.evolution.archive import Archive
from bea_ros.optimizers.adaptive.evolution.modelled import BEST, RECENT, ModelledMutants
from bea_ros.optimizers.adaptive.evolution.operator_choice import OperatorChoice
from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess
from bea_ros.optimizers.adaptive.model.kernel import AdditiveKernel, Hyperparameters
from bea_ros.optimizers.adaptive.model.search import EvolvedSearch
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.optimizer import Record
from bea_ros.optimizers.paper.acquisition import gp_ucb

D = 6


def phases(x):
    """Phases that run round ten times over the cube: parameters far apart may be alike."""
    angle = 20.0 * np.pi * x
    return 0.3 * np.hstack([np.cos(angle), np.sin(angle)])


def fitness(x):
    """Depends on the phases alone, and smoothly."""
    target = phases(np.linspace(0.02, 0.08, D)[None, :])
    return -float(np.sum((phases(x[None, :]) - target) ** 2))


def learn(algorithm, count, **arguments):
    return run(create(algorithm, D, budget=1500, **arguments), count, fitness)


def test_distances_are_those_of_the_features_and_ripples_those_of_the_parameters():
    x = np.random.default_rng(0).random((7, D))
    inputs = ModelInputs(D, phases)
    points = inputs.points(x)
    kernel = AdditiveKernel(Hyperparameters(0.7), D, inputs.features)
    embedded = kernel.embed(points)
    expected = Matern(0.7, nu=2.5)(phases(x))
    np.testing.assert_allclose(kernel.correlation(embedded, embedded), expected, rtol=1e-9)
    additive = AdditiveKernel(Hyperparameters(0.7, 0.0, 1.0), D, inputs.features)
    bare = AdditiveKernel(Hyperparameters(0.7, 0.0, 1.0), D)
    np.testing.assert_allclose(
        additive.correlation(*[additive.embed(points)] * 2),
        bare.correlation(*[bare.embed(x)] * 2),
        atol=1e-12,
    )


@pytest.mark.parametrize("algorithm", ["bo", "bea"])
def test_features_find_what_parameters_do_not(algorithm):
    by_features = [learn(algorithm, 60, seed=s, features=phases).best[1] for s in range(3)]
    options = {"features": phases, "compare": "parameters"}
    by_parameters = [learn(algorithm, 60, seed=s, **options).best[1] for s in range(3)]
    assert min(by_features) > max(by_parameters)


@pytest.mark.long
def test_screened_mutants_gain_more_after_the_switch():
    means = {}
    for compare in ("features", "parameters"):
        runs = [
            learn("ea", 300, seed=s, features=phases, compare=compare).best[1] for s in range(3)
        ]
        means[compare] = np.mean(runs)
    assert means["features"] > 0.3 * means["parameters"]  # both are negative


@pytest.mark.parametrize(("algorithm", "count"), [("bo", 30), ("bea", 60)])
def test_a_state_with_features_goes_on_as_if_never_left(algorithm, count):
    options = {"seed": 4, "features": phases}
    if algorithm == "bea":
        options["switch"] = 25
    optimizer = learn(algorithm, count, **options)
    state = json.loads(json.dumps(optimizer.state()))
    twin = create(algorithm, D, budget=1500, **options)
    twin.restore(state)
    np.testing.assert_array_equal(advance(twin, 12, fitness), advance(optimizer, 12, fitness))
    without = create(algorithm, D, budget=1500, **(options | {"features": None}))
    with pytest.raises(ValueError, match="the state's features is True"):
        without.restore(state)


@pytest.mark.parametrize("algorithm", ["bo", "bea"])
def test_a_state_made_with_other_features_is_refused(algorithm):
    state = json.loads(json.dumps(learn(algorithm, 12, features=phases).state()))

    def restored(state, features, **options):
        create(algorithm, D, budget=1500, features=features, **options).restore(state)

    def turned(x):
        return phases(x[:, ::-1])

    restored(state, lambda x: phases(x) * (1.0 + 1e-12))  # as another machine rounds
    for other in (turned, lambda x: 1.1 * phases(x), lambda x: phases(x)[:, 1:]):
        with pytest.raises(ValueError, match="the state's features are not those"):
            restored(state, other)
        restored({k: v for k, v in state.items() if k != "features_at_probe"}, other)  # older
    with pytest.raises(ValueError, match="the state's features are not those"):
        restored(state | {"features_at_probe": "x"}, phases)
    unused = learn(algorithm, 12, features=phases, compare="parameters").state()
    restored(unused, turned, compare="parameters")


def test_published_profiles_compare_parameters():
    first = learn("bo", 20, profile="paper", features=phases)
    second = learn("bo", 20, profile="paper")
    np.testing.assert_array_equal(first.ask(), second.ask())


def test_the_evolved_search_finds_what_uniform_samples_do_not_and_nothing_known():
    rng = np.random.default_rng(2)
    inputs = ModelInputs(D, phases)
    model = LearnedProcess(D, Hyperparameters(1.0, 1e-4), features=inputs.features)
    x = rng.random((40, D))
    model.extend(inputs.points(x), np.array([fitness(one) for one in x]))
    search = EvolvedSearch(model, inputs, np.random.default_rng(3))
    best = x[np.argmax(model.y)]

    def score(candidates):
        mean, variance = model.posterior(inputs.points(candidates))
        return gp_ucb(mean, variance, 1.0)

    for _ in range(5):
        found = search.propose(best, 1.0, True)
        assert ((found >= 0.0) & (found <= 1.0)).all()
        assert score(found[None, :])[0] > score(rng.random((5000, D))).max()
        gaps = np.sqrt(((phases(found[None, :]) - phases(x)) ** 2).sum(axis=1))
        assert gaps.min() >= EvolvedSearch.LEAST_GAP * np.sqrt(D)
        x = np.vstack([x, found])
        search.extend(inputs.points(found[None, :]), np.array([fitness(found)]))


def archive_of(inputs, count):
    x = np.random.default_rng(7).random((count, D))
    return Archive(inputs, [Record(one, fitness(one), "initial", None, 0.0) for one in x])


def test_a_generation_evolved_on_a_model_is_fitter_than_its_mutants_and_no_two_are_alike():
    inputs = ModelInputs(D, phases)
    mutants = np.random.default_rng(8).random((9, D))
    modelled = ModelledMutants(D, inputs, np.random.default_rng(9))
    children = modelled.generation(mutants, archive_of(inputs, 150))
    assert children.shape == mutants.shape
    assert ((children >= 0.0) & (children <= 1.0)).all()
    worst, best = min(map(fitness, children)), max(map(fitness, mutants))
    assert worst > best
    gaps = np.sqrt(((phases(children)[:, None] - phases(children)[None]) ** 2).sum(axis=2))
    assert gaps[np.triu_indices(9, 1)].min() >= EvolvedSearch.LEAST_GAP * np.sqrt(D)


def test_the_model_of_mutants_knows_the_best_and_the_last_of_many_evaluations(monkeypatch):
    seen = []
    monkeypatch.setattr(
        LearnedProcess, "extend", lambda model, points, values: seen.append((points, values))
    )
    inputs = ModelInputs(D, phases)
    archive = archive_of(inputs, 700)
    ModelledMutants(D, inputs, np.random.default_rng(9))._model(archive)
    (points, values), (every, told) = seen[0], archive.all()
    assert len(points) <= BEST + RECENT
    for wanted in (*every[-RECENT:], *every[np.argsort(-told)[:BEST]]):
        assert (points == wanted).all(axis=1).any()
    assert values.max() == pytest.approx(1.0)  # best minus median


@pytest.mark.parametrize(
    ("gains", "covariance"), [((0.0, 0.0), 10), ((1.0, 0.5), 10), ((0.5, 1.0), 30)]
)
def test_beside_a_model_the_operator_that_gains_more_breeds_three_generations_in_four(
    gains, covariance
):
    choice = OperatorChoice(modelled=True)
    for adapted in (False, True) * 20:
        choice.credit(adapted, gains[adapted])
    turns = []
    for _ in range(40):
        turns.append(choice.covariance_next())
        choice.credit(turns[-1], gains[turns[-1]])
    assert sum(turns) == covariance
