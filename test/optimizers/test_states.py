# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""From its state an optimizer asks on as if it had never been stopped."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from loop import advance, made, resumed

from bea_ros.optimizers import OPTIMIZERS, PROFILES

every = pytest.mark.parametrize("name", OPTIMIZERS)


@given(
    name=st.sampled_from(sorted(OPTIMIZERS)),
    profile=st.sampled_from(PROFILES),
    seed=st.integers(0, 2**32),
    dimension=st.integers(1, 5),
    stop=st.integers(0, 45),
    asked=st.booleans(),
    fitness=st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60),
)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@example("bea", "default", 0, 1, 2, False, [0.0, 1e-162])
@example("bo", "default", 0, 3, 40, True, [0.0, 5e-324, 1e-310])
def test_restored_anywhere_it_asks_the_same(name, profile, seed, dimension, stop, asked, fitness):
    count = iter(range(10**9))

    def told(x):
        return fitness[next(count) % len(fitness)]

    optimizer = made(name, profile, dimension, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        advance(optimizer, stop, told)
        if asked:
            optimizer.ask()
        restored = resumed(made(name, profile, dimension, seed), optimizer)
        assert json.dumps(restored.state()) == json.dumps(optimizer.state())
        assert restored.stage == optimizer.stage
        assert restored.step_size_factor == optimizer.step_size_factor
        for _ in range(8):
            x = optimizer.ask()
            assert ((x >= 0.0) & (x <= 1.0)).all()
            np.testing.assert_array_equal(x, restored.ask())
            value = told(x)
            optimizer.tell(x, value)
            restored.tell(x, value)


@every
def test_a_state_of_another_optimizer_is_refused(name):
    optimizer = made(name)
    advance(optimizer, 12)
    before = json.dumps(optimizer.state())
    others = [
        made(name, seed=2).state(),
        made(name, budget=61).state(),
        made(name, profile="paper").state(),
        made(name, dimension=5).state(),
        {**optimizer.state(), "format": 99},
        {**optimizer.state(), "evaluations": [[[0.5, 0.5, 0.5, 7.0], 1.0, None, 0.0]]},
        {**optimizer.state(), "evaluations": [[[0.5, 0.5, 0.5, 0.5], float("nan"), None, 0.0]]},
        {**optimizer.state(), "evaluations": [[0.5]]},
        {**optimizer.state(), "evaluations": [[[10**400] * 4, 1.0, None, 0.0]]},
        {**optimizer.state(), "features_at_probe": [10**400]},
        {"format": 1},
        {},
        None,
    ]
    for state in others:
        with pytest.raises(ValueError):
            optimizer.restore(state)
    assert json.dumps(optimizer.state()) == before


@every
def test_a_state_from_another_machine_is_taken_as_it_is(name):
    optimizer = made(name)
    advance(optimizer, 30)
    state = optimizer.state()
    for evaluation in state["evaluations"]:
        evaluation[0] = [min(v * (1.0 + 1e-15), 1.0) for v in evaluation[0]]
    restored = made(name)
    restored.restore(state)
    assert [r.x.tolist() for r in restored.history] == [e[0] for e in state["evaluations"]]
    restored.tell(restored.ask(), 0.0)
