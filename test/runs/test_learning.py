# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Optimizer and log of a run: repetitions, corrections, and going on from any line of the log."""

import json
import time

import numpy as np
import pytest
import run_maker
from run_maker import BUDGET, TASK, finish, opened, step, weights

from bea_ros.optimizers import create
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.measurements import is_finished, measurements, told
from bea_ros.runs.folder.run_folder import LOG, RunFolder, read_evaluations
from bea_ros.runs.learning import LearningRun


def test_what_learning_took_counts_for_the_next_candidate_and_the_log_has_what_was_told(
    tmp_path, monkeypatch
):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    class Slow(type(create("bo", 3, budget=BUDGET))):
        def _learn(self, record):
            super()._learn(record)
            now[0] += 0.02

    run = LearningRun(
        RunFolder(tmp_path, {"robot": "spider9", "task": TASK}, {}),
        lambda: Slow(3, seed=4, budget=BUDGET),
        weights,
        30.0,
    )
    for _ in range(4):
        run.next()  # asked twice, as by a learner that looks whether there is anything to do
        step(run)
    logged = [record["time"]["overhead"] for record in run.evaluations]
    assert logged == [record.overhead_time for record in run.optimizer.history]
    assert logged == pytest.approx([0.0, 0.02, 0.02, 0.02])
    run.folder.close()


def lines(path):
    kept = ("evaluation", "kind", "stage", "parameters", "fitness")
    records = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
    return [{name: r.get(name) for name in kept} for r in records]


def test_a_new_best_is_repeated_before_it_is_told(tmp_path):
    run = opened(tmp_path, confirm=2)
    assert [step(run).kind for _ in range(3)] == ["", "repetition", "repetition"]
    assert run.done == 1
    first = run.evaluations[0]
    assert len(measurements(first)) == 3
    assert run.optimizer.best[1] == told(first) == pytest.approx(np.mean(measurements(first)))
    assert run.optimizer.history[0].measurements == tuple(measurements(first))
    step(run, fitness=-100.0)
    assert run.next().evaluation == 3, "what is no best is not repeated"
    step(run, fitness=5.0)
    step(run, fitness=-100.0)
    assert run.next().evaluation == 4, "what is no best any more is given up"
    assert run.best is not None
    assert run.best["evaluation"] == 1


@pytest.mark.parametrize(("fitness", "ends"), [(0.81, True), (0.79, False)])
def test_an_adaptation_ends_when_the_gait_is_confirmed_to_be_unchanged(tmp_path, fitness, ends):
    asked = {"before": 1.0, "confirm": 1, "evaluations": BUDGET}
    finished = []
    while len(finished) < 2:
        run = opened(tmp_path, confirm=1, before=1.0)
        step(run, fitness=fitness)
        finished.append(is_finished(asked, run.evaluations))
        again = run.next()
        run.folder.close()
    assert finished == [False, ends]
    assert (again is None) == ends
    resumed = opened(tmp_path, confirm=1, before=1.0)
    assert (resumed.next() is None) == ends
    assert resumed.satisfied == ends
    resumed.folder.close()


def test_a_gait_that_falls_is_not_unchanged_however_bad_it_was(tmp_path):
    run = opened(tmp_path, before=-0.1)
    run.give_up(run.next(), 3, {"evaluation": 30.0, "interruptions": 0})
    assert run.evaluations[0]["fitness"] == 0.0
    assert not run.satisfied
    assert run.next().evaluation == 2
    run.folder.close()


def test_the_best_at_the_end_is_one_that_was_confirmed(tmp_path):
    finish(opened(tmp_path, confirm=3))
    records = read_evaluations(tmp_path)
    best = max(records, key=lambda r: r["fitness"])
    assert len(records) == BUDGET
    assert len(measurements(best)) == 4


