# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Optimisation from a prior: what it gains, when the prior is left, resuming, refusals."""

import numpy as np
import pytest
from worlds_of_waves import DIMENSION, WORLDS, best_of, landscape, learned, prior

from bea_ros.localization.arena import load_arena
from bea_ros.optimizers import create
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.optimizers.prior.optimizer import PriorOptimizer
from bea_ros.repertoire import load, path_of
from bea_ros.repertoire.ranking import prior_for
from bea_ros.robots import load_robot
from bea_ros.robots.motion import CommandedMotion
from bea_ros.tasks import find_task


def test_five_evaluations_from_a_prior_reach_what_thirty_without_do():
    ratios = []
    for seed, world in enumerate(WORLDS):
        with_prior = learned(PriorOptimizer(DIMENSION, prior=prior(), seed=seed), world, 12)
        fresh = learned(create("bo", DIMENSION, seed=seed, budget=30), world, 30)
        ratios.append(best_of(with_prior)[4] / best_of(fresh)[-1])
        assert best_of(with_prior)[-1] >= 0.95 * best_of(fresh)[-1]
        assert with_prior.trust > 0.5
    assert np.median(ratios) > 0.9


def test_a_prior_that_misleads_is_left_within_ten_evaluations():
    for seed, world in enumerate(WORLDS):
        misled = PriorOptimizer(DIMENSION, prior=prior("shuffled", seed), seed=seed, budget=60)
        learned(misled, world, 10)
        assert misled.trust < 0.1
        misled.ask()
        assert misled.stage == "bayesian"  # what was measured stands for initial samples
        assert misled.prediction is None
        assert not misled.satisfied(0.1)
        learned(misled, world, 20)
        fresh = learned(create("bo", DIMENSION, seed=seed, budget=60), world, 20)
        assert best_of(misled)[-1] > 0.7 * best_of(fresh)[-1]


def test_what_goes_on_without_its_prior_compares_as_before():
    misled = PriorOptimizer(
        DIMENSION, prior=prior("shuffled", 0), seed=0, features=lambda x: 2.0 * x,
        compare="parameters",
    )  # fmt: skip
    assert learned(misled, WORLDS[0], 10).trust < 0.1
    assert misled._alone is not None
    assert misled._alone.options["compare"] == "parameters"


def test_a_prior_that_is_right_is_kept_while_what_is_beside_its_best_is_tried():
    for seed, world in enumerate(WORLDS):
        optimizer = learned(PriorOptimizer(DIMENSION, prior=prior(), seed=seed), world, 30)
        assert optimizer.trust > 0.5


def test_a_start_with_all_of_its_candidates_is_followed_by_others():
    whole = prior()
    known = Prior(whole.candidates[::4], whole.fitness[::4])
    optimizer = PriorOptimizer(DIMENSION, prior=known, seed=0, start=known.candidates)
    tried = learned(optimizer, WORLDS[0], len(known.candidates) + 3).history
    distances = [np.abs(known.candidates - one.x).max(axis=1).min() for one in tried]
    assert max(distances[:-3]) == 0.0
    assert min(distances[-3:]) > 0.0


def test_its_own_candidates_come_first_where_the_best_of_them_disappoints():
    optimizer, stages = PriorOptimizer(DIMENSION, prior=prior("shuffled", 1), seed=1), []
    for _ in range(5):
        x = optimizer.ask()
        stages.append(optimizer.stage)
        optimizer.tell(x, float(landscape(x, WORLDS[1])))
    assert set(stages) == {"repertoire"}


def test_a_broken_robot_soon_finds_what_it_still_can_do():
    robot = load_robot("spider9")
    repertoire = load(path_of("default", "spider9", "small"))
    known = prior_for(repertoire, find_task("gait"), 15.0, load_arena(robot))
    motion, needed = CommandedMotion(robot, 15.0), []
    for seed in range(5):
        whole = np.random.default_rng(seed).random(len(known.expected)) < 0.2
        now = np.where(whole, 1.0, 0.35) * known.expected
        worth = {x.tobytes(): value for x, value in zip(known.candidates, now, strict=True)}
        optimizer = PriorOptimizer(known.candidates.shape[1], prior=known, features=motion)
        found = []
        for _ in range(15):
            x = optimizer.ask()
            found.append(worth.get(x.tobytes(), 0.0))  # what it does not know does not move
            optimizer.tell(x, found[-1])
        there = np.flatnonzero(np.array(found) >= 0.9 * now.max())
        needed.append(int(there[0]) + 1 if there.size else 99)
    assert np.median(needed) <= 8


