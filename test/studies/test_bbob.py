# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench bbob: the functions, a small study through the command, and its tables."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("ioh", reason="pip install ioh")

from bea_ros import optimizers
from bea_ros.__main__ import main
from bea_ros.optimizers import Optimizer, create
from bea_ros.studies.bbob import report as results
from bea_ros.studies.bbob import runs
from bea_ros.studies.bbob.study import BbobStudy
from bea_ros.studies.engine import ablation
from bea_ros.studies.optimizers.measure import Recorder, clock


def study(folder: Path, *more: str) -> int:
    few = [
        "--functions",
        "1",
        "10",
        "--dimensions",
        "2",
        "--instances",
        "1",
        "--evaluations",
        "30",
    ]
    arguments = ["bench", "bbob", *few, "--output", str(folder), "--jobs", "1", *more]
    return main(arguments)


def test_the_optimum_of_every_function_is_zero_and_inside() -> None:
    for function in runs.FUNCTIONS:
        run = runs.Run("bea", function, 3, 2, 0, 30, 60.0)
        import ioh

        known = ioh.get_problem(function, 2, 3, ioh.ProblemClass.BBOB).optimum.x
        at = (np.asarray(known) / runs.HALF_WIDTH + 1.0) / 2.0
        assert runs.objective(run)(at) == pytest.approx(0.0, abs=1e-9)
        assert runs.objective(run)(np.full(3, 0.37)) < -1e-6


def test_functions_are_chosen_by_number_and_by_group() -> None:
    assert runs.select(["odd"]) == list(range(1, 25, 2))
    assert runs.select(["24", "multimodal"]) == [15, 16, 17, 18, 19, 24]
    assert runs.select(["weakly"]) == [20, 21, 22, 23, 24]
    with pytest.raises(ValueError, match="unknown function '25'"):
        runs.select(["25"])


def test_a_study_is_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert study(tmp_path, "--ours", "ea", "--peers", "random_search") == 0
    first = results.numbers(BbobStudy().table(tmp_path))
    assert len(first) == 4
    assert set(first["n"]) == {30}
    made_with = json.loads((tmp_path / "study.json").read_text())["versions"]
    assert made_with["arithmetic"].startswith("BLAS ")
    shown = capsys.readouterr().out
    assert "after 30 evaluations" in shown
    assert "ill-conditioned" in shown
    assert "multimodal" not in shown
    for path in (tmp_path / "runs").iterdir():
        path.unlink()
    assert study(tmp_path, "--ours", "bo", "ea", "--peers", "random_search") == 0
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {
        "f1-d2-i1-bo-0.json",
        "f10-d2-i1-bo-0.json",
    }
    again = results.numbers(BbobStudy().table(tmp_path))
    kept = again[again["method"] != "bo"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, first)
    assert "<svg" in (tmp_path / "report.html").read_text()


def test_a_run_with_an_error_is_repeated_and_one_that_was_cut_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, after in (("cut after 600 s", "cut after 600 s"), ("ValueError: no", "")):
        folder = tmp_path / error
        monkeypatch.setattr(runs, "within", lambda limit, search, said=error: said)
        for expected in (error, after):
            assert study(folder, "--ours", "ea", "--peers") == 0
            monkeypatch.undo()
            assert set(results.numbers(BbobStudy().table(folder))["error"]) == {expected}


def test_a_name_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    twice = ["--ours", "ea", "ea", "--dimensions", "2", "2", "--instances", "1", "1"]
    assert study(tmp_path, *twice, "--peers", "--without", "valley", "valley") == 0
    found = results.numbers(BbobStudy().table(tmp_path))
    assert found.groupby("method").size().to_dict() == {"ea": 2, "bea:without=valley": 2}


def test_a_cut_run_is_repeated_with_a_larger_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "within", lambda limit, search: f"cut after {limit:g} s")
    for limit, expected in (("5", 5), ("2", 5), ("9", 9)):
        assert study(tmp_path, "--ours", "ea", "--peers", "--limit", limit) == 0
        found = results.numbers(BbobStudy().table(tmp_path))
        assert set(found["error"]) == {f"cut after {expected} s"}


def test_ours_may_have_options_and_lack_a_heuristic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = ["--ours", "bea", "bea:initial_samples=20,restarts=false", "--peers"]
    assert study(tmp_path, *ours, "--without", "portfolio") == 0
    first = results.numbers(BbobStudy().table(tmp_path))
    curves = {name: rows["30"].tolist() for name, rows in first.groupby("method")}
    assert list(curves) == [
        "bea",
        "bea:initial_samples=20,restarts=false",
        "bea:without=portfolio",
    ]
    assert curves["bea"] != curves["bea:without=portfolio"]
    assert curves["bea"] != curves["bea:initial_samples=20,restarts=false"]
    capsys.readouterr()
    for given, said in (
        (["--ours", "bea:initial_samples=x"], "initial_samples"),
        (["--ours", "bea:colour=3"], "unknown option 'colour'"),
        (["--without", "luck"], "unknown heuristic 'luck', only latin, "),
    ):
        assert study(tmp_path, *given) != 0
        assert said in capsys.readouterr().err


