# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Mutation, recombination, bounds and sigma'' against their distributions and worked cases."""

import math

import numpy as np
import pytest
from scipy import stats

from bea_ros.optimizers import create
from bea_ros.optimizers.paper.mutation import (
    GainAwareStep,
    Individual,
    SelfAdaptiveMutation,
    drawn_inside,
    mutated_step,
)
from bea_ros.optimizers.paper.released import ReleasedMutation

N = 20


def options(profile="paper", **changes):
    return {**create("ea", N, profile=profile).options, **changes}


def rng(seed=0):
    return np.random.default_rng(seed)


def parent(x=0.5, step=1e-3):
    return Individual.new(np.full(N, x), step)


def test_step_sizes_are_log_normal_with_the_printed_learning_rates():
    generator = rng()
    logs = np.log([mutated_step(np.full(N, 0.3), generator, 0.0) / 0.3 for _ in range(4000)])
    common, own = 1.0 / (2.0 * N), 1.0 / (2.0 * math.sqrt(N))  # tau'^2 and tau^2
    assert np.var(logs) == pytest.approx(common + own, rel=0.05)
    covariance = np.cov(logs.T)[np.triu_indices(N, 1)].mean()
    assert covariance == pytest.approx(common, rel=0.15)
    standard = logs[:, 0] / math.sqrt(common + own)
    assert stats.kstest(standard, "norm").pvalue > 0.001


def test_step_sizes_stay_above_epsilon():
    steps = mutated_step(np.full(N, 1e-3), rng(), 1e-3)
    assert steps.min() == 1e-3
    assert steps.max() > 1e-3


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_a_mutation_is_normal_with_the_new_step_size_and_the_factor(factor):
    mutation = SelfAdaptiveMutation(options(mutation_rate=1.0, smallest_step=0.0), rng())
    children = [mutation.mutate(parent(), factor) for _ in range(1000)]
    moves = np.array([(child.x - 0.5) / (child.step * factor) for child in children])
    assert stats.kstest(moves.ravel(), "norm").pvalue > 0.001


def test_the_mutation_rate_is_that_of_a_child_in_the_paper():
    mutation = SelfAdaptiveMutation(options(), rng())
    moved = np.array([mutation.mutate(parent(), 1.0).x != 0.5 for _ in range(2000)])
    assert set(moved.sum(axis=1)) == {0, N}
    assert moved.any(axis=1).mean() == pytest.approx(0.8, abs=0.03)


def test_a_mutation_rate_per_gene_is_that_of_each_gene():
    mutation = SelfAdaptiveMutation(options(mutation_per="gene"), rng())
    moved = np.array([mutation.mutate(parent(), 1.0).x != 0.5 for _ in range(2000)])
    assert len(set(moved.sum(axis=1))) > 5
    assert moved.mean() == pytest.approx(0.8, abs=0.01)


def test_the_released_mutation_is_per_gene_with_half_the_deviation():
    mutation = ReleasedMutation(options("released"), rng())
    first = [mutation.mutate(parent(step=0.01), 1.0) for _ in range(1000)]
    moved = np.array([child.x != 0.5 for child in first])
    assert moved.mean() == pytest.approx(0.8, abs=0.02)
    np.testing.assert_array_equal(np.unique([child.step for child in first]), [0.01])
    moves = np.array([child.x - 0.5 for child in first])[moved] / 0.01
    assert np.std(moves) == pytest.approx(0.5, rel=0.03)
    second = [mutation.mutate(child, 1.0) for child in first]
    ratios = np.log(np.array([child.step for child in second]) / 0.01)
    again = np.array([child.adapted for child in first]) & (ratios != 0.0)
    variance = 0.25 * (1.0 / (2.0 * N) + 1.0 / (2.0 * math.sqrt(N)))
    assert np.var(ratios[again]) == pytest.approx(variance, rel=0.05)


def test_whole_arithmetic_recombination():
    mutation = SelfAdaptiveMutation(options(), rng())
    a, b = parent(1.0, 0.1), parent(0.0, 0.3)
    child = mutation._recombine(a, b)
    np.testing.assert_allclose(child.x, 0.6)
    np.testing.assert_allclose(child.step, 0.6 * 0.1 + 0.4 * 0.3)


def test_released_recombination_mixes_from_a_gene_on():
    mutation = ReleasedMutation(options("released"), rng())
    a, b = parent(1.0, 0.1), parent(0.0, 0.3)
    child = mutation._recombine(a, b, first=15)
    np.testing.assert_allclose(child.x, [0.0] * 15 + [0.6] * 5)


@pytest.mark.parametrize(("rate", "crossed"), [(0.1, 2), (0.7, 8)])
def test_released_generations_have_even_numbers_of_crossed_children(rate, crossed):
    mutation = ReleasedMutation(options("released", crossover_rate=rate), rng())
    parents = [Individual.new(np.full(N, 0.1 * i), 0.1 + i, fitness=i) for i in range(10)]
    children = mutation.breed(parents, 9)
    own = [any(child is one for one in parents) for child in children]
    assert len(children) == 9
    assert own.count(False) == crossed


def test_tournaments_of_two_prefer_the_fitter():
    mutation = SelfAdaptiveMutation(options(crossover_rate=0.0), rng())
    parents = [Individual.new(np.full(N, 0.1), 0.1, fitness=float(i)) for i in range(10)]
    ranks = [int(one.fitness) for one in mutation.breed(parents, 20_000)]
    share = np.bincount(ranks, minlength=10) / len(ranks)
    expected = (2 * np.arange(10) + 1) / 100  # rank i wins if the other is no better
    np.testing.assert_allclose(share, expected, atol=0.01)


def test_out_of_bounds_is_drawn_again_around_the_bound_that_was_crossed():
    generator = rng()
    step = np.full(2, 0.05)
    drawn = np.array([drawn_inside(np.array([-3.0, 7.0]), step, generator) for _ in range(3000)])
    assert stats.kstest(drawn[:, 0] / 0.05, "halfnorm").pvalue > 0.001
    assert stats.kstest((1.0 - drawn[:, 1]) / 0.05, "halfnorm").pvalue > 0.001


def test_what_is_inside_stays():
    x = np.array([0.0, 0.3, 1.0])
    np.testing.assert_array_equal(drawn_inside(x, np.ones(3), rng()), x)


@pytest.mark.parametrize("step", [1e3, 1e300])
def test_enormous_steps_still_end_inside(step):
    drawn = drawn_inside(np.array([-1.0, 2.0]), np.full(2, step), rng())
    assert ((drawn >= 0.0) & (drawn <= 1.0)).all()


def test_sigma_grows_without_gain_and_shrinks_with_it():
    gain = GainAwareStep(1.03, 0.99, window=10, largest=1e100)
    for i in range(10):
        gain.update(float(i))
        assert gain.factor == 1.0  # no f'_(i-10) yet
    gain.update(9.0)  # f'_11 = 9 > f'_1 = 0
    assert gain.factor == pytest.approx(0.99)
    for _ in range(8):
        gain.update(9.0)  # f'_19 = 9 > f'_9 = 8
    assert gain.factor == pytest.approx(0.99**9)
    gain.update(9.0)  # f'_20 = f'_10 = 9
    assert gain.factor == pytest.approx(0.99**9 * 1.03)


def test_sigma_is_bounded():
    gain = GainAwareStep(1.5, 0.5, window=1, largest=10.0)
    for _ in range(100):
        gain.update(0.0)
    assert gain.factor == 10.0
    for i in range(100):
        gain.update(1.0 + i)
    assert gain.factor == 0.1