def test_a_doubted_fitness_is_corrected_and_the_optimizer_never_knew_it(tmp_path):
    run = opened(tmp_path / "doubted")
    for _ in range(12):
        step(run)
    wrong = step(run, fitness=9.0)
    assert run.best["evaluation"] == wrong.evaluation
    assert run.correct()
    written = (tmp_path / "doubted" / "run.yaml").stat().st_mtime_ns
    assert run.correct()
    assert (tmp_path / "doubted" / "run.yaml").stat().st_mtime_ns == written
    run.folder.close()
    run = opened(tmp_path / "doubted")  # the learner was killed before it measured that again
    again = run.next()
    assert (again.evaluation, again.kind) == (wrong.evaluation, "correction")
    assert again.weights == wrong.weights
    step(run, fitness=-0.3)
    assert run.best["evaluation"] != wrong.evaluation
    assert run.evaluations[12]["doubted"] == [9.0]
    finish(run)
    right = opened(tmp_path / "right")
    for _ in range(12):
        step(right)
    step(right, fitness=-0.3)
    finish(right)
    corrected = [r["parameters"] for r in read_evaluations(tmp_path / "doubted")]
    assert corrected == [r["parameters"] for r in read_evaluations(tmp_path / "right")]


def test_at_the_end_it_is_the_repeated_best_that_is_doubted(tmp_path):
    run = opened(tmp_path, confirm=0)
    for number in range(1, BUDGET + 1):
        step(run, fitness=9.0 if number == 5 else -float(number))
    run.folder.close()
    run = opened(tmp_path, confirm=2)
    assert step(run, fitness=50.0).kind == "repetition"
    assert run.correct() == 5
    assert step(run, fitness=8.0).kind == "correction"
    assert run.best["evaluation"] == 5
    assert run.best["fitness"] == 8.0
    assert run.best["doubted"] == [9.0, 50.0]
    finish(run)
    assert measurements(read_evaluations(tmp_path)[4])[0] == 8.0


def test_a_run_whose_candidates_are_others_names_what_to_do(tmp_path, monkeypatch):
    run = opened(tmp_path)
    step(run)
    run.folder.close()
    monkeypatch.setattr(run_maker, "weights", lambda x: {"w0": 0.0})  # of another version
    with pytest.raises(RunFolderError, match=r"evaluation 1 has other parameters.*--warm-start"):
        opened(tmp_path)


def test_nothing_is_corrected_where_nothing_was_measured(tmp_path):
    assert not opened(tmp_path).correct()


def test_a_run_goes_on_from_any_line_of_its_log(tmp_path):
    whole = tmp_path / "whole"

    def doubting(run):
        while trial := step(run):
            if trial.evaluation in (3, 13) and trial.kind == "":
                run.correct()
        run.folder.close()

    doubting(opened(whole, confirm=2))
    wanted = lines(whole)
    kinds = [line["kind"] for line in wanted]
    assert kinds.count("correction") == 2
    assert kinds.count("repetition") > 3
    for count in range(1, len(wanted)):
        cut = tmp_path / f"cut{count}"
        cut.mkdir()
        (cut / "run.yaml").write_bytes((whole / "run.yaml").read_bytes())
        kept = (whole / LOG).read_bytes().splitlines(keepends=True)[:count]
        (cut / LOG).write_bytes(b"".join(kept))
        run = opened(cut, confirm=2)
        last = wanted[count - 1]
        if last["evaluation"] in (3, 13) and not last["kind"]:
            run.correct()
        doubting(run)
        assert lines(cut) == wanted, count


def test_a_run_whose_budget_is_spent_learns_nothing_again(tmp_path, capsys):
    request = {"robot": "spider9", "task": TASK, "evaluations": BUDGET}

    class Silent(type(create("bo", 3, budget=BUDGET))):
        def _propose(self):
            raise AssertionError("it was asked")

    def run_of(make, **more):
        folder = RunFolder(tmp_path, request | more, {})
        return LearningRun(folder, make, weights, 30.0, confirm=2)

    def asking(budget=BUDGET):
        return create("bo", 3, seed=4, budget=budget)

    finish(run_of(asking))
    done = run_of(lambda: Silent(3, seed=4, budget=BUDGET))
    assert (done.done, done.next()) == (BUDGET, None)
    assert done.best == max(done.evaluations, key=lambda record: record["fitness"])
    done.folder.close()
    assert not capsys.readouterr().out
    longer = run_of(asking, evaluations=BUDGET + 1)
    assert capsys.readouterr().out == f"the optimizer learns again from {BUDGET} evaluations ...\n"
    assert longer.next().evaluation == BUDGET + 1
    longer.folder.close()
