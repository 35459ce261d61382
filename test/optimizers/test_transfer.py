# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""S1 to S4 on cases worked by hand."""

import numpy as np
import pytest

from bea_ros.optimizers.transfer import STRATEGIES, select

# Three clusters on a line; the fitness of each point beside it.
X = np.array([[0.0], [0.01], [0.5], [0.51], [0.99], [1.0], [0.02], [0.52]])
FITNESS = np.array([1.0, 2.0, 9.0, 8.0, 3.0, 4.0, 5.0, 7.0])


def chosen(strategy, population=3, **options):
    return sorted(select(strategy, X, FITNESS, population, **options))


def test_s1_takes_the_last():
    assert chosen("S1") == [5, 6, 7]


def test_s2_takes_the_best():
    assert chosen("S2") == [2, 3, 7]


def test_s3_takes_the_best_of_each_cluster():
    assert chosen("S3") == [2, 5, 6]


def test_s4_takes_the_best_of_each_cluster_within_the_better_half():
    # The better half: 0.5 (9), 0.51 (8), 0.52 (7), 0.02 (5); two clusters of it.
    assert chosen("S4", 2) == [2, 6]


def test_s4_with_all_is_s3():
    assert chosen("S4", top=100.0) == chosen("S3")


def test_the_best_is_lost_by_s1_alone():
    rng = np.random.default_rng(0)
    x, fitness = rng.random((100, 5)), rng.random(100)
    fitness[0] = 2.0
    assert {s for s in STRATEGIES if 0 in select(s, x, fitness, 10)} == {"S2", "S3", "S4"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_population_comes_out_whatever_goes_in(strategy, recwarn):
    same = np.full((30, 4), 0.5)
    indices = select(strategy, same, np.zeros(30), 10)
    assert len(set(indices.tolist())) == 10
    assert not recwarn.list


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_seed_decides(strategy):
    rng = np.random.default_rng(0)
    x, fitness = rng.random((250, 20)), rng.random(250)
    first = select(strategy, x, fitness, 10, seed=3)
    np.testing.assert_array_equal(first, select(strategy, x, fitness, 10, seed=3))


def test_bad_requests_are_refused():
    with pytest.raises(ValueError, match="S5"):
        select("S5", X, FITNESS, 3)
    with pytest.raises(ValueError, match="cannot transfer 9"):
        select("S1", X, FITNESS, 9)
