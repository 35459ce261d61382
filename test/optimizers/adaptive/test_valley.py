# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How wide the EA begins after BO."""

import numpy as np
import pytest
from loop import bowl, run

from bea_ros.optimizers import create
from bea_ros.optimizers.adaptive.evolution.archive import Archive
from bea_ros.optimizers.adaptive.evolution.valley import WIDEST_START, Valley, suited_step
from bea_ros.optimizers.inputs import ModelInputs
from bea_ros.optimizers.paper.mutation import Individual, best_of
from bea_ros.optimizers.record import Record

D = 5
NARROWEST = 0.01


def long_valley(x):
    """The good ones lie far apart along some axes."""
    return -float(10.0 ** -np.arange(D) @ (x - 0.3) ** 2)


def around(width, count=200):
    return 0.3 + width * np.random.default_rng(1).standard_normal((count, D))


def values(fitness, x):
    return np.array([fitness(one) for one in x])


@pytest.mark.parametrize("width", [0.005, 0.01, 0.02])
def test_the_step_grows_with_the_distance_of_the_good_ones(width):
    x = around(width)
    narrow, wide = (suited_step(p, values(bowl, p), 1e-4) for p in (x, 0.3 + 2.0 * (x - 0.3)))
    assert 1e-4 < narrow < wide < WIDEST_START
    assert wide == pytest.approx(2.0 * narrow, rel=0.2)


def test_it_is_bounded():
    x = around(0.3)
    assert suited_step(x, values(bowl, x), NARROWEST) == WIDEST_START
    x = around(1e-5)
    assert suited_step(x, values(bowl, x), NARROWEST) == NARROWEST


def test_it_is_narrow_where_a_quadratic_tells_nothing():
    x = around(0.3)
    assert suited_step(x, np.random.default_rng(2).random(len(x)), NARROWEST) == NARROWEST
    few = around(0.3, 20)
    assert suited_step(few, values(bowl, few), NARROWEST) == NARROWEST


@pytest.mark.parametrize(("options", "first"), [({"turns": False, "switch": 150}, 150), ({}, 90)])
def test_after_bo_and_in_turns_the_ea_begins_as_wide_as_the_valley(options, first):
    optimizer = create("bea", D, seed=0, budget=600, **options)
    run(optimizer, first + 10, long_valley)
    generation = np.array([record.x for record in optimizer.history[first:]])
    assert {record.stage for record in optimizer.history[first:]} == {"evolutionary"}
    apart = np.sqrt(np.mean((generation - np.median(generation, axis=0)) ** 2))
    assert apart > 3.0 * NARROWEST


def test_where_it_gains_no_more_it_starts_again_at_the_best_with_its_first_step():
    best = Individual.new(np.full(D, 0.4), 0.1, bowl(np.full(D, 0.4)))
    archive = Archive(ModelInputs(D))
    archive.add(Record(best.x, best.fitness, "evolutionary", None, 0.0))
    valley = Valley(best, 0.02, 10, np.random.default_rng(3))
    apart = []
    for _ in range(100):
        points = valley.sample(best, archive)
        apart.append(float(np.sqrt(np.mean((points - np.median(points, axis=0)) ** 2))))
        children = [Individual.new(x, 0.1, bowl(x)) for x in points]
        for child in children:
            archive.add(Record(child.x, child.fitness, "evolutionary", None, 0.0))
        gain = max(best_of(children).fitness - best.fitness, 0.0)
        valley.update(children, gain)
        best = best_of([best, *children])
    again = next(n for n in range(1, 100) if apart[n] > 100.0 * apart[n - 1])
    assert apart[again] == pytest.approx(0.02, rel=0.5)
