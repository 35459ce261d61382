# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A prior with a simulation: how much is believed, and which candidate follows from it."""

import numpy as np
import pytest
from worlds_of_waves import DIMENSION, WORLDS, best_of, landscape, learned, prior

from bea_ros.optimizers import Record
from bea_ros.optimizers.prior.optimizer import SIMULATED, PriorOptimizer
from bea_ros.optimizers.prior.simulation import LEAST, USUAL, Simulated


class Landscape:
    """Searches a world by random steps from the starts; `sign` -1 is a simulation of nonsense."""

    def __init__(self, world, sign=1.0):
        self.world, self.sign, self.searches = world, sign, []

    def search(self, tried, fitness, starts):
        rng = np.random.default_rng(len(tried))
        x = np.clip(np.repeat(starts, 40, 0) + 0.1 * rng.normal(size=(40 * len(starts), 6)), 0, 1)
        f = self.sign * landscape(x, self.world)
        best = np.argsort(-f)[:20]
        self.searches.append(len(tried))
        return Simulated(self.sign * landscape(tried, self.world), x[best], f[best])


def with_simulation(world, seed, sign=1.0, kind="right"):
    return PriorOptimizer(
        DIMENSION, prior=prior(kind, seed), simulation=Landscape(world, sign), seed=seed
    )


def test_it_reaches_in_four_evaluations_what_takes_twelve_without():
    for seed, world in enumerate(WORLDS):
        plain = learned(PriorOptimizer(DIMENSION, prior=prior(), seed=seed), world, 12)
        simulating = learned(with_simulation(world, seed), world, 4)
        assert best_of(simulating)[-1] >= 0.99 * best_of(plain)[-1]


def test_a_simulation_of_nonsense_is_not_believed():
    for seed, world in enumerate(WORLDS):
        plain = learned(PriorOptimizer(DIMENSION, prior=prior(), seed=seed), world, 12)
        fooled = learned(with_simulation(world, seed, sign=-1.0), world, 12)
        assert best_of(fooled)[-1] >= 0.9 * best_of(plain)[-1]


def test_errors_of_the_simulation_are_learned_from_what_was_measured():
    def deviation(errors):
        simulated = Simulated(np.zeros(len(errors)), np.zeros((1, 2)), np.zeros(1))
        return simulated.deviation(np.array(errors), 2.0)

    assert deviation([]) == pytest.approx(2.0 * USUAL)
    assert deviation([0.0] * 50) == pytest.approx(2.0 * max(LEAST, USUAL / np.sqrt(6)), rel=0.01)
    # by hand: weights 0.8 and 1, errors of 3 and 1 units
    expected = 2.0 * np.sqrt((0.8 * 9 + 1 * 1 + USUAL**2) / 2.8)
    assert deviation([6.0, -2.0]) == pytest.approx(expected)
    assert deviation([-2.0, 6.0]) > deviation([6.0, -2.0])  # the latest counts most


def test_it_searches_for_each_candidate_but_the_first_until_no_more_is_gained():
    optimizer = with_simulation(WORLDS[0], 1)
    learned(optimizer, WORLDS[0], SIMULATED + 4)
    assert optimizer._simulation.searches == list(range(1, SIMULATED + 1))


def test_it_is_not_satisfied_while_the_search_expects_more():
    sooner = 0
    for seed, world in enumerate(WORLDS):
        plain = PriorOptimizer(DIMENSION, prior=prior("right", seed), seed=seed)
        simulating = with_simulation(world, seed)
        for one in (plain, simulating):
            learned(one, world, 1)
        if simulating.satisfied(0.9):
            assert simulating.best[1] >= 0.9 * simulating.prediction[0]
        sooner += plain.satisfied(0.9) and not simulating.satisfied(0.9)
    assert sooner > 0


def test_a_fitness_is_booked_on_the_candidate_that_it_is_of():
    optimizer = PriorOptimizer(DIMENSION, prior=prior(), seed=1)
    asked, other = optimizer.ask(), prior().candidates[7]
    assert not np.array_equal(asked, other)
    optimizer.absorb(Record(other, 0.1, "", None, 0.0))
    left = prior().candidates[optimizer._left]
    assert not (left == other).all(1).any()
    assert (left == asked).all(1).any()


def test_a_restored_one_asks_the_same():
    whole, half = with_simulation(WORLDS[1], 3), with_simulation(WORLDS[1], 3)
    learned(whole, WORLDS[1], 8)
    learned(half, WORLDS[1], 5)
    again = with_simulation(WORLDS[1], 3)
    again.restore(half.state())
    learned(again, WORLDS[1], 3)
    assert [r.x.tolist() for r in again.history] == [r.x.tolist() for r in whole.history]


def test_a_simulation_makes_up_for_a_prior_that_misleads():
    for seed, world in enumerate(WORLDS):
        plain = learned(PriorOptimizer(DIMENSION, prior=prior(), seed=seed), world, 12)
        misled = learned(with_simulation(world, seed, kind="shuffled"), world, 10)
        assert best_of(misled)[-1] >= 0.85 * best_of(plain)[-1]
