# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the robots: its data hold what its report needs."""

import os
import shutil
import time
from dataclasses import asdict, replace

import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.robots import load_robot
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.studies.engine.data import read_settings, read_table, write_settings
from bea_ros.studies.robots import report
from bea_ros.studies.robots.figures import final_fitness
from bea_ros.studies.robots.plan import Plan, Run
from bea_ros.studies.robots.store import read
from bea_ros.studies.robots.study import RobotStudy
from bea_ros.studies.robots.worker import execute
from bea_ros.tasks import find_task

SMALL = {"evaluations": 24, "switch": 14, "profile": "default", "duration": 1.0}
load = RobotStudy().load


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A whole study, small, its plan, and what its runs came to."""
    folder = tmp_path_factory.mktemp("study")
    plan = Plan(
        robots=("gecko7",), tasks=("gait", "rotating"), algorithms=("bo", "ea", "bea"),
        repetitions=2, **SMALL,
    )  # fmt: skip
    RobotStudy().carry_out(plan, folder, jobs=1)
    return folder, plan, RobotStudy().collect(plan.runs(), folder / "runs")


def test_data_on_disk_hold_every_gain_and_the_best_controllers(study):
    folder, plan, found = study
    results = load(folder)
    assert len(results.results) == len(found) == 2 * 3 * 2
    runs = zip(plan.runs(), found, results.results, strict=True)
    for run, (collected, outcome), loaded in runs:
        assert loaded.key == collected.key == run.key
        assert loaded.candidate == [e.candidate for e in outcome if e.candidate][-1]
        entries = read(folder / "runs" / f"{run.name}.run")[1]
        best = np.maximum.accumulate([entry.fitness for entry in entries])
        spent = np.cumsum([entry.overhead for entry in entries])
        every = np.arange(1, run.evaluations + 1)
        # the curve is a step function, and no step is missing
        last = np.searchsorted(loaded.evaluation, every, side="right") - 1
        assert loaded.best[last] == pytest.approx(best, rel=1e-8)
        # all with as many digits, as BO and BEA share values, also the last of one of them
        points = loaded.evaluation.astype(int) - 1
        assert loaded.best.tolist() == [float(f"{value:.9g}") for value in best[points]]
        stages = [stage for stage, count in loaded.stages for _ in range(count)]
        assert stages == [entry.stage for entry in entries]
        times = loaded.times(2.0)
        assert times[-1] == pytest.approx(2.0 * run.evaluations + spent[-1], abs=1e-3)
        assert loaded.trajectory.t[-1] == 1.0


def test_a_study_is_gone_on_with_from_its_data_alone(study, tmp_path):
    folder, plan, found = study
    without_files_of_runs(folder, tmp_path)
    command = [
        "bench", "robots", "--output", str(tmp_path), "--tasks", "gait", "--algorithms", "ea",
        "--repetitions", "3", "--jobs", "1",
    ]  # fmt: skip
    assert main(command) == 0
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["gecko7-gait-ea-2.run"]
    results = load(tmp_path)
    assert results.cases == plan.cases
    assert len(results.results) == len(found) + 1
    first = {result.key: result for result in results.results}
    for before in load(folder).results:
        after = first[before.key]
        assert after.best.tolist() == before.best.tolist()
        assert after.trajectory.x.tolist() == before.trajectory.x.tolist()


def test_every_algorithm_is_in_the_key_also_where_the_first_case_moves_nothing(study):
    results = load(study[0])
    for n, run in enumerate(results.results):
        if run.case == results.cases[0]:
            results.results[n] = replace(run, best=np.zeros(len(run.best)))
    key = final_fitness(results).axes[0].get_legend()
    assert [text.get_text() for text in key.get_texts()] == ["BO", "EA", "BEA"]


def test_a_study_has_other_seeds_from_a_later_repetition_on():
    usual, later = Plan(repetitions=2), Plan(first=2, repetitions=3)
    assert {run.repetition for run in later.runs()} == {2, 3, 4}
    assert not {run.seed for run in usual.runs()} & {run.seed for run in later.runs()}
    for one, other in ((usual, later), (later, usual)):
        both = one.including(other.settings)
        assert (both.first, both.repetitions) == (0, 5)


def without_files_of_runs(study, folder):
    for name in ("study.json", "runs.csv", "trajectories.csv"):
        shutil.copy(study / name, folder)
    shutil.copytree(study / "curves", folder / "curves")


def test_a_finished_study_is_left_as_it_is(study, tmp_path):
    without_files_of_runs(study[0], tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in ("study.json", "runs.csv")}
    assert main(["bench", "robots", "--output", str(tmp_path)]) == 0
    assert not (tmp_path / "runs").exists()
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


def test_a_study_with_an_algorithm_that_is_not_installed_goes_on_without(
    study, tmp_path, monkeypatch, capsys
):
    without_files_of_runs(study[0], tmp_path)
    write_settings(tmp_path, asdict(replace(study[1], algorithms=("bo", "ea", "bea", "cma"))), {})
    monkeypatch.setattr("bea_ros.studies.robots.plan.find_spec", lambda name: None)
    assert main(["bench", "robots", "--output", str(tmp_path)]) == 0
    assert "without cma: pip install cma" in capsys.readouterr().out
    assert not (tmp_path / "runs").exists()
    assert read_settings(tmp_path)[0]["algorithms"] == ["bo", "ea", "bea", "cma"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"settings": {"functions": [], "profile": "paper"}, "versions": {}}', "not of a study"),
        ("{", "the study's data are damaged"),
    ],
)
def test_what_is_no_study_of_robots_is_refused_in_one_line(content, said, tmp_path, capsys):
    (tmp_path / "study.json").write_text(content)
    assert main(["bench", "robots", "--output", str(tmp_path)]) == 2
    refusal = capsys.readouterr().err
    assert f"{tmp_path}" in refusal
    assert said in refusal
    assert refusal.count("\n") == 1


def test_runs_of_another_study_are_not_taken_for_those_of_this_one(tmp_path, capsys):
    plan = Plan(robots=("gecko7",), tasks=("gait",), algorithms=("ea",), repetitions=1, **SMALL)
    execute(replace(plan.runs()[0], profile="paper"), tmp_path / "runs")
    command = [
        "bench", "robots", "--output", str(tmp_path), "--robots", "gecko7", "--tasks", "gait",
        "--algorithms", "ea", "--repetitions", "1", "--evaluations", "24", "--switch", "14",
        "--duration", "1", "--jobs", "1",
    ]  # fmt: skip
    assert main(command) == 2
    assert "is of another run" in capsys.readouterr().err
    assert not (tmp_path / "runs.csv").exists()


def test_report_is_made_from_the_data_alone(study, drawn, tmp_path):
    folder, _, _ = study
    for name in ("study.json", "runs.csv", "trajectories.csv", "curves"):
        os.symlink(folder / name, tmp_path / name)
    page = report.write(tmp_path, load(tmp_path), (0.1, 10.0)).read_text()
    assert page.count("<svg") == 1 + 2 + 1 + 2 + 2
    for words in (
        "evaluations of 0.1 s",
        "evaluations of 10 s",
        "BEA over BO",
        "117 %",
        "2, 2",
        "not above 0 are left out",
    ):
        assert words in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert len(list((tmp_path / "figures").glob("*.svg"))) == page.count("<svg")
    gain = (tmp_path / "figures" / "gain-0.1s.svg").read_text()
    for words in ("gain per second (m/s/s)", "gain per second (rad/s)", "BEA's first switch"):
        assert words in gain
    rows = (tmp_path / "comparison.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * 2 * 2  # cases, others, evaluation times
    rows = (tmp_path / "standings.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * (1 + 2)  # others, at the end and for each evaluation time


def test_a_report_of_other_evaluation_times_leaves_none_of_the_last_one(study, tmp_path):
    for times in ((0.1, 10.0), (5.0,)):
        report.write(tmp_path, load(study[0]), times)
    assert {path.name for path in (tmp_path / "figures").glob("fitness-*")} == {"fitness-5s.svg"}


@pytest.mark.filterwarnings("error")
def test_a_task_without_runs_has_no_pictures(study, drawn, tmp_path):
    results = load(study[0])
    planned = {**results.settings, "tasks": ["directed_locomotion", "gait", "rotating"]}
    report.write(tmp_path, replace(results, settings=planned), (1.0,))
    figures = tmp_path / "figures"
    assert not (figures / "best-directed_locomotion.svg").exists()
    assert "BEA" in (figures / "final.svg").read_text()
    assert "directed locomotion" not in (figures / "fitness-1s.svg").read_text()


def test_best_controllers_are_measured(study, capsys):
    folder, plan, _ = study
    assert main(["bench", "gaits", str(folder)]) == 0
    said = capsys.readouterr().out
    for robot, task in plan.cases:
        assert f"{robot}, {task}" in said
    assert "…" not in said  # nothing is cut off on a terminal of 80 columns
    table = read_table(folder / "gaits.csv").to_dict("records")
    rows = {(row["robot"], row["task"]): row for row in table}
    assert list(rows) == plan.cases
    gait = rows["gecko7", "gait"]
    assert float(gait["real_bea"]) == 0.036  # the paper's table of real robots
    assert float(gait["over_real"]) == pytest.approx(float(gait["fitness"]) / 0.036, rel=1e-3)
    best = max(r.final for r in load(folder).results if r.case == ("gecko7", "gait"))
    assert float(gait["fitness"]) == pytest.approx(best, rel=1e-4)
    assert float(gait["real_bea_over_bo"]) == pytest.approx(0.036 / 0.031, rel=1e-3)
    heavy = Evaluator(load_robot("gecko7", masses="measured"), find_task("gait"), plan.duration)
    for name in ("bo", "bea"):
        tried = [
            heavy.fitness_of(heavy.trajectory(np.array(r.candidate)))
            for r in load(folder).of(("gecko7", "gait"), name)
        ]
        assert float(gait[f"{name}_measured_masses"]) == pytest.approx(np.mean(tried), rel=1e-3)
    assert main(["bench", "gaits", str(folder / "runs")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_pycma_is_an_optimizer_like_the_others():
    pytest.importorskip("cma")
    run = Run("gecko7", "gait", "cma", 0, 300, 30, "default")
    found = []
    for _ in range(2):
        np.random.seed(len(found))  # noqa: NPY002 - pycma must not draw from it
        optimizer = run.optimizer(time.process_time)
        for _ in range(300):
            x = optimizer.ask()
            optimizer.tell(x, -float(((x - 0.3) ** 2).sum()))
        found.append(optimizer.best)
    assert found[0][1] > -0.25  # chance gives about -0.6
    assert (found[0][0] == found[1][0]).all()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"robots": ("spider7",)}, "unknown robot 'spider7'"),
        ({"tasks": ("flying",)}, "no task 'flying'"),
        ({"algorithms": ("pso",)}, "unknown algorithm 'pso'"),
        ({"switch": 3}, "switch=3"),
        ({"repetitions": 0}, "repetitions=0"),
        ({"first": -1}, "first=-1"),
        ({"options": "switch=100"}, "--option switch: choose it by --switch"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_runs(wrong, said):
    with pytest.raises(ValueError, match=said):
        Plan(**wrong)
