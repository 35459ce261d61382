# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The Gaussian process as printed (eq. 2 to 5) against its formulas, written out."""

import numpy as np
import pytest

from bea_ros.optimizers.gaussian_process import JITTER, GaussianProcess, Kernel

D = 4


def k(a, b, theta):
    r = np.linalg.norm(a[:, None] - b[None], axis=2)
    q = np.sqrt(5.0) * r / theta
    return (1.0 + q + 5.0 * r**2 / (3.0 * theta**2)) * np.exp(-q)


@pytest.mark.parametrize("theta", [0.1, 0.5, 2.0])
@pytest.mark.parametrize(("mean", "variance", "noise"), [("zero", 1.0, 0.0), ("data", 0.01, 1e-4)])
def test_mean_and_variance_are_those_of_the_printed_equations(theta, mean, variance, noise):
    rng = np.random.default_rng(0)
    s, new = rng.random((90, D)), rng.random((20, D))
    f = np.sin(5.0 * s).sum(axis=1) + 3.0
    model = GaussianProcess(Kernel(theta, D), D, noise, mean=mean, signal_variance=variance)
    prior = model.posterior(new)
    np.testing.assert_array_equal(prior[0], 0.0)
    np.testing.assert_array_equal(prior[1], variance)
    for one, value in zip(s, f, strict=True):
        model.add(one, value)
    inverse = np.linalg.inv(k(s, s, theta) + (noise + JITTER) * np.eye(len(s)))
    m = f.mean() if mean == "data" else 0.0
    to_new = k(s, new, theta)
    mu = m + to_new.T @ inverse @ (f - m)
    sigma2 = variance * (1.0 - np.einsum("ij,ik,kj->j", to_new, inverse, to_new))
    np.testing.assert_allclose(model.posterior(new)[0], mu, rtol=1e-6)
    np.testing.assert_allclose(model.posterior(new)[1], sigma2, rtol=1e-5, atol=1e-8 * variance)
    one_by_one = np.array([model.at_points()(point) for point in new]).T
    np.testing.assert_allclose(one_by_one[0], mu, rtol=1e-6)
    np.testing.assert_allclose(one_by_one[1], sigma2, rtol=1e-5, atol=1e-8 * variance)
