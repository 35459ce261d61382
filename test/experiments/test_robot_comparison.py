# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA over the others, in fitness and in computation time."""

import numpy as np
import pytest

from bea_ros.experiments.robot_study.comparison import compare, overall
from bea_ros.experiments.robot_study.results import Result, Results


def curve(algorithm, repetition, best, overhead, evaluations=100):
    steps = np.array([1.0, 50.0, evaluations])
    return Result(
        "gecko7", "gait", algorithm, repetition, steps, np.array(best),
        np.array([0.0, overhead / 2, overhead]), (0.5,), 0, 1.0,
    )  # fmt: skip


def test_comparison_at_the_end_and_at_equal_time():
    runs = [curve("bea", i, [0.0, 2.0, 3.0 + i], 10.0) for i in range(2)]
    runs += [curve("bo", i, [0.0, 1.0, 2.0 + 2 * i], 290.0) for i in range(2)]
    settings = {"algorithms": ["bo", "bea"], "robots": ["gecko7"], "tasks": ["gait"]}
    results = Results(settings, {}, runs)
    (found,) = compare(results, "bo", evaluation_time=1.0)
    assert (found.bea, found.mean) == (3.5, 3.0)
    assert found.fitness == pytest.approx(3.5 / 3.0)
    assert found.time == pytest.approx(110 / 390)
    # after 110 s BO has done no more than its first evaluation and is not above 0 yet
    assert np.isnan(found.equal_time)
    (later,) = compare(results, "bo", evaluation_time=10.0)
    assert later.equal_time == pytest.approx(3.5 / 1.0)  # 1010 s: BO has done 50, not 100
    assert found.paper_fitness == 1.167
    assert overall(results, "bo", 50, 50) == (pytest.approx(2.0), 1, 1)
