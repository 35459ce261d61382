# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What callers rely on: asking, telling, refusing, stopping and going on."""

import json
import warnings
from typing import ClassVar

import numpy as np
import pytest
from loop import advance, bumpy, made, resumed, stages

from bea_ros.optimizers import OPTIMIZERS, PROFILES, Optimizer, create
from bea_ros.optimizers.threads import BLAS

every = pytest.mark.parametrize("name", OPTIMIZERS)
in_every_profile = pytest.mark.parametrize("profile", PROFILES)


@every
@in_every_profile
def test_ask_gives_the_same_candidate_until_it_is_told(name, profile):
    optimizer = made(name, profile)
    first = optimizer.ask()
    assert first.shape == (4,)
    assert first.dtype == np.float64
    first[:] = -1.0  # a caller's mistake stays the caller's
    again = optimizer.ask()
    assert ((again >= 0.0) & (again <= 1.0)).all()
    optimizer.tell(again, 1.0)
    assert not np.array_equal(optimizer.ask(), again)


@every
def test_best_and_history(name):
    optimizer = made(name)
    assert optimizer.best is None
    asked = advance(optimizer, 40)
    fitness = [bumpy(x) for x in asked]
    assert [record.fitness for record in optimizer.history] == fitness
    np.testing.assert_array_equal([record.x for record in optimizer.history], asked)
    with pytest.raises(ValueError, match="read-only"):
        optimizer.history[0].x[0] = 0.5
    x, value = optimizer.best
    assert value == max(fitness)
    np.testing.assert_array_equal(x, asked[int(np.argmax(fitness))])


@every
def test_refused_results_change_nothing(name):
    optimizer, twin = made(name), made(name)
    advance(optimizer, 30)
    advance(twin, 30)
    last = optimizer.history[-1].x
    with pytest.raises(ValueError, match="told"):
        optimizer.tell(last, 1.0)
    x = optimizer.ask()
    for *arguments, time in (
        (1.0 - x, 1.0, None),
        (x[:2], 1.0, None),
        (x, float("nan"), None),
        (x, -np.inf, None),
        (x, 10**400, None),
        (x, "fast", None),
        (x, None, None),
        (last, 1.0, None),
        (x, 1.0, -1.0),
    ):
        with pytest.raises(ValueError) as error:
            optimizer.tell(*arguments, evaluation_time=time)
        assert len(str(error.value).splitlines()) == 1
        assert len(optimizer.history) == 30
    np.testing.assert_array_equal(advance(optimizer, 20), advance(twin, 20))


@every
@in_every_profile
def test_the_seed_decides_everything(name, profile):
    runs = [advance(made(name, profile, seed=seed), 45) for seed in (7, 7, 8)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


@every
@in_every_profile
@pytest.mark.parametrize(
    "fitness",
    [
        lambda x: 3.0,
        lambda x: 1e12 * bumpy(x),
        lambda x: 1e300 * bumpy(x),
        lambda x: 1e-12 * bumpy(x),
        lambda x: float(np.floor(4.0 * x).sum()),
        lambda x: float(np.random.default_rng(int(1e6 * x[0])).standard_normal()),
    ],
    ids=["constant", "huge", "enormous", "tiny", "steps", "noise"],
)
def test_awkward_fitness_neither_warns_nor_leaves_the_cube(name, profile, fitness):
    optimizer = made(name, profile, dimension=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked = advance(optimizer, 60, fitness)
    assert np.isfinite(asked).all()
    assert ((asked >= 0.0) & (asked <= 1.0)).all()


@in_every_profile
def test_the_first_evaluations_are_those_of_bo_and_the_rest_of_the_ea(profile):
    optimizer = made("bea", profile, switch=40, budget=80)
    advance(optimizer, 80)
    assert stages(optimizer) == ["initial"] * 10 + ["bayesian"] * 30 + ["evolutionary"] * 40


@in_every_profile
def test_the_ea_evolves_after_its_first_population(profile):
    optimizer = made("ea", profile, population=6)
    assert optimizer.stage == "initial"
    advance(optimizer, 6)
    assert optimizer.stage == "evolutionary"


@every
def test_times_are_told_or_measured(name):
    ticks = iter(range(10**6))
    optimizer = create(name, 2, budget=20, clock=lambda: float(next(ticks)))
    x = optimizer.ask()
    optimizer.tell(x, 1.0, evaluation_time=2.0, overhead_time=0.5)
    x = optimizer.ask()
    optimizer.tell(x, 1.0)
    first, second = optimizer.history
    assert (first.evaluation_time, first.overhead_time) == (2.0, 0.5)
    assert second.evaluation_time is None
    assert second.overhead_time > 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "pso"}, "unknown optimizer 'pso'"),
        ({"profile": "best"}, "unknown profile 'best'"),
        ({"dimension": 0}, "dimension=0"),
        ({"dimension": 2.5}, "dimension=2.5"),
        ({"seed": -1}, "seed=-1"),
        ({"budget": 9}, "9 evaluations are fewer than initial_samples=10"),
        ({"populaton": 5}, "unknown option 'populaton'"),
        ({"population": 1}, "population=1 is out of range"),
        ({"population": 10.5}, "population=10.5"),
        ({"population": True}, "population=True"),
        ({"population": None}, "population=None"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"alpha": "big"}, "alpha='big'"),
        ({"transfer": "S5"}, "transfer='S5'"),
        ({"switch": "never"}, "switch='never'"),
        ({"switch": 5}, "switch=5"),
        ({"length_scale": 0.0}, "length_scale=0.0 is out of range"),
        ({"length_scale": "long"}, "length_scale='long'"),
        ({"noise": -1.0}, "noise=-1.0 is out of range"),
        ({"gain_aware": 1}, "gain_aware=1"),
        ({"search": "fresh"}, "search='fresh' is not allowed in profile 'default': there it is"),
        ({"covariance": True, "profile": "paper"}, "not allowed in profile 'paper': there it is"),
        ({"length_scale": "learned", "profile": "released"}, "length_scale='learned' is not"),
        ({"name": "ea", "start": [[0.5] * 4] * 11}, "start has 11 candidates, more than"),
        ({"start": [[0.5] * 4] * 25, "switch": 20}, "switch=20 is out of range"),
        ({"features": lambda x: np.log(x - 0.5)}, "features are not finite"),
        ({"features": lambda x: np.zeros(len(x))}, "have shape (1,): expected (1, k)"),
    ],
)
def test_bad_arguments_get_one_clear_line(arguments, message):
    arguments = {"name": "bea", "dimension": 4, **arguments}
    with np.errstate(all="ignore"), pytest.raises(ValueError) as error:
        advance(create(**arguments), 1)
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_no_measurements_may_be_told_as_none():
    optimizer = create("bea", 4)
    optimizer.tell(optimizer.ask(), 1.0, measurements=None)
    assert optimizer.history[0].measurements == ()


