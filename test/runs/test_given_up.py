# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates that could not be measured, or that somebody skipped: they count as the worst."""

import numpy as np
import pytest
from run_maker import BUDGET, give_up, opened, step

from bea_ros.optimizers import create
from bea_ros.robots.cpg import from_weights
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.runs.warm_start import start_candidates


def test_what_is_given_up_counts_as_the_worst_and_is_not_repeated(tmp_path):
    run = opened(tmp_path / "given", confirm=2)
    give_up(run)  # the first, and so the best that the optimizer knows
    assert (run.done, run.evaluations[0]["fitness"]) == (1, 0.0)
    tried = [step(run, fitness=fitness).evaluation for fitness in (-7.0, -7.0, -7.0, 4.0)]
    assert tried == [2, 2, 2, 3], "the first that was measured is confirmed"
    give_up(run)  # what promised to be the best
    record = run.evaluations[2]
    assert (record["measurements"], record["doubted"], record["given_up"]) == ([-7.0], [4.0], True)
    assert run.optimizer.history[2].measurements in ((), (-7.0,))
    assert run.best["evaluation"] == 2, "of those that were measured"
    give_up(run)
    assert [r["fitness"] for r in run.evaluations] == [0.0, -7.0, -7.0, -7.0]
    wanted = run.next().weights
    run.folder.close()
    again = opened(tmp_path / "given", confirm=2)
    assert (again.done, again.next().weights) == (4, wanted)
    assert again.correct() == 4
    step(again, fitness=-1.0)
    assert "given_up" not in again.evaluations[3]
    again.folder.close()


@pytest.mark.parametrize("algorithm", ["bo", "ea", "bea"])
def test_what_is_given_up_first_is_not_the_best_that_the_optimizer_knows(tmp_path, algorithm):
    """Where all fitness is negative, as a cost is, the search stayed near it."""
    path = tmp_path / algorithm

    def make():
        return create(algorithm, 3, seed=4, budget=BUDGET)

    run = opened(path, make=make)
    give_up(run)
    give_up(run)
    fell = run.optimizer.history[0].x
    step(run, -3.0)
    assert [record.fitness for record in run.optimizer.history] == [-3.0] * 3
    give_up(run)
    step(run, -5.0)
    give_up(run)
    told = [-3.0, -3.0, -3.0, -3.0, -5.0, -5.0]
    assert [record.fitness for record in run.optimizer.history] == told
    assert np.array_equal(run.optimizer.history[0].x, fell)
    wanted = run.next().weights
    run.folder.close()
    again = opened(path, make=make)
    assert (again.done, again.next().weights) == (6, wanted)
    again.folder.close()


def test_what_was_given_up_is_never_the_best_even_if_all_else_is_negative(tmp_path):
    run = opened(tmp_path, confirm=1)
    assert run.give_up(run.next(), 3, {"evaluation": 90.0, "interruptions": 0})["fitness"] == 0.0
    assert run.best is None
    step(run, -0.8)
    assert run.next().kind == "repetition", "a new best is confirmed"
    step(run, -0.6)
    assert run.best["evaluation"] == 2
    step(run, -0.9)
    assert run.best["evaluation"] == 2
    run.folder.close()
    assert opened(tmp_path, confirm=1).best["evaluation"] == 2
    records = read_evaluations(tmp_path)
    lies = np.array([list(records[0]["parameters"].values())])
    start = start_candidates(tmp_path, list(records[0]["parameters"]), 1.0, 2)
    assert not (np.abs(start - from_weights(lies, 1.0)) < 1e-9).all(1).any()
