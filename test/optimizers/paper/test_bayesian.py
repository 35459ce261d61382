# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation as printed and as released: what it maximises, what t counts."""

import numpy as np
import pytest

from bea_ros.optimizers import create
from bea_ros.optimizers.paper import bayesian
from bea_ros.optimizers.paper.acquisition import sqrt_nu_tau, uniform_and_local


def run(optimizer, count, fitness):
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness(x))
    return optimizer


def bowl(x):
    return -float(((x - 0.3) ** 2).sum())


@pytest.mark.parametrize(
    ("profile", "t", "gamma"), [("paper", 25, 0.1), ("released", 15, 5.0)]
)  # as released, t starts after the initial samples
def test_the_maximum_of_gp_ucb_over_fresh_points_is_asked(monkeypatch, profile, t, gamma):
    optimizer = run(create("bo", 4, profile=profile), 25, bowl)
    seen = []

    def watched(*arguments):
        seen.append(uniform_and_local(*arguments))
        return seen[-1]

    monkeypatch.setattr(bayesian, "uniform_and_local", watched)
    asked = optimizer.ask()
    (points,) = seen
    assert len(points) == 500
    mean, variance = optimizer.model.posterior(points)
    ucb = mean + sqrt_nu_tau(t, 4, gamma) * np.sqrt(variance)
    np.testing.assert_array_equal(asked, points[np.argmax(ucb)])


def test_profiles_differ_as_documented():
    paper = create("bo", 20, profile="paper").options
    released = create("bo", 20, profile="released").options
    assert (paper["length_scale"], paper["gamma"], paper["mean"]) == (0.5, 0.1, "zero")
    assert (released["gamma"], released["mean"], released["signal_variance"]) == (
        5.0,
        "data",
        0.01,
    )
