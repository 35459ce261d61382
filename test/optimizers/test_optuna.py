# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA as a sampler of Optuna."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

optuna = pytest.importorskip("optuna", reason="pip install optuna")

from bea_ros.optimizers.optuna import BEASampler, value_at  # noqa: E402


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def studied(objective, trials=60, direction="minimize", **arguments):
    study = optuna.create_study(direction=direction, sampler=BEASampler(**arguments))
    study.optimize(objective, n_trials=trials, catch=(RuntimeError,))
    return study


def mixed(trial):
    x = trial.suggest_float("x", -5.0, 5.0)
    rate = trial.suggest_float("rate", 1e-5, 1.0, log=True)
    layers = trial.suggest_int("layers", 1, 9)
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    return (x - 1.0) ** 2 + abs(rate - 0.01) + abs(layers - 3) + (kind != "b")


def test_it_finds_the_best_of_floats_integers_and_categories():
    best = studied(mixed, 80, budget=80, seed=1).best_value
    assert best < 0.5 * studied(mixed, 10, budget=80, seed=1).best_value
    assert best < 0.3


def test_it_maximises_where_the_study_does():
    def peak(trial):
        return -((trial.suggest_float("x", -5, 5) - 1) ** 2) - trial.suggest_float("y", 0, 1)

    assert studied(peak, 40, "maximize", budget=40).best_value > -0.1


def test_the_seed_decides():
    runs = [studied(mixed, 30, budget=40, seed=seed) for seed in (3, 3, 4)]
    params = [[trial.params for trial in run.trials] for run in runs]
    assert params[0] == params[1] != params[2]


def test_trials_that_fail_are_pruned_or_run_side_by_side_do_no_harm():
    def failing(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.report(x, 0)
        if trial.number % 5 == 1:
            raise RuntimeError
        if trial.number % 5 == 2:
            raise optuna.TrialPruned
        return x

    study = studied(failing, 30, budget=40)
    assert len(study.trials) == 30
    assert study.best_value < 0.05
    several = optuna.create_study(sampler=BEASampler(budget=40))
    for _ in range(10):
        asked = [several.ask() for _ in range(3)]
        for trial in asked:
            several.tell(trial, trial.suggest_float("x", 0.0, 1.0))
    assert several.best_value < 0.1


def test_trials_that_begin_at_once_in_threads_do_not_get_the_same_candidate():
    sampler = BEASampler(budget=40)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=2)
    ask = sampler._optimizer.ask

    def slowly():
        time.sleep(0.3)
        return ask()

    sampler._optimizer.ask = slowly
    with ThreadPoolExecutor(4) as pool:
        drawn = set(pool.map(lambda _: study.ask().suggest_float("x", 0.0, 1.0), range(4)))
    assert len(drawn) == 4


@pytest.mark.parametrize("error", [RuntimeError, optuna.TrialPruned])
def test_what_a_trial_reported_counts_if_it_is_pruned_but_not_if_it_fails(error):
    def asked(reported):
        def ending(trial):
            x = trial.suggest_float("x", 0.0, 1.0)
            if trial.number % 5 == 1:
                trial.report(reported, 0)
                raise error
            return x

        return [trial.params["x"] for trial in studied(ending, 25, budget=40).trials]

    assert (asked(-10.0) == asked(10.0)) is (error is RuntimeError)


def test_a_failed_trial_is_the_worst_also_before_the_optimizer_was_told_any():
    def failing(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        if trial.number == 1:
            raise RuntimeError
        return 100 + (x - 0.3) ** 2 + (y - 0.3) ** 2

    assert studied(failing, 60, seed=1, budget=60).best_value < 100.0001


def test_a_trial_with_other_values_than_the_candidates_teaches_nothing():
    sampler = BEASampler(budget=40)
    study = optuna.create_study(sampler=sampler)

    def slope(trial):
        return trial.suggest_float("x", 0, 1) + 2 * trial.suggest_float("y", 0, 1)

    study.optimize(slope, n_trials=3)
    study.enqueue_trial({"x": 0.5})
    study.enqueue_trial({"x": 0.5, "y": 0.5})
    study.optimize(slope, n_trials=5)
    told = [(record.x, -record.fitness) for record in sampler._optimizer.history]
    assert len(told) == 5
    for x, value in told:
        assert value == pytest.approx(x[0] + 2 * x[1])


def test_what_is_not_allowed_is_said():
    study = optuna.create_study(directions=["minimize"] * 2, sampler=BEASampler())
    with pytest.raises(ValueError, match="one objective"):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=2)
    with pytest.raises(ValueError, match="budget=0"):
        BEASampler(budget=0)


def test_shares_of_a_distribution_reach_its_ends():
    integers = optuna.distributions.IntDistribution(2, 8, step=3)
    assert {value_at(share / 99.0, integers) for share in range(100)} == {2, 5, 8}
    logarithmic = optuna.distributions.IntDistribution(1, 1000, log=True)
    assert (value_at(0.0, logarithmic), value_at(1.0, logarithmic)) == (1, 1000)
    real = optuna.distributions.FloatDistribution(1e-3, 1e3, log=True)
    assert value_at(0.5, real) == pytest.approx(1.0)
    one_more = 2**60 - 1  # not a float
    assert value_at(1.0, optuna.distributions.IntDistribution(0, one_more)) == one_more


@pytest.mark.parametrize("arguments", [(-1.5, 3.9), (0.0, 0.3, False, 0.1)])
def test_a_value_that_rounding_would_put_beyond_its_range_is_the_bound(arguments):
    real = optuna.distributions.FloatDistribution(*arguments)
    assert value_at(1.0, real) == real.high
    assert real._contains(value_at(1.0, real))
