# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA as a sampler of Optuna."""

import math
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest

optuna = pytest.importorskip("optuna", reason="pip install optuna")

from bea_ros.optimizers.optuna import CANDIDATE, BEASampler, share_of, value_at  # noqa: E402


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
    study = optuna.create_study(sampler=BEASampler(budget=40))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=2)
    ask = study.sampler._optimizer.ask

    def slowly():
        time.sleep(0.3)
        return ask()

    study.sampler._optimizer.ask = slowly
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


def slope(trial):
    return trial.suggest_float("x", 0, 1) + 2 * trial.suggest_float("y", 0, 1)


def learned(study):
    history = study.sampler._optimizer.history
    return [(tuple(record.x.tolist()), -record.fitness) for record in history]


def test_it_learns_from_trials_with_other_values_than_the_candidates():
    study = optuna.create_study(sampler=BEASampler(budget=40))
    study.optimize(slope, n_trials=3)
    study.enqueue_trial({"x": 0.5})
    study.enqueue_trial({"x": 0.5, "y": 0.5})
    study.optimize(slope, n_trials=2)
    known = study.trials[0].distributions
    study.add_trial(
        optuna.create_trial(params={"x": 0.1, "y": 0.2}, distributions=known, value=0.5)
    )
    study.optimize(slope, n_trials=3)
    told = learned(study)
    assert [x for x, _ in told] == [
        pytest.approx((trial.params["x"], trial.params["y"])) for trial in study.trials[:-1]
    ]
    for x, value in told:
        assert value == pytest.approx(x[0] + 2 * x[1])


def test_it_learns_from_trials_that_run_side_by_side():
    study = optuna.create_study(sampler=BEASampler(budget=40))
    for _ in range(5):
        asked = [study.ask() for _ in range(4)]
        for trial, value in [(trial, slope(trial)) for trial in asked]:
            study.tell(trial, value)
    study.ask().suggest_float("x", 0, 1)
    assert len(learned(study)) == 20


@pytest.mark.parametrize("error", [RuntimeError, optuna.TrialPruned])
def test_a_trial_that_ends_before_all_parameters_are_asked_is_not_tried_again(error):
    def early(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number and x > 0.6:
            raise error
        return (x - 0.3) ** 2 + (trial.suggest_float("y", 0, 1) - 0.3) ** 2

    study = studied(early, 40, budget=40, seed=1)
    ended = [trial.params["x"] for trial in study.trials if "y" not in trial.params]
    assert 0 < len(ended) == len(set(ended)) < 20
    assert study.best_value < 0.001


def test_a_trial_that_failed_before_it_asked_anything_gives_its_candidate_back():
    study = optuna.create_study(sampler=BEASampler(budget=40))
    study.optimize(slope, n_trials=3)
    trial = study.ask()
    study.sampler.sample_relative(study, trial, study.sampler._known)
    study.tell(trial, state=optuna.trial.TrialState.FAIL)
    wanted = study.sampler._optimizer.ask().tolist()
    study.optimize(slope, n_trials=1)
    assert list(study.trials[-1].params.values()) == pytest.approx(wanted)


def failing_at_times(trial):
    value = mixed(trial)
    if trial.number % 7 == 3:
        raise RuntimeError
    return value


def at_times_deeper(trial):
    deep = trial.suggest_categorical("shape", ["flat", "deep"]) == "deep"
    return mixed(trial) - (trial.suggest_float("depth", 0.0, 2.0) if deep else 0.0)


@pytest.mark.parametrize("objective", [failing_at_times, at_times_deeper])
def test_a_resumed_study_goes_on_as_if_it_had_not_been_interrupted(objective):
    storage, known = optuna.storages.InMemoryStorage(), {"budget": 60, "seed": 1}
    for trials in (7, 13, 20):
        study = optuna.create_study(study_name="a", storage=storage, load_if_exists=True)
        study.sampler = BEASampler(**known)
        study.optimize(objective, n_trials=trials, catch=(RuntimeError,))
    whole = studied(objective, 40, **known)
    assert [trial.params for trial in study.trials] == [trial.params for trial in whole.trials]


def test_random_values_of_a_resumed_study_are_new():
    storage, drawn = optuna.storages.InMemoryStorage(), []
    for _ in range(2):
        study = optuna.create_study(study_name="a", storage=storage, load_if_exists=True)
        study.sampler = BEASampler(seed=1)
        study.optimize(lambda t: t.suggest_float(f"x{t.number}", 0, 1), n_trials=3)
    drawn = [value for trial in study.trials for value in trial.params.values()]
    assert len(set(drawn)) == 6


@pytest.mark.parametrize("copied", [deepcopy, lambda study: pickle.loads(pickle.dumps(study))])
def test_a_copied_study_goes_on_as_the_original(copied):
    study = studied(slope, 12, budget=40)
    twin = copied(study)
    for one in (study, twin):
        one.optimize(slope, n_trials=5)
    assert [trial.params for trial in twin.trials] == [trial.params for trial in study.trials]


@pytest.mark.parametrize("value", [100.0, -100.0])
def test_failures_before_any_value_are_not_the_best(value):
    study = optuna.create_study(sampler=BEASampler(budget=60, seed=1))

    def first_infinite(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        return math.inf if trial.number < 4 else value + (x - 0.3) ** 2 + (y - 0.3) ** 2

    study.optimize(first_infinite, n_trials=60)
    assert study.best_value < value + 0.0001
    assert study.sampler._optimizer.best[1] == -min(trial.value for trial in study.trials[:-1])


def test_a_trial_that_never_ends_does_not_make_the_others_random():
    study = optuna.create_study(sampler=BEASampler(budget=40))

    def leaving(trial):
        if trial.suggest_float("x", 0, 1) and trial.number == 5:
            raise SystemExit
        return slope(trial)

    with pytest.raises(SystemExit):
        study.optimize(leaving, n_trials=10)
    study.optimize(leaving, n_trials=20)
    asked = [trial.number for trial in study.trials if CANDIDATE in trial.system_attrs]
    assert asked == [1, 2, 3, 4, 5, *range(7, 26)]  # 6 began before anything new was learned


def test_one_sampler_serves_several_studies_of_one_storage_or_of_others():
    sampler, storage = BEASampler(budget=20), optuna.storages.InMemoryStorage()
    for name, where in (("a", storage), ("b", storage), ("c", None)):
        study = optuna.create_study(storage=where, sampler=sampler)
        study.optimize(lambda trial, name=name: trial.suggest_float(name, 0, 1), n_trials=3)
        assert list(study.trials[-1].system_attrs[CANDIDATE]) == [name]


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


@pytest.mark.parametrize(
    ("one", "count"),
    [
        (optuna.distributions.IntDistribution(2, 8, step=3), 3),
        (optuna.distributions.IntDistribution(1, 50, log=True), 50),
        (optuna.distributions.FloatDistribution(0.0, 0.98, step=0.07), 15),
        (optuna.distributions.CategoricalDistribution(("a", None, 1.5)), 3),
        (optuna.distributions.FloatDistribution(1e-3, 1e3, log=True), 1000),
        (optuna.distributions.FloatDistribution(-2.0, 5.0), 1000),
    ],
)
def test_the_share_of_a_value_gives_the_value(one, count):
    drawn = {value_at(share / 999.0, one) for share in range(1000)}
    assert len(drawn) == count
    for value in drawn:
        again = value_at(share_of(value, one), one)
        assert again == (pytest.approx(value) if isinstance(value, float) else value)
