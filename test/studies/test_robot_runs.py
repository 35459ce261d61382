# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of the study of the robots outlive a kill, and their files whatever happens to them."""

import multiprocessing
import resource
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import psutil
import pytest

from bea_ros.__main__ import main
from bea_ros.studies.robots.plan import Plan, Run
from bea_ros.studies.robots.store import Entry, EvaluationCounter, RunFile, StoreError, read
from bea_ros.studies.robots.study import RobotStudy
from bea_ros.studies.robots.worker import evaluator_of, execute

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
    head, entries, _ = read(undisturbed)
    assert (head["robot"], head["seed"]) == ("gecko7", RUN.seed)
    stages = [entry.stage for entry in entries]
    assert stages == ["initial"] * 10 + ["bayesian"] * 4 + ["evolutionary"] * 10
    row = dict(zip(RobotStudy.RUN_COLUMNS, RobotStudy().run_row(RUN, entries), strict=True))
    fitness = [entry.fitness for entry in entries]
    assert row["best"] == max(fitness) == fitness[row["best_evaluation"] - 1]
    candidate = np.array([float(word) for word in row["candidate"].split()])
    assert evaluator_of(RUN).fitness_or_none(candidate) == max(fitness)
    assert all(entry.overhead > 0 and entry.simulation > 0 for entry in entries)


def test_a_run_may_do_without_a_heuristic(undisturbed, tmp_path, capsys):
    run = replace(RUN, options="without=single-moves")
    execute(run, tmp_path)
    head, entries, _ = read(run.path(tmp_path))
    fitness, whole = ([e.fitness for e in some] for some in (entries, read(undisturbed)[1]))
    assert head["options"] == "without=single-moves"
    assert fitness[:10] == whole[:10]  # the initial samples
    assert fitness[10:] != whole[10:]
    for wrong, said in (
        (["without=luck"], "unknown heuristic 'luck', only latin"),
        (["without=latin", "--profile", "paper"], "the profile paper has no heuristics"),
    ):
        assert main(["bench", "robots", "--output", str(tmp_path / "x"), "--option", *wrong]) != 0
        assert said in capsys.readouterr().err


def test_killed_again_and_again_it_ends_as_the_undisturbed_one(undisturbed, tmp_path):
    path = tmp_path / undisturbed.name
    counter = EvaluationCounter([path])
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([execute.__module__])  # imported once for all of them
    for wanted in (3, 9, 16):  # in each of the stages
        process = processes.Process(target=execute, args=(RUN, tmp_path))
        process.start()
        while counter.count() < wanted and process.is_alive():
            time.sleep(0.002)
        process.kill()
        process.join()
        assert wanted <= counter.count()
    with path.open("ab") as file:
        file.write(b"evolutionary 0.3")  # a line that a kill tore
    execute(RUN, tmp_path)
    assert without_times(path) == without_times(undisturbed)


def test_a_study_killed_at_once_can_be_started_again_at_once(tmp_path, capsys):
    words = [
        "bench", "robots", "--output", str(tmp_path),
        "--robots", "gecko7", "--tasks", "gait", "--algorithms", "bo", "ea", "bea",
        "--repetitions", "1", "--evaluations", "24", "--switch", "14", "--duration", "6",
    ]  # fmt: skip
    command = [sys.executable, "-m", "bea_ros", *words, "--jobs", "2"]
    counter = EvaluationCounter([tmp_path / "runs" / f"gecko7-gait-{name}-0.run"
                                 for name in ("bo", "ea", "bea")])  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while counter.count() < 4:
        assert process.poll() is None
        time.sleep(0.01)
    workers = psutil.Process(process.pid).children(recursive=True)
    assert workers
    process.kill()  # its workers see it and end
    process.wait()
    psutil.wait_procs(workers)
    assert counter.count() < 3 * 24
    assert main([*words, "--jobs", "1"]) == 0
    assert counter.count() == 3 * 24
    assert main([*words, "--profile", "paper"]) == 2
    assert "study with profile 'default', not 'paper'" in capsys.readouterr().err


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
    quiet = evaluator_of(RUN).fitness_or_none(candidate)
    noisy = evaluator_of(replace(RUN, noise=True)).fitness_or_none(candidate)
    assert noisy != quiet
    assert noisy == pytest.approx(quiet, abs=0.01)
    # BO has the errors of the BEA whose first evaluations it shares
    bo = evaluator_of(replace(RUN, algorithm="bo", noise=True))
    assert bo.fitness_or_none(candidate) == noisy


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

            def trajectory(self, parameters, values=values):
                """In place of a trajectory its fitness."""
                value = next(values)
                if value is None:
                    raise Untrusted("fell")
                return value

            monkeypatch.setattr(Evaluator, "trajectory", trajectory)
            monkeypatch.setattr(Evaluator, "fitness_of", lambda self, value: value)
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
