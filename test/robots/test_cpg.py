# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The oscillator network: its equations, its outputs, and the limits of its commands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from bea_ros.robots.cpg import CommandLimiter, CpgNetwork, to_weights
from bea_ros.robots.description import Robot, load_robot

ROBOTS = {name: load_robot(name) for name in ("spider9", "gecko7", "babyA")}
SPIDER = ROBOTS["spider9"]


def random_parameters(robot: Robot, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(len(robot.parameter_names))


def derivative(robot: Robot, parameters: np.ndarray, weight_range: float, state: np.ndarray):
    """dA/dt and dB/dt written out joint by joint and pair by pair (Revolve, DifferentialCPG)."""
    weight = dict(zip(robot.parameter_names, weight_range * (2 * parameters - 1), strict=True))
    names = [joint.name for joint in robot.joints]
    grid = {joint.name: joint.grid for joint in robot.joints}
    a = dict(zip(names, state[: len(names)], strict=True))
    b = dict(zip(names, state[len(names) :], strict=True))
    da = {name: -weight[name] * b[name] for name in names}
    db = {name: weight[name] * a[name] for name in names}
    for first in names:
        for second in names:
            distance = sum(abs(p - q) for p, q in zip(grid[first], grid[second], strict=True))
            if distance == 2 and grid[first] < grid[second]:
                coupling = weight[f"{first}-{second}"]
                da[second] += coupling * a[first]
                da[first] -= coupling * a[second]
    return np.array([da[name] for name in names] + [db[name] for name in names])


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_state_solves_the_published_equations(name: str, seed: int) -> None:
    robot, parameters = ROBOTS[name], random_parameters(ROBOTS[name], seed)
    network = CpgNetwork(robot, parameters, weight_range=1.5)
    n = len(robot.joints)
    matrix = np.array([derivative(robot, parameters, 1.5, unit) for unit in np.eye(2 * n)]).T
    times = np.linspace(0, 30, 31)
    expected = solve_ivp(
        lambda _, x: matrix @ x,
        (0, 30),
        np.repeat([0.707, -0.707], n),
        t_eval=times,
        rtol=1e-10,
        atol=1e-12,
    ).y
    for time, state in zip(times, expected.T, strict=True):
        np.testing.assert_allclose(network.state(time), state, atol=1e-7)


def test_one_oscillator_runs_at_its_own_weight() -> None:
    parameters = np.full(18, 0.5)
    parameters[2] = 1.0
    network = CpgNetwork(SPIDER, parameters, weight_range=1.5)
    for time in (0.0, 0.4, 7.0):
        a = network.state(time)[:8]
        assert a[2] == pytest.approx(math.cos(math.pi / 4 - 1.5 * time) * 0.707 * math.sqrt(2))
        np.testing.assert_allclose(np.delete(a, 2), 0.707)


def test_energy_is_constant_for_hours() -> None:
    network = CpgNetwork(SPIDER, random_parameters(SPIDER, 3), weight_range=9.0)
    np.testing.assert_array_equal(network.matrix, -network.matrix.T)
    for time in (0.0, 1.0, 1e3, 1e5):
        assert np.linalg.norm(network.state(time)) == pytest.approx(0.707 * 4, rel=1e-9)


def test_weight_range_scales_time() -> None:
    parameters = random_parameters(SPIDER, 4)
    slow, fast = (CpgNetwork(SPIDER, parameters, weight_range=r) for r in (1.5, 4.5))
    np.testing.assert_allclose(fast.output(2.0), slow.output(6.0), atol=1e-9)


def test_outputs_of_both_shapes() -> None:
    parameters = random_parameters(SPIDER, 5)
    limit = SPIDER.joints[0].upper
    for time in (0.0, 0.7, 3.1):
        a = CpgNetwork(SPIDER, parameters).state(time)[:8]
        tanh = CpgNetwork(SPIDER, parameters, gain=2.0).output(time)
        np.testing.assert_allclose(tanh, limit * np.tanh(2 * a), atol=1e-12)
        clip = CpgNetwork(SPIDER, parameters, output="clip").output(time)
        signal = [min(max(4 * (2 / (1 + 2.718 ** (-2 * x)) - 1), 1e-5), 0.99999) for x in a]
        np.testing.assert_allclose(clip, [-limit + s * 2 * limit for s in signal], atol=1e-12)
    assert clip.min() == pytest.approx(-limit, abs=1e-4), "A <= 0 is the lower limit"


@pytest.mark.parametrize("output", ["tanh", "clip"])
def test_many_times_at_once_are_those_one_by_one_to_the_bit(output: str) -> None:
    """So a simulation in one process, which plans all, gives the log of a controller's ticks."""
    times = np.arange(600) * 50_000_000 / 1e9
    for robot in ROBOTS.values():
        network = CpgNetwork(robot, random_parameters(robot, 6), output=output)
        one_by_one = [network.output(tick * 50_000_000 / 1e9) for tick in range(600)]
        np.testing.assert_array_equal(network.output(times), one_by_one)


@given(
    parameters=st.lists(st.floats(0, 1), min_size=18, max_size=18),
    time=st.floats(0, 1e4),
    weight_range=st.floats(0, 50),
    output=st.sampled_from(["tanh", "clip"]),
    gain=st.floats(0, 100),
)
@settings(deadline=None, max_examples=150)
def test_output_never_leaves_the_joint_limits(
    parameters, time, weight_range, output, gain
) -> None:
    targets = CpgNetwork(SPIDER, parameters, weight_range, output, gain).output(time)
    for joint, target in zip(SPIDER.joints, targets, strict=True):
        assert joint.lower <= target <= joint.upper


@given(
    targets=st.lists(
        st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=8, max_size=8),
        min_size=1,
        max_size=8,
    ),
    period=st.floats(0, 0.5),
)
@settings(deadline=None, max_examples=150)
def test_commands_never_leave_limits_or_rates(targets, period) -> None:
    limiter = CommandLimiter(SPIDER.joints)
    last = limiter.neutral
    for target in targets:
        command = limiter.limit(np.array(target), period)
        for joint, before, now in zip(SPIDER.joints, last, command, strict=True):
            assert joint.lower <= now <= joint.upper
            assert abs(now - before) <= joint.velocity * period + 1e-12
        last = command