BY_FEATURES = ("choice", "generations", "wide-moves")


def curve(by_features: bool) -> Iterator[float]:
    """The fitness of each evaluation of a run."""
    features = np.sin if by_features else None
    optimizer = create("bea", 4, budget=300, switch=50, features=features)
    while len(optimizer.history) < 160:
        x = optimizer.ask()
        z = x - 0.3
        fall = 1e6 * (len(optimizer.history) % 20 == 7)
        bent = float((100.0 * (z[1:] - z[:-1] ** 2) ** 2).sum())
        optimizer.tell(x, -bent - float((z**2).sum()) - fall)
        yield optimizer.history[-1].fitness


@cache
def whole(by_features: bool) -> list[float]:
    return list(curve(by_features))


@pytest.mark.parametrize("name", ablation.HEURISTICS)
def test_runs_do_without_each_heuristic_and_then_have_it_again(name: str) -> None:
    usual = whole(name in BY_FEATURES)
    with ablation.without(name):
        without = zip(curve(name in BY_FEATURES), usual, strict=True)
        assert any(one != other for one, other in without)  # up to the first that differs
    assert list(curve(name in BY_FEATURES)) == usual


def test_other_evaluations_need_another_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study(tmp_path, "--ours", "ea", "--peers")
    assert study(tmp_path, "--ours", "ea", "--peers", "--evaluations", "40") != 0
    assert "choose another --output" in capsys.readouterr().err


def test_a_folder_of_another_study_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study(tmp_path, "--ours", "ea", "--peers")
    table = tmp_path / "runs.csv"
    table.write_text("method,function,seed,evaluations\nea,sphere,0,30\n")
    capsys.readouterr()
    assert study(tmp_path, "--ours", "ea", "--peers") == 2
    said = capsys.readouterr().err
    assert f"{table} has no column 'dimension', as it is damaged or of another study" in said
    assert said.count("\n") == 1


def test_a_run_may_have_the_time_of_its_evaluations_with_overhead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slow(_: str, objective: Recorder, *size: int, **told: float) -> None:
        for step in range(100):
            end = clock() + 0.2  # CPU s of overhead: two evaluations
            while clock() < end:
                pass
            objective([0.5 + step / 1000, 0.5])

    monkeypatch.setattr(runs, "minimise", slow)
    run = runs.Run("random_search", 1, 2, 1, 0, 12, 60.0)
    f = [-runs.objective(run)([0.5 + step / 1000, 0.5]) for step in range(4)]
    best = np.minimum.accumulate(f).tolist()
    assert len(set(best)) == 4
    timed = runs.carry_out(replace(run, evaluation_time=0.1))
    assert (timed["n"], timed["error"]) == (4, "")
    assert [timed[str(at)] for at in runs.grid(12)] == [
        best[max(at - 2, 0) // 3] for at in runs.grid(12)
    ], "evaluations end after 1, and just after 4, 7 and 10 evaluation times"


def test_our_optimizers_are_told_the_evaluation_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def kept(*arguments: Any, **options: Any) -> Optimizer:
        made.append(create(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(optimizers, "create", kept)
    runs.carry_out(runs.Run("bea", 1, 2, 1, 0, 20, 60.0, 30.0))
    assert {record.evaluation_time for record in made[0].history} == {30.0}


@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_no_time_is_no_evaluation_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seconds: str
) -> None:
    assert study(tmp_path, "--evaluation-time", seconds) != 0
    assert "--evaluation-time takes seconds above 0" in capsys.readouterr().err


def table(curves: dict[str, dict[int, list[float]]]) -> pd.DataFrame:
    """Runs with errors after 1 and 10 evaluations, by method and function."""
    rows = [
        {"method": method, "function": function, "dimension": 5, "instance": 1, "seed": 0,
         "n": 10, "overhead": 0.0, "error": "", "1": early, "10": late}
        for method, functions in curves.items()
        for function, (early, late) in functions.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_ranks_and_errors() -> None:
    found = table(
        {
            "a": {1: [10.0, 1e-9], 2: [10.0, 1.0]},
            "b": {1: [10.0, 1.0], 2: [10.0, 100.0]},
            "cut": {1: [10.0, math.nan], 2: [10.0, 1.0]},
        }
    )
    means = results.errors(found, ["a", "b", "cut"], 10)
    assert list(means.columns) == ["a", "b"]
    assert means["a"].tolist() == [-8.0, 0.0]  # an error below 1e-8 counts as that
    assert results.mean_ranks(means).to_dict() == {"a": 1.0, "b": 2.0}
    start = results.errors(found, ["a", "b", "cut"], 1)
    assert set(results.mean_ranks(start)) == {2.0}


def test_runtime_distributions_count_targets() -> None:
    found = table({"a": {1: [100.0, 1e-8]}, "b": {1: [1000.0, 1.01]}})
    time, share = results.runtime_distribution(found, "a", results.ALL)
    assert time[0] == 1 / 5
    assert time[-1] == 10 / 5
    assert share[-1] == 1.0
    _, share = results.runtime_distribution(found, "b", results.ALL)
    assert share[-1] == pytest.approx(10 / 51)  # 10^2 to 10^0.2 of the 51 targets
