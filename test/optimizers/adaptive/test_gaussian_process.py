# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The Gaussian process against scikit-learn, finite differences and awkward data."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from bea_ros.optimizers.adaptive.model.gaussian_process import LearnedProcess, PosteriorMean
from bea_ros.optimizers.adaptive.model.hyperparameters import (
    Correlations,
    LogPosterior,
    hyperparameters_at,
    learn,
    learn_noise,
    nearest,
)
from bea_ros.optimizers.adaptive.model.kernel import AdditiveKernel, Hyperparameters, spectrum
from bea_ros.optimizers.gaussian_process import JITTER, GaussianProcess

D = 4


def data(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random((n, D))
    return x, np.sin(5.0 * x).sum(axis=1) + 3.0


def most_probable(x, y):
    posterior = LogPosterior(Correlations(x), y)
    return hyperparameters_at(learn(posterior, Hyperparameters(2.0, 1e-5)))


def fed(hyperparameters, x, y, **options):
    """A model that was given the observations by ones, twos and threes.

    With options its mean and its signal variance are given, not fitted.
    """
    d = x.shape[1]
    model = LearnedProcess(d, hyperparameters)
    if options:
        model = GaussianProcess(model.kernel, d, hyperparameters.noise, **options)
    at = 0
    while at < len(x):
        some = slice(at, at + 1 + at % 3)
        model.extend(x[some], y[some])
        at = some.stop
    return model


def reference(length_scale, noise, variance, x, y):
    kernel = ConstantKernel(variance) * Matern(length_scale, nu=2.5) + WhiteKernel(
        variance * (noise + JITTER)
    )
    return GaussianProcessRegressor(kernel, optimizer=None, alpha=1e-14).fit(x, y)


def log_likelihood(model):
    """Of the observations, by the model's kernel, mean, variance and noise."""
    points, residual = model.kernel.embed(model.x), model.y - model.mean
    covariance = model.kernel.correlation(points, points)
    covariance += (model.noise + JITTER) * np.eye(len(points))
    covariance *= model.signal_variance
    fit = residual @ np.linalg.solve(covariance, residual)
    return -0.5 * (fit + np.linalg.slogdet(2 * np.pi * covariance)[1])


@pytest.mark.parametrize("length_scale", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("variance", [1.0, 0.01])
def test_posterior_and_likelihood_are_those_of_scikit_learn(length_scale, variance):
    x, y = data(90)
    noise = 1e-3
    model = fed(Hyperparameters(length_scale, noise), x, y, signal_variance=variance)
    sklearn = reference(length_scale, noise, variance, x, y)
    points = np.random.default_rng(1).random((50, D))
    mean, deviation = sklearn.predict(points, return_std=True)
    our_mean, our_variance = model.posterior(points)
    np.testing.assert_allclose(our_mean, mean, rtol=1e-8, atol=1e-9)
    noise_free = deviation**2 - variance * (noise + JITTER)
    np.testing.assert_allclose(our_variance, noise_free, rtol=1e-6, atol=1e-9 * variance)
    assert log_likelihood(model) == pytest.approx(sklearn.log_marginal_likelihood_value_)


def test_the_data_mean_is_taken_off_and_put_back():
    x, y = data(30)
    model = fed(Hyperparameters(0.5, 1e-3), x, y, mean="data")
    sklearn = reference(0.5, 1e-3, 1.0, x, y - y.mean())
    points = np.random.default_rng(1).random((20, D))
    np.testing.assert_allclose(model.posterior(points)[0], sklearn.predict(points) + y.mean())


def test_fitted_mean_and_variance_maximise_the_likelihood():
    x, y = data(30)
    hyperparameters = Hyperparameters(0.7, 1e-3)
    model = fed(hyperparameters, x, y)

    def likelihood(mean, variance):
        return log_likelihood(fed(hyperparameters, x, y - mean, signal_variance=variance))

    best = likelihood(model.mean, model.signal_variance)
    assert best == pytest.approx(log_likelihood(model))
    for mean, variance in ((1.01, 1.0), (0.99, 1.0), (1.0, 1.05), (1.0, 0.95)):
        assert likelihood(mean * model.mean, variance * model.signal_variance) < best


@pytest.mark.parametrize("additive", [0.0, 0.4])
def test_one_at_a_time_is_all_at_once(additive):
    x, y = data(150)
    hyperparameters = Hyperparameters(0.8, 1e-4, additive, 0.1)
    grown = fed(hyperparameters, x, y)
    refitted = fed(hyperparameters, x, y)
    refitted.refit(hyperparameters)
    points = np.random.default_rng(1).random((20, D))
    for ours, theirs in zip(grown.posterior(points), refitted.posterior(points), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


def test_refit_changes_the_hyperparameters():
    x, y = data(40)
    model = fed(Hyperparameters(0.3), x, y)
    wanted = Hyperparameters(1.5, 1e-3, 0.5, 0.2)
    model.refit(wanted)
    points = np.random.default_rng(1).random((20, D))
    expected = fed(wanted, x, y).posterior(points)
    np.testing.assert_allclose(model.posterior(points)[0], expected[0], rtol=1e-7)


@pytest.mark.parametrize("additive", [0.0, 0.4])
def test_gradient_of_the_posterior_mean_is_that_of_finite_differences(additive):
    x, y = data(40)
    model = fed(Hyperparameters(0.6, 1e-3, additive, 0.1), x, y)
    mean = PosteriorMean(model)
    point = np.random.default_rng(2).random(D)
    value, gradient = mean(point)
    assert value == pytest.approx(model.posterior(point[None])[0][0])
    h = 1e-6
    differences = [
        (mean(point + h * axis)[0] - mean(point - h * axis)[0]) / (2 * h) for axis in np.eye(D)
    ]
    np.testing.assert_allclose(gradient, differences, rtol=1e-4, atol=1e-5)


def test_the_additive_part_is_a_matern_in_each_coordinate():
    scale = 0.15
    kernel = AdditiveKernel(Hyperparameters(1.0, 0.0, 1.0, scale), 1)
    x = np.linspace(0.0, 1.0, 40)[:, None]
    correlation = kernel.correlation(kernel.embed(x), kernel.embed(x))
    np.testing.assert_allclose(np.diagonal(correlation), 1.0)
    # The series lacks the constant term, so it is a Matern up to an offset and a factor.
    lag = Matern(scale, nu=2.5)(x[:1], x)[0]
    fit = np.polyfit(lag, correlation[0], 1)
    np.testing.assert_allclose(np.polyval(fit, lag), correlation[0], atol=0.02)
    assert spectrum(scale).sum() == pytest.approx(1.0)


def test_the_additive_part_learns_a_sum_from_few_points():
    rng = np.random.default_rng(0)
    d = 12
    x, points = rng.random((120, d)), rng.random((200, d))

    def total(x):
        return np.sin(9.0 * x + np.arange(d)).sum(axis=1)

    def error(additive):
        model = fed(Hyperparameters(1.0, 1e-6, additive, 0.15), x, total(x))
        return np.std(model.posterior(points)[0] - total(points)) / np.std(total(points))

    assert error(0.9) < 0.5 * error(0.0)


def test_grid_likelihood_is_that_of_the_process():
    x, y = data(50)
    posterior = LogPosterior(Correlations(x), y)
    offsets = []
    for wanted in (Hyperparameters(0.5, 1e-4), Hyperparameters(1.0, 1e-3, 0.5, 0.1)):
        choice = nearest(wanted)
        model = fed(hyperparameters_at(choice), x, y)
        offsets.append(posterior._log_likelihood(choice) - log_likelihood(model))
    assert offsets[0] == pytest.approx(offsets[1], rel=1e-6)


def test_learning_finds_the_length_scale_of_a_sample_path():
    rng = np.random.default_rng(3)
    x = rng.random((100, 2))
    for true in (0.3, 2.0):
        covariance = Matern(true, nu=2.5)(x) + 1e-8 * np.eye(len(x))
        y = np.linalg.cholesky(covariance) @ rng.standard_normal(len(x))
        learned = most_probable(x, y)
        assert true / 2.0 < learned.length_scale < true * 2.0


def test_learning_finds_what_is_additive():
    rng = np.random.default_rng(4)
    x = rng.random((100, 6))
    separable = np.cos(20.0 * x).sum(axis=1)
    assert most_probable(x, separable).additive > 0.3
    smooth = np.exp(-(np.linalg.norm(x - 0.4, axis=1) ** 2))
    assert most_probable(x, smooth).additive < 0.3


def test_the_noise_of_a_model_that_is_too_smooth_is_what_it_cannot_explain():
    rng = np.random.default_rng(5)
    x = rng.random((100, 4))
    trend = x.sum(axis=1)
    noises = []
    for ripple in (0.0, 0.01, 0.3):
        y = trend + ripple * rng.standard_normal(len(x))
        learned = learn_noise(LogPosterior(Correlations(x), y), Hyperparameters(4.0, 1e-5))
        assert (learned.length_scale, learned.additive) == (4.0, 0.0)
        noises.append(learned.noise)
    assert noises[0] < noises[1] < noises[2]


AWKWARD = {
    "duplicates": lambda x: (np.repeat(x[:5], len(x) // 5, axis=0), None),
    "nearly duplicates": lambda x: (x[:1] + 1e-12 * x, None),
    "constant": lambda x: (x, np.full(len(x), 7.0)),
    "zero": lambda x: (x, np.zeros(len(x))),
    "huge": lambda x: (x, 1e12 * np.sin(9 * x[:, 0])),
    "huge and constant but one": lambda x: (x, np.where(np.arange(len(x)) == 3, 1e12, 0.0)),
    "tiny": lambda x: (x, 1e-12 * np.sin(9 * x[:, 0])),
    "discontinuous": lambda x: (x, np.where(x[:, 0] > 0.5, 1.0, -1.0)),
    "noisy duplicates": lambda x: (
        np.repeat(x[:5], len(x) // 5, axis=0),
        np.random.default_rng(1).standard_normal(len(x)),
    ),
}


@pytest.mark.parametrize("case", AWKWARD)
@pytest.mark.parametrize("options", [{}, {"mean": "zero"}, {"mean": "data"}])
def test_awkward_data_neither_warn_nor_fail(case, options):
    x, y = data(60)
    x, values = AWKWARD[case](x)
    y = y if values is None else values
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fed(Hyperparameters(2.0, 0.0), x, y, **options)
        if not options:
            model.refit(most_probable(x, y))
        model.add(x[0], y[0])
        model.extend(x[[1, 1, 2]], y[[1, 1, 2]])
        predicted, variance = model.posterior(np.vstack([x, 1.0 - x]))
        value, gradient = PosteriorMean(model)(x[0])
    assert np.isfinite(predicted).all()
    assert np.isfinite(variance).all()
    assert (variance >= 0.0).all()
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@given(
    scale=st.floats(-12, 12),
    offset=st.floats(-3, 3),
    n=st.integers(2, 25),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_an_affine_change_of_the_fitness_changes_nothing(scale, offset, n, seed):
    x, y = data(n, seed)
    points = np.random.default_rng(seed + 1).random((5, D))
    factor = 10.0**scale
    hyperparameters = Hyperparameters(1.0, 1e-4, 0.3, 0.1)
    mean, variance = fed(hyperparameters, x, y).posterior(points)
    changed = fed(hyperparameters, x, factor * (y + offset)).posterior(points)
    np.testing.assert_allclose(changed[0] / factor - offset, mean, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(changed[1] / factor**2, variance, rtol=1e-4, atol=1e-9)
