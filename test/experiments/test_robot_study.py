# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the robots: its runs outlive a kill, its data hold what its report needs."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import numpy as np
import psutil
import pytest

from bea_ros.cli import main
from bea_ros.experiments.robot_study import report
from bea_ros.experiments.robot_study.plan import Plan, Run
from bea_ros.experiments.robot_study.results import collect, load, result_of, save
from bea_ros.experiments.robot_study.scheduling import EvaluationCounter, carry_out
from bea_ros.experiments.robot_study.store import Entry, RunFile, StoreError, read
from bea_ros.experiments.robot_study.worker import evaluator_of, execute
from bea_ros.experiments.study_files import read_settings, write_settings
from bea_ros.tasks import Fitness

SMALL = {"evaluations": 24, "switch": 14, "profile": "default", "duration": 1.0}
RUN = Run("gecko7", "gait", "bea", 0, **SMALL)


def without_times(path):
    return [entry._replace(overhead=0.0, simulation=0.0) for entry in read(path)[1]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    execute(RUN, folder)
    return folder / f"{RUN.name}.run"


def test_run_goes_through_the_stages_and_keeps_its_best(undisturbed):
    head, entries = read(undisturbed)
    assert (head["robot"], head["seed"]) == ("gecko7", RUN.seed)
    stages = [entry.stage for entry in entries]
    assert stages == ["initial"] * 10 + ["bayesian"] * 4 + ["evolutionary"] * 10
    result = result_of(RUN, entries)
    fitness = [entry.fitness for entry in entries]
    assert result.best[-1] == max(fitness)
    assert evaluator_of(RUN).fitness(np.array(result.candidate)).value == max(fitness)
    assert all(entry.overhead > 0 and entry.simulation > 0 for entry in entries)


def test_killed_again_and_again_it_ends_as_the_undisturbed_one(undisturbed, tmp_path):
    path = tmp_path / undisturbed.name
    counter = EvaluationCounter([path])
    code = (
        "from pathlib import Path; import bea_ros.experiments.robot_study.worker as w\n"
        f"w.execute(w.Run{tuple(vars(RUN).values())!r}, Path({str(tmp_path)!r}))"
    )
    for wanted in (3, 9, 16):  # in each of the stages
        process = subprocess.Popen([sys.executable, "-c", code])
        while counter.count() < wanted and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert wanted <= counter.count()
    with path.open("ab") as file:
        file.write(b"evolutionary 0.3")  # a line that a kill tore
    execute(RUN, tmp_path)
    assert without_times(path) == without_times(undisturbed)


def test_a_study_killed_at_once_can_be_started_again_at_once(tmp_path):
    command = [
        sys.executable, "-m", "bea_ros.cli", "bench", "robots", "--output", str(tmp_path),
        "--robots", "gecko7", "--tasks", "gait", "--algorithms", "bo", "ea", "bea",
        "--repetitions", "1", "--evaluations", "24", "--switch", "14", "--duration", "20",
        "--jobs", "2",
    ]  # fmt: skip
    counter = EvaluationCounter([tmp_path / "runs" / f"gecko7-gait-{name}-0.run"
                                 for name in ("bo", "ea", "bea")])  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while counter.count() < 8:
        assert process.poll() is None
        time.sleep(0.01)
    workers = psutil.Process(process.pid).children(recursive=True)
    assert workers
    process.kill()  # its workers see it and end
    process.wait()
    psutil.wait_procs(workers)
    assert counter.count() < 3 * 24
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert counter.count() == 3 * 24
    again = subprocess.run([*command, "--profile", "paper"], capture_output=True, text=True)
    assert again.returncode == 2
    assert "study with profile 'default', not 'paper'" in again.stderr


def test_the_workers_of_a_dask_cluster_carry_out_the_runs(undisturbed, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed (Dask) is not installed")
    command = [
        "bench", "robots", "--output", str(tmp_path), "--robots", "gecko7", "--tasks", "gait",
        "--algorithms", "bo", "bea", "--repetitions", "1", "--evaluations", "24",
        "--switch", "14", "--duration", "1",
    ]  # fmt: skip
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as cluster:
        assert main([*command, "--scheduler", cluster.scheduler_address]) == 0
        assert cluster.scheduler.transition_counter > 0  # else they were carried out here
    assert without_times(tmp_path / "runs" / undisturbed.name) == without_times(undisturbed)


def test_noise_makes_another_fitness_of_the_same_candidate():
    candidate = np.full(13, 0.7)
    quiet = evaluator_of(RUN).fitness(candidate).value
    noisy = evaluator_of(replace(RUN, noise=True)).fitness(candidate).value
    assert noisy != quiet
    assert noisy == pytest.approx(quiet, abs=0.01)
    # BO has the errors of the BEA whose first evaluations it shares
    bo = evaluator_of(replace(RUN, algorithm="bo", noise=True))
    assert bo.fitness(candidate).value == noisy


def test_runs_differ_by_case_algorithm_and_repetition_alone():
    seeds = {run.seed for run in Plan().runs()}
    assert len(seeds) == 9 * 3 * 10
    assert replace(RUN, evaluations=1000).seed == RUN.seed
    assert replace(RUN, repetition=1).seed != RUN.seed


def test_bo_goes_on_from_the_evaluations_bea_switches_after(undisturbed, tmp_path):
    run = replace(RUN, algorithm="bo", evaluations=RUN.switch + 1)
    execute(run, tmp_path)
    checks, bea = (
        [entry.check for entry in read(path)[1]]
        for path in (tmp_path / f"{run.name}.run", undisturbed)
    )
    assert checks[: RUN.switch] == bea[: RUN.switch]
    assert checks[RUN.switch] != bea[RUN.switch]


def test_a_file_is_not_gone_on_with_by_another_run_or_process(undisturbed, tmp_path):
    path = tmp_path / "one.run"
    with RunFile(path, {"seed": 1}) as file:
        file.append(Entry("initial", 0.1, True, 0.0, 0.0, 7, (0.25, 1.0)))
        with pytest.raises(StoreError, match="in use"):
            RunFile(path, {"seed": 1})
    with pytest.raises(StoreError, match="another run"):
        RunFile(path, {"seed": 2})
    assert read(path)[1] == [Entry("initial", 0.1, True, 0.0, 0.0, 7, (0.25, 1.0))]
    text = undisturbed.read_text().splitlines(keepends=True)
    other = tmp_path / undisturbed.name
    other.write_text("".join([*text[:4], text[4].replace("initial", "initial x"), *text[5:]]))
    with pytest.raises(StoreError, match="damaged"):
        execute(RUN, tmp_path)
    words = text[4].split(" ")
    words[5] = "00000000"  # the candidate's check
    other.write_text("".join([*text[:4], " ".join(words) + "\n"]))
    with pytest.raises(StoreError, match="evaluation 4 has another candidate"):
        execute(RUN, tmp_path)


def test_a_file_that_is_no_text_is_named_and_not_kept_open(tmp_path):
    path = tmp_path / "one.run"
    RunFile(path, {"seed": 1}).__exit__()
    with path.open("ab") as file:
        file.write(b"\xff\n")
    for reader in (read, lambda path: RunFile(path, {"seed": 1})):
        with pytest.raises(StoreError, match=r"one\.run is damaged"):
            reader(path)
    assert str(path) not in {file.path for file in psutil.Process().open_files()}


def test_what_a_full_disk_cut_off_does_not_count(tmp_path):
    path = tmp_path / "one.run"
    entries = [Entry("initial", 0.1 * i, True, 0.0, 0.0, i, (0.25, 1.0)) for i in range(3)]
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    with RunFile(path, {"seed": 1}) as file:
        file.append(entries[0])
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, room[1]))
            with pytest.raises(OSError, match=r"one\.run"):
                file.append(entries[1])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, room)
        file.append(entries[2])
    assert read(path)[1] == [entries[0], entries[2]]


