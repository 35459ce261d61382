# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the functions: runs outlive a kill, tables and switch points by hand."""

import json
import multiprocessing
import os
import shutil
import time
from dataclasses import asdict, replace

import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.studies.engine.data import read_settings, write_settings
from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.engine.statistics import mann_whitney
from bea_ros.studies.functions import report
from bea_ros.studies.functions.gain import gain_per_second, smooth, switch_point
from bea_ros.studies.functions.plan import Plan, Run
from bea_ros.studies.functions.report import comparison
from bea_ros.studies.functions.study import FunctionStudy, carry_out

SMALL = {"dimension": 4, "evaluations": 40, "switch": 20, "profile": "default"}
RUN = Run("rastrigin-rotated", "bea", 1, **SMALL)
read, execute = FunctionStudy().outcome, FunctionStudy.execute
COMMAND = [
    "bench", "functions", "--functions", "authors", "--repetitions", "2", "--dimension", "4",
    "--evaluations", "40", "--switch", "20", "--jobs", "1",
]  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A whole study, small, by the command."""
    folder = tmp_path_factory.mktemp("study")
    assert main([*COMMAND, "--output", str(folder)]) == 0
    return folder


def columns(folder, without):
    """Every line of the CSV data, a column that is measured left out."""
    found = {}
    for path in [folder / "runs.csv", *sorted((folder / "curves").glob("*.csv"))]:
        rows = [line.split(",") for line in path.read_text().splitlines()]
        drop = rows[0].index(without)
        found[path.name] = [row[:drop] + row[drop + 1 :] for row in rows]
    return found


def test_run_is_what_the_optimizer_does_on_the_function(tmp_path):
    execute(RUN, tmp_path)
    outcome = read(RUN, tmp_path)
    assert len(outcome["f"]) == len(outcome["overhead"]) == 40
    assert outcome["switch"] == 20
    assert -RUN.objective()(outcome["candidate"]) == min(outcome["f"]) > 0
    assert min(outcome["overhead"]) > 0
    assert carry_out(RUN)["f"] == outcome["f"]
    assert [path.name for path in tmp_path.iterdir()] == [f"{RUN.name}.json"]


def test_transfers_share_their_bo_and_algorithms_the_function():
    runs = {run.algorithm: run for run in Plan().runs()[:6]}
    assert len({runs[name].seed for name in ("bea", "bea-s1", "bea-s2", "bea-s3")}) == 1
    assert len({runs[name].seed for name in ("bo", "ea", "bea")}) == 3
    rotated = [Run("ackley-rotated", name, 3, **SMALL) for name in ("bo", "ea")]
    optima = [run.objective().optimum for run in rotated]
    np.testing.assert_array_equal(*optima)
    assert (Run("ackley-rotated", "bo", 4, **SMALL).objective().optimum != optima[0]).all()
    options = runs["bea-s2"].optimizer(time.process_time).options
    assert (options["transfer"], options["switch"]) == ("S2", 250)


@pytest.mark.parametrize("profile", ["paper", "released"])
def test_transfers_of_a_repetition_begin_with_the_same_bo(profile):
    first = Run("griewank-authors", "bea", 0, **SMALL | {"profile": profile})
    s4, s2 = (carry_out(replace(first, algorithm=name)) for name in ("bea", "bea-s2"))
    assert s4["f"][:20] == s2["f"][:20]
    assert s4["switch"] == s2["switch"] == 20
    other = carry_out(replace(first, repetition=1))
    assert not set(other["f"][:10]) & set(s4["f"][:10])


@pytest.mark.parametrize("profile", ["paper", "released"])
def test_published_profiles_have_the_length_scale_that_was_published_for_the_function(profile):
    published = {
        "schwefel-authors": 0.5, "griewank-authors": 0.1, "rastrigin-textbook-shifted": 0.1,
        "rastrigin-rotated": 0.1, "ackley-rotated": 0.5,
    }  # fmt: skip
    runs = Plan(functions=tuple(published), repetitions=1, profile=profile).runs()
    for run in runs:
        theta = run.optimizer(time.process_time).options.get("length_scale")
        assert theta == (None if run.algorithm == "ea" else published[run.function])
    usual = Run("griewank-authors", "bea", 0, **SMALL)
    assert usual.optimizer(time.process_time).options["length_scale"] == "learned"
    assert "length_scale" not in usual.head


def test_runs_with_one_length_scale_for_all_are_not_taken_for_published_ones(tmp_path, capsys):
    settings = asdict(Plan(profile="paper")) | {"dimension": 4, "evaluations": 40, "switch": 20}
    write_settings(tmp_path, settings, {})
    assert main([*COMMAND, "--profile", "paper", "--output", str(tmp_path)]) == 2
    assert "with length_scales None, not {'schwefel': 0.5" in capsys.readouterr().err


def test_killed_study_goes_on_and_ends_as_the_undisturbed_one(study, tmp_path):
    command, killed = [*COMMAND, "--output", str(tmp_path)], []
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([FunctionStudy.__module__])  # imported once for both
    for wanted in (4, 15):
        process = processes.Process(target=main, args=(command,))
        process.start()
        while len(list(tmp_path.glob("runs/*.json"))) < wanted and process.is_alive():
            time.sleep(0.002)
        process.kill()
        process.join()
        killed.append({p.name: p.stat().st_mtime_ns for p in tmp_path.glob("runs/*.json")})
    assert 4 <= len(killed[0]) < len(killed[1]) < 36
    assert killed[0].items() <= killed[1].items()  # what was there is not done again
    assert not (tmp_path / "runs.csv").exists()
    assert main(command) == 0
    assert columns(tmp_path, "overhead_s") == columns(study, "overhead_s")
    assert len(columns(study, "overhead_s")["runs.csv"]) == 1 + 3 * 6 * 2


def test_data_on_disk_are_those_of_the_runs(study):
    results = FunctionStudy().load(study)
    assert len(results.results) == 36
    functions = tuple(name for (name,) in results.cases)
    plan = Plan(functions=functions, repetitions=2, **SMALL)
    for run in plan.runs()[:9]:
        (loaded,) = (
            r for r in results.of((run.function,), run.algorithm) if r.repetition == run.repetition
        )
        outcome = read(run, study / "runs")
        best = np.minimum.accumulate(outcome["f"])
        assert loaded.evaluation.tolist() == [1, 10, 20, 30, 40]
        assert loaded.best == pytest.approx(best[[0, 9, 19, 29, 39]], rel=1e-7)
        assert loaded.times(2.0)[-1] == pytest.approx(80 + sum(outcome["overhead"]), abs=1e-4)
        assert int(loaded.about["switch"]) == {"bo": 40, "ea": 10}.get(run.algorithm, 20)
        assert loaded.candidate == tuple(outcome["candidate"])
        assert float(loaded.about["f"]) == min(outcome["f"])


def data_of(study, folder):
    """The data in another folder, as a checkout has them: without the files of the runs."""
    for name in ("study.json", "runs.csv"):
        shutil.copy(study / name, folder)
    shutil.copytree(study / "curves", folder / "curves")
    paths = [folder / "runs.csv", *sorted((folder / "curves").iterdir())]
    return {path: path.read_text().splitlines() for path in paths}


def test_a_narrower_selection_keeps_the_runs_that_are_there(study, tmp_path):
    before = data_of(study, tmp_path)
    command = [
        "--output", str(tmp_path), "--functions", "griewank-authors", "ackley-rotated",
        "--algorithms", "ea", "--repetitions", "3",
    ]  # fmt: skip
    assert main([*COMMAND, *command]) == 0
    new = {"griewank-authors-ea-2"} | {f"ackley-rotated-ea-{i}" for i in range(3)}
    assert {path.stem for path in tmp_path.glob("runs/*")} == new
    for path, lines in before.items():
        now = path.read_text().splitlines()
        assert [line for line in now if line in lines] == lines
        added = {"runs.csv": 4, "griewank-authors.csv": 5}.get(path.name, 0)
        assert len(now) == len(lines) + added
    results = FunctionStudy().load(tmp_path)
    assert len(results.results) == 36 + 4
    assert results.settings == read_settings(study)[0] | {
        "functions": [*read_settings(study)[0]["functions"], "ackley-rotated"], "repetitions": 3,
    }  # fmt: skip


def test_a_finished_study_is_left_as_it_is(study, tmp_path):
    data_of(study, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    assert main([*COMMAND, "--output", str(tmp_path)]) == 0
    assert not (tmp_path / "runs").exists()
    assert {path: path.read_bytes() for path in before} == before


def test_report_is_made_from_the_data_alone(study, tmp_path):
    for name in ("study.json", "runs.csv", "curves"):
        os.symlink(study / name, tmp_path / name)
    page = report.write(tmp_path, FunctionStudy().load(tmp_path), (0.1, 10.0)).read_text()
    assert page.count("<svg") == 4 == len(list((tmp_path / "figures").glob("authors-*.svg")))
    parts = ("ahead of BO", "ahead of EA", "schwefel-authors", "<svg", "BEA and BO at equal time",
             "BEA and EA at equal time", "<h2>Transfers</h2>", ">S1</th>")  # fmt: skip
    places = [page.index(words) for words in parts]
    assert places == sorted(places), "what was found comes first, long tables last"
    assert "schwefel-authors, 0.1 s</td>" in page
    runs = FunctionStudy().load(study).of(("griewank-authors",), "ea")
    assert f">{np.mean([run.best[-1] for run in runs]):.4g}<" in page
    rows = (tmp_path / "comparison.csv").read_text().splitlines()
    assert len(rows) == 1 + 3 * 5 * 2  # functions, others, evaluation times


def test_pictures_of_a_function_are_drawn(study, drawn, tmp_path):
    results = replace(FunctionStudy().load(study), cases=[("schwefel-authors",)])
    report.write(tmp_path, results, (0.1,))
    words = {"evaluations": "BEA", "gain": "EA", "time": "BEA's switch", "transfer": "S4"}
    for name, word in words.items():
        assert f">{word}</text>" in (tmp_path / "figures" / f"authors-{name}.svg").read_text()


def result(algorithm, repetition, best, overhead, function="ackley-rotated"):
    evaluations = np.array([1.0, 10.0, 20.0])
    spent = np.array([0.0, overhead / 2, overhead])
    return Result((function,), algorithm, repetition, evaluations, np.array(best), spent)


def compared(runs, other):
    """BEA and another algorithm, case by case, with evaluations of 1 s."""
    cases = list(dict.fromkeys(run.case for run in runs))
    results = Results({}, {}, cases, ["bea", other], runs)
    return list(comparison(results, other, evaluation_time=1.0).itertuples())


def test_comparison_at_the_end_and_at_equal_time():
    runs = [result("bea", i, [9.0, 5.0, 1.0 + i], 0.0) for i in range(4)]
    runs += [result("bo", i, [9.0, 7.0, 11.0 + i], 40.0) for i in range(4)]
    second = {"function": "rosenbrock-rotated"}
    runs += [result("bea", i, [9.0, 8.0, 2.0 * i], 0.0, **second) for i in range(4)]
    runs += [result("bo", i, [9.0, 8.0, 2.0 * i + 1], 0.0, **second) for i in range(4)]
    apart, mixed = compared(runs, "bo")
    assert (apart.bea, apart.mean, apart.runs) == (2.5, 12.5, 4)
    assert apart.p == pytest.approx(2 / 70)  # 1 of C(8, 4) orders on either side
    assert apart.p_holm == pytest.approx(4 / 70)
    # U = 6 of 16; 24 of the 70 orders have U <= 6
    assert mixed.p == mixed.p_holm == pytest.approx(48 / 70)
    assert apart.time == pytest.approx(20 / 60)
    assert apart.mean_then == 9.0  # after 20 s BO has done 1 evaluation, and not yet 10
    assert apart.bea_then == apart.bea
    assert mixed.mean_then == mixed.mean == 4.0


def test_at_equal_time_neither_has_more_of_it():
    """The EA is done before BEA: what BEA finds later does not count then."""
    runs = [result("bea", i, [9.0, 5.0, 1.0 + 0.1 * i], 20.0) for i in range(4)]
    runs += [result("ea", i, [9.0, 6.0, 3.0 + 0.1 * i], 0.0) for i in range(4)]
    (found,) = compared(runs, "ea")
    assert found.time == 2.0
    assert found.bea < found.mean
    # 20 s: BEA has done 10 of its 20 evaluations
    assert (found.bea_then, found.mean_then) == (5.0, pytest.approx(3.15))
    assert found.p_equal_time == pytest.approx(mann_whitney([5.0] * 4, [3.0, 3.1, 3.2, 3.3]))


def test_gain_per_second_and_where_the_ea_overtakes():
    at, gain = gain_per_second(
        [result("bo", 0, [9.0, 5.0, 4.0], 20.0), result("bo", 1, [9.0, 9.0, 8.0], 20.0)], 1.0
    )
    assert at.tolist() == [10.0, 20.0]
    assert gain == pytest.approx([(4 / 19 + 0) / 2, 1 / 20])
    at = 10.0 * np.arange(1, 7)
    bo, ea = np.array([9.0, 4, 1, 3, 0, 0]), np.array([5.0, 2, 2, 1, 1, 1])
    assert switch_point(at, bo, ea) == 40.0  # not 20: BO's lead comes back and outweighs the gap
    assert np.isnan(switch_point(at, ea + 9, ea))
    assert switch_point(at, ea, ea + 1) == 10.0
    assert smooth(np.array([0.0, 0, 10, 0, 0])) == pytest.approx([10 / 3, 2.5, 2, 2.5, 10 / 3])


def test_another_study_or_a_damaged_file_is_refused(study, tmp_path, capsys):
    wrong = [*COMMAND, "--output", str(study), "--profile", "paper"]
    assert main(wrong) == 2
    assert "with profile 'default', not 'paper'" in capsys.readouterr().err
    path = tmp_path / f"{RUN.name}.json"
    path.write_bytes(b"not a run")
    with pytest.raises(ValueError, match="damaged"):
        read(RUN, tmp_path)
    execute(Run("rastrigin-rotated", "bea", 2, **SMALL), tmp_path)
    os.replace(tmp_path / "rastrigin-rotated-bea-2.json", path)
    with pytest.raises(ValueError, match="of another run"):
        read(RUN, tmp_path)
    old = replace(RUN, profile="paper")  # before its length scale was that of the function
    path.write_text(json.dumps({"run": asdict(old), "result": {}}))
    with pytest.raises(ValueError, match="of another run"):
        read(old, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"functions": ("sphere",)}, "unknown function 'sphere'"),
        ({"algorithms": ("pso",)}, "unknown algorithm 'pso'"),
        ({"profile": "best"}, "unknown profile 'best'"),
        ({"evaluations": 200}, "BEA never switches"),
        ({"switch": 3}, "switch=3"),
        ({"repetitions": 0}, "repetitions=0"),
        ({"dimension": 1}, "dimension=1"),
        ({"options": "alpha=2 alpha=3"}, "option alpha has two values"),
        ({"options": "switch=100"}, "--option switch: choose it by --switch"),
        ({"options": "transfer=S1"}, "--option transfer: choose it by --algorithms"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_runs(wrong, said):
    with pytest.raises(ValueError, match=said):
        Plan(**wrong)