@every
@in_every_profile
def test_options_are_json_and_make_the_same_optimizer(name, profile):
    optimizer = made(name, profile)
    options = json.loads(json.dumps(optimizer.options))
    again = create(name, 4, seed=1, budget=60, profile=profile, **options)
    assert again.options == optimizer.options
    np.testing.assert_array_equal(advance(again, 40), advance(optimizer, 40))


@pytest.mark.parametrize(
    ("profile", "options"),
    [
        ("default", {"search": "mutations", "mean": "fitted", "initial_design": "latin"}),
        ("paper", {"search": "direct", "compare": "parameters", "covariance": False}),
    ],
)
def test_options_that_left_a_profile_are_taken_with_the_value_they_had(profile, options):
    optimizer = made("bea", profile)
    assert {name: optimizer.options[name] for name in options} == options
    given = made("bea", profile, **options)
    given.restore(optimizer.state())


@every
def test_linear_algebra_runs_on_one_thread_and_gives_the_others_back(name):
    before = [library.num_threads for library in BLAS.lib_controllers]
    counts = []
    optimizer = made(name)
    learn = optimizer._learn

    def watched(record):
        counts.extend(library.num_threads for library in BLAS.lib_controllers)
        learn(record)

    optimizer._learn = watched
    advance(optimizer, 12)
    assert set(counts) == {1}
    assert [library.num_threads for library in BLAS.lib_controllers] == before


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_candidates_from_elsewhere_are_asked_first(name):
    start = [[0.25, 0.5, 1.0], [0.0, 0.125, 0.75]]
    optimizer = create(name, 3, seed=1, budget=30, start=start)
    usual = create(name, 3, seed=1, budget=30)
    for number in range(12):
        x, other = optimizer.ask(), usual.ask()
        if number < 2:
            np.testing.assert_array_equal(x, start[number])
        optimizer.tell(x, bumpy(x))
        usual.tell(other, bumpy(other))
    restored = resumed(create(name, 3, seed=1, budget=30, start=start), optimizer)
    np.testing.assert_array_equal(restored.ask(), optimizer.ask())
    with pytest.raises(ValueError, match="start"):
        usual.restore(optimizer.state())
    with pytest.raises(ValueError, match="points in"):
        create(name, 3, start=[[0.1, 0.2]])


@pytest.mark.parametrize(
    ("proposed", "words"),
    [
        ([0.5], r"shape \(1,\): expected \(2,\)"),
        ([[0.5, 0.5]], r"shape \(1, 2\): expected \(2,\)"),
        (None, r"shape \(\): expected \(2,\)"),
        ([0.5, np.nan], "with NaN"),
    ],
)
def test_what_is_no_candidate_is_refused_with_the_optimizers_name(proposed, words):
    class Broken(Optimizer):
        name = "broken"
        OPTIONS: ClassVar = {}
        stage = "initial"

        def _prepare(self):
            pass

        def _propose(self):
            return proposed

        def _learn(self, record):
            pass

    with pytest.raises(ValueError, match=f"optimizer broken proposed a candidate (of )?{words}"):
        Broken(2).ask()
