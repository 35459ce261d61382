# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA over the others, in fitness and in computation time."""

from dataclasses import replace

import numpy as np
import pytest

from bea_ros.studies.engine import comparison
from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.robots import report

CASE = ("gecko7", "gait")


def curve(algorithm, repetition, best, overhead, evaluations=100):
    steps = np.array([1.0, 50.0, evaluations])
    spent = np.array([0.0, overhead / 2, overhead])
    return Result(CASE, algorithm, repetition, steps, np.array(best), spent)


def results_of(runs, *algorithms):
    return Results({}, {}, [CASE], list(algorithms), runs)


def compare(*arguments, **named):
    return list(report.compare(*arguments, **named).itertuples())


def standings(*arguments):
    return list(comparison.standings(*arguments).itertuples())


def standing_after(*arguments):
    (found,) = comparison.standing_after(*arguments).itertuples()
    return found


def test_comparison_at_the_end_and_at_equal_time():
    runs = [curve("bea", i, [0.0, 2.0, 3.0 + i], 10.0) for i in range(2)]
    runs += [curve("bo", i, [0.0, 1.0, 2.0 + 2 * i], 290.0) for i in range(2)]
    results = results_of(runs, "bo", "bea")
    (found,) = compare(results, "bo", evaluation_time=1.0)
    assert (found.bea, found.mean) == (3.5, 3.0)
    assert found.fitness == pytest.approx(3.5 / 3.0)
    assert found.time == pytest.approx(110 / 390)
    # after 110 s BO has done no more than its first evaluation and is not above 0 yet
    assert np.isnan(found.equal_time)
    (later,) = compare(results, "bo", evaluation_time=10.0)
    assert later.equal_time == pytest.approx(3.5 / 1.0)  # 1010 s: BO has done 50, not 100
    assert found.paper_fitness == 1.167
    end, soon, then = standings(results, "bo", [1.0, 10.0])
    assert end.when == "at the end"
    assert (end.cases, end.ahead, end.behind, end.surely_ahead) == (1, 1, 0, 0)
    assert end.ratio == pytest.approx(3.5 / 3.0)
    assert np.isnan(soon.ratio)
    assert soon.ahead == 1
    assert then.ratio == pytest.approx(3.5)
    after = standing_after(results, "bo", 50, 50)
    assert (after.ratio, after.cases, after.ahead) == (pytest.approx(2.0), 1, 1)
    assert np.isnan(after.low)  # one case has no interval over cases


def test_at_equal_time_neither_has_more_of_it():
    """EA and CMA-ES are done before BEA: what BEA finds later does not count then."""
    runs = [curve("bea", i, [0.0, 2.0, 8.0], 100.0) for i in range(3)]
    runs += [curve("ea", i, [0.0, 3.0, 4.0], 0.0) for i in range(3)]
    (found,) = compare(results_of(runs, "ea", "bea"), "ea", evaluation_time=1.0)
    assert found.time == 2.0
    assert found.fitness == 2.0
    assert (found.bea_then, found.mean_then) == (2.0, 4.0)  # 100 s: BEA has done 50
    assert found.equal_time == 0.5


def test_a_case_counts_as_sure_where_the_runs_are_apart():
    runs = [curve("bea", i, [0.0, 1.0, 5.0 + i], 0.0) for i in range(5)]
    runs += [curve("cma", i, [0.0, 2.0, 10.0 + i], 0.0) for i in range(5)]
    results = results_of(runs, "bea", "cma")
    standing = standing_after(results, "cma", 100, 100)
    assert (standing.ahead, standing.behind, standing.surely_behind) == (0, 1, 1)
    assert standing.ratio == pytest.approx(7.0 / 12.0)
    assert standing_after(results, "cma", 100, 50).surely_ahead == 1


def test_runs_are_paired_by_repetition_where_they_share_seeds():
    """Each of BEA's is a tenth above the one it began with, which differ much more."""
    starts = [1.0, 10.0, 3.0, 20.0, 6.0, 2.0]
    runs = [curve("bea", i, [0.0, 1.0, 1.1 * x], 0.0) for i, x in enumerate(starts)]
    runs += [curve("bo", i, [0.0, 1.0, x], 0.0) for i, x in reversed(list(enumerate(starts)))]
    runs.append(curve("bo", 6, [0.0, 1.0, 1000.0], 0.0))  # nobody's pair
    shared = replace(results_of(runs, "bo", "bea"), shared=("bo",))
    standing = standing_after(shared, "bo", 100, 100)
    assert standing.ratio == pytest.approx(1.1)
    assert standing.p == pytest.approx(2 / 2**6, abs=0.015)  # all of six on one side
    (case,) = compare(shared, "bo", evaluation_time=1.0)
    assert (case.runs, case.p) == (6, pytest.approx(2 / 2**6))
    apart = standing_after(results_of(runs, "bo", "bea"), "bo", 100, 100)
    assert apart.ratio < 1.0
    assert apart.p > 0.2


def test_by_the_papers_cost_bo_takes_the_paper_s_times_as_long():
    """1500 evaluations of 1 s: 1500 s and 12.5 s x 1500 / 4 of overhead, BEA's to 300."""

    def run(algorithm):
        at = np.array([10.0, 300.0, 1500.0])
        return Result(CASE, algorithm, 0, at, np.array([1.0, 2.0, 3.0]), np.zeros(3))

    results = replace(results_of([run("bea"), run("bo"), run("ea")], "bo", "ea", "bea"),
                      settings={"switch": 300})  # fmt: skip
    (bo,) = compare(results, "bo", evaluation_time=1.0)
    assert bo.time == 1.0
    assert bo.paper_cost_time == pytest.approx((1500 + 7.5) / (1500 + 4687.5))
    assert 0.185 < bo.paper_cost_time < 0.25  # the paper: 0.185 to 0.228 where it takes 1 s
    assert (bo.paper_cost_bea_then, bo.paper_cost_mean_then) == (3.0, 2.0)
    (ea,) = compare(results, "ea", evaluation_time=1.0)
    assert ea.paper_cost_time == pytest.approx(1507.5 / 1500)


def test_computation_time_has_a_p_of_its_own():
    runs = [curve("bea", i, [0.0, 1.0, 2.0], 10.0 + i) for i in range(5)]
    runs += [curve("bo", i, [0.0, 1.0, 2.0], 290.0 + i) for i in range(5)]
    (found,) = compare(results_of(runs, "bo", "bea"), "bo", evaluation_time=1.0)
    assert found.p == 1.0
    assert found.p_time == pytest.approx(2 / 252)  # five of each, apart