def test_a_robot_that_falls_over_gets_the_worst_fitness_so_far(tmp_path, monkeypatch):
    from bea_ros.localization.window import Untrusted
    from bea_ros.simulation.evaluation import Evaluator

    def told(run, *parts):
        """Fitness and whether it was measured, of a run that is stopped after each part."""
        for part in parts:
            values = iter(part)

            def fitness(self, parameters, values=values):
                value = next(values)
                if value is None:
                    raise Untrusted("fell")
                return Fitness(value, {})

            monkeypatch.setattr(Evaluator, "fitness", fitness)
            with pytest.raises(StopIteration):
                execute(run, tmp_path)
        entries = read(tmp_path / f"{run.name}.run")[1]
        return [(entry.fitness, entry.measured) for entry in entries]

    run = Run("gecko7", "gait", "ea", 0, 12, 5, "default", 1.0)
    undisturbed = told(run, [0.5, 0.2, None, 0.4, -0.1, None])
    assert undisturbed == [
        (0.5, True), (0.2, True), (0.0, False), (0.4, True), (-0.1, True), (-0.1, False)
    ]  # fmt: skip
    stopped = told(replace(run, repetition=1), [0.5, 0.2], [None, 0.4, -0.1], [None])
    assert stopped == undisturbed


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A whole study, small, as it is saved and loaded."""
    folder = tmp_path_factory.mktemp("study")
    plan = Plan(
        robots=("gecko7",), tasks=("gait", "rotating"), algorithms=("bo", "ea", "bea"),
        repetitions=2, **SMALL,
    )  # fmt: skip
    carry_out(plan.runs(), folder / "runs", jobs=1)
    found = collect(plan.runs(), folder / "runs")
    write_settings(folder, asdict(plan), {"numpy": np.__version__})
    save(folder, plan, found)
    return folder, plan, found


def test_data_on_disk_hold_every_gain_and_the_best_controllers(study):
    folder, plan, found = study
    results = load(folder)
    assert len(results.results) == len(found) == 2 * 3 * 2
    runs = zip(plan.runs(), found, results.results, strict=True)
    for run, result, loaded in runs:
        assert loaded.key == result.key == run.key
        assert loaded.candidate == result.candidate
        entries = read(folder / "runs" / f"{run.name}.run")[1]
        best = np.maximum.accumulate([entry.fitness for entry in entries])
        spent = np.cumsum([entry.overhead for entry in entries])
        every = np.arange(1, run.evaluations + 1)
        # the curve is a step function, and no step is missing
        last = np.searchsorted(loaded.evaluation, every, side="right") - 1
        assert loaded.best[last] == pytest.approx(best, rel=1e-8)
        assert loaded.best[-1] == best[-1]
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
    monkeypatch.setattr("bea_ros.experiments.robot_study.plan.find_spec", lambda name: None)
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


def test_report_is_made_from_the_data_alone(study, tmp_path):
    folder, _, _ = study
    for name in ("study.json", "runs.csv", "trajectories.csv", "curves"):
        os.symlink(folder / name, tmp_path / name)
    page = report.write(tmp_path, load(tmp_path), (0.1, 10.0)).read_text()
    assert page.count("<svg") == 1 + 2 + 1 + 2 + 2
    for words in ("evaluations of 0.1 s", "evaluations of 10 s", "BEA over BO", "117 %", "2, 2"):
        assert words in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert len(list((tmp_path / "figures").glob("*.svg"))) == page.count("<svg")
    rows = (tmp_path / "comparison.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * 2 * 2  # cases, others, evaluation times
    rows = (tmp_path / "standings.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * (1 + 2)  # others, at the end and for each evaluation time
    report.write(tmp_path, load(tmp_path), (5.0,))
    assert {path.name for path in (tmp_path / "figures").glob("fitness-*")} == {"fitness-5s.svg"}


def test_best_controllers_are_measured(study, capsys):
    folder, plan, _ = study
    assert main(["bench", "gaits", str(folder)]) == 0
    said = capsys.readouterr().out
    for robot, task in plan.cases:
        assert f"{robot}, {task}" in said
    assert "…" not in said  # nothing is cut off on a terminal of 80 columns
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
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_runs(wrong, said):
    with pytest.raises(ValueError, match=said):
        Plan(**wrong)