def test_the_first_asked_is_expected_to_be_best_and_its_fitness_is_predicted():
    known = prior()
    optimizer = PriorOptimizer(DIMENSION, prior=known)
    assert optimizer.prediction is None
    x = optimizer.ask()
    first = np.argmax(known.expected)
    assert np.array_equal(x, known.candidates[first])
    assert optimizer.stage == "repertoire"
    mean, deviation = optimizer.prediction
    assert mean == pytest.approx(known.expected[first])
    assert 0 < deviation < 3 * np.std(known.fitness)


def test_predictions_are_about_as_uncertain_as_they_say():
    errors = []
    for seed, world in enumerate(WORLDS):
        optimizer = PriorOptimizer(DIMENSION, prior=prior(), seed=seed)
        for _ in range(12):
            x = optimizer.ask()
            mean, deviation = optimizer.prediction
            value = float(landscape(x, world))
            optimizer.tell(x, value)
            errors.append((value - mean) / deviation)
    assert 0.3 < np.sqrt(np.mean(np.square(errors))) < 2.0


def test_it_ends_when_nothing_left_is_expected_to_be_better_by_more():
    optimizer = PriorOptimizer(DIMENSION, prior=prior())
    assert not optimizer.satisfied(0.9)
    learned(optimizer, np.zeros(3), 8)
    assert optimizer.satisfied(0.9)
    assert not optimizer.satisfied(3.0)


@pytest.mark.parametrize("kind", ["right", "shuffled"])
def test_the_same_seed_asks_the_same_also_after_a_restore(kind):
    def make():
        return PriorOptimizer(DIMENSION, prior=prior(kind), seed=3, budget=40)

    whole, half = learned(make(), WORLDS[0], 14), learned(make(), WORLDS[0], 9)
    half.ask()
    again = make()
    again.restore(half.state())
    learned(again, WORLDS[0], 5)
    assert [r.x.tolist() for r in again.history] == [r.x.tolist() for r in whole.history]
    with pytest.raises(ValueError, match="prior"):
        PriorOptimizer(DIMENSION, prior=prior("shuffled", 9), seed=3, budget=40).restore(
            half.state()
        )


def test_a_scale_and_an_offset_of_the_fitness_change_nothing():
    known = prior()
    plain = PriorOptimizer(DIMENSION, prior=known, seed=1)
    scaled = PriorOptimizer(
        DIMENSION, prior=Prior(known.candidates, 7 + 0.01 * known.fitness), seed=1
    )
    for _ in range(6):
        x = plain.ask()
        assert scaled.ask() == pytest.approx(x, abs=1e-6)
        value = float(landscape(x, WORLDS[1]))
        plain.tell(x, value)
        scaled.tell(scaled.ask(), 7 + 0.01 * value)


def test_priors_that_cannot_be_are_refused():
    x, f = np.full((3, 2), 0.5), np.zeros((3, 2))
    for candidates, fitness in (
        (x[:1], f[:1]),
        (x, f[:2]),
        (x, f[:, :1]),
        (x + 1, f),
        (x, f + np.nan),
    ):
        with pytest.raises(ValueError, match="prior"):
            Prior(candidates, fitness)
    with pytest.raises(ValueError, match="2 parameters, not 3"):
        PriorOptimizer(3, prior=Prior(x, f))
    constant = PriorOptimizer(2, prior=Prior(x, f))  # where all are alike, any will do
    for _ in range(4):
        constant.tell(constant.ask(), 0.0)


@pytest.mark.parametrize("mean", [0.0, 0.1])
def test_a_prior_whose_candidates_are_alike_in_the_mean_alone_is_learned_from(mean):
    rng = np.random.default_rng(0)
    apart = rng.random((30, 3))
    known = Prior(rng.random((30, DIMENSION)), apart - apart.mean(axis=1, keepdims=True) + mean)
    assert 0.0 < np.std(known.expected) < 1e-15  # by rounding
    optimizer = learned(PriorOptimizer(DIMENSION, prior=known), WORLDS[0], 12)
    assert len(optimizer.history) == 12