def test_limiter_reaches_a_target_that_stays() -> None:
    limiter = CommandLimiter(SPIDER.joints)
    target = np.linspace(-0.7, 0.7, 8)
    for _ in range(4):
        command = limiter.limit(target, 0.05)
    np.testing.assert_array_equal(command, target)
    np.testing.assert_array_equal(limiter.limit(np.full(8, np.nan), 0.05), target)
    limiter.reset()
    np.testing.assert_array_equal(limiter.command, limiter.neutral)


@pytest.mark.parametrize(
    ("parameters", "options", "message"),
    [
        (np.full(17, 0.5), {}, "spider9 has 18 CPG parameters, not 17"),
        (np.full(18, 1.2), {}, r"leg_01 is outside \[0, 1\]"),
        (np.where(np.arange(18) == 8, np.nan, 0.5), {}, r"leg_01-leg_00 is outside"),
        (np.full(18, 0.5), {"output": "sine"}, "'sine' is not one of tanh, clip"),
    ],
)
def test_bad_candidates_are_refused(parameters, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        CpgNetwork(SPIDER, parameters, **options)


def test_named_weights_give_the_same_network() -> None:
    parameters = random_parameters(SPIDER, 6)
    network = CpgNetwork(SPIDER, parameters, weight_range=2.5)
    weights = to_weights(parameters, 2.5)
    named = dict(reversed(list(zip(SPIDER.parameter_names, weights, strict=True))))
    np.testing.assert_array_equal(
        CpgNetwork.from_weights(SPIDER, named).output(3.3), network.output(3.3)
    )
    for wrong, message in (
        ({**named, "tail": 1.0}, "unknown CPG parameter 'tail'"),
        ({name: named[name] for name in named if name != "leg_20"}, "no CPG parameter 'leg_20'"),
        ({**named, "leg_20": math.inf}, "leg_20 is inf"),
    ):
        with pytest.raises(ValueError, match=message):
            CpgNetwork.from_weights(SPIDER, wrong)
