# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learner says that what was measured is saved only while it is."""

import errno
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from example_run import record, trajectory

from bea_ros.__main__ import main
from bea_ros.nodes.learner.node import Learner
from bea_ros.nodes.learner.progress import Progress
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.head import REQUEST, RunFolderError
from bea_ros.runs.folder.run_folder import LOG, RunFolder, read_evaluations
from bea_ros.tasks import Trajectory


@pytest.mark.parametrize("lost", ["folder", "log", "end of the log"])
def test_what_was_measured_is_said_to_be_saved_only_while_it_is(tmp_path, capsys, lost):
    folder = RunFolder(tmp_path / "run", {"robot": "spider9"}, {})
    progress = Progress(budget=20, done=0, best=None, unit="m/s")
    for number in (1, 2):
        folder.append(record(number), trajectory(number))
    progress.stopped(folder.path, "", folder.kept)
    log = folder.path / LOG
    if lost == "folder":
        shutil.rmtree(folder.path)
    elif lost == "log":
        log.unlink()
    else:
        log.write_bytes(log.read_bytes()[:-1])
    progress.stopped(folder.path, "no space", folder.kept)
    with pytest.raises(RunFolderError):
        folder.append(record(3), trajectory(3))
    if lost == "folder":
        with pytest.raises(RunFolderError):  # it makes no folder that would look like a run
            folder.write_best({"evaluation": 1}, "gait")
        assert not folder.path.exists()
    saved, gone = capsys.readouterr().out.splitlines()
    assert saved == "stopped. What was measured is saved; the same command resumes."
    assert gone.startswith("stopped: no space. WHAT WAS MEASURED IS LOST: ")
    folder.close()


@pytest.mark.parametrize("gone", [REQUEST, BEST])
def test_a_removed_run_yaml_or_best_yaml_is_written_again(tmp_path, monkeypatch, capsys, gone):
    """By a run that goes on: its logs would otherwise be of no known robot and task."""
    whole, output = tmp_path / "whole", tmp_path / "run"
    words = ["learn", "--in-process", "--no-images", "--robot", "babyA", "--duration", "1"]
    words += ["--evaluations", "12", "--output"]
    assert main([*words, str(whole)]) == 0
    append = RunFolder.append

    def append_and_remove(folder, line, path):
        append(folder, line, path)
        if line["evaluation"] == 11:
            (folder.path / gone).unlink()

    monkeypatch.setattr(RunFolder, "append", append_and_remove)
    assert main([*words, str(output)]) == 0
    assert main(["doctor", str(output)]) == 0
    assert (output / gone).read_text() == (whole / gone).read_text()


def test_a_candidate_that_was_skipped_since_is_no_best(assign, tmp_path):
    assignment = assign()
    times = {"evaluation": 1.0, "interruptions": 0}
    measured = Measurement(True, "", 0.1, {}, Trajectory.standing(1.0))
    skipped = Measurement(False, "skipped by the operator", 0.0, {}, None)
    for measurement in (measured, skipped):
        assignment.take(assignment.run.next(), measurement, 1, times)
        assignment.write_best()
        assert (tmp_path / BEST).exists() is measurement.success
        assignment.run.correct()
    assignment.folder.close()


def test_a_doubt_about_the_last_evaluation_outlives_the_learner(assign):
    given = {"confirm": 0, "algorithm": "ea", "evaluations": 10}
    times = {"evaluation": 1.0, "interruptions": 0}
    measured = Measurement(True, "", 0.0, {}, Trajectory.standing(1.0))
    assignment = assign(**given)
    while trial := assignment.run.next():
        assignment.take(trial, measured, 1, times)
    assert assignment.run.correct() == 10
    assignment.folder.close()
    assignment = assign(**given)
    trial = assignment.run.next()
    assert (trial.evaluation, trial.kind) == (10, "correction")
    assignment.take(trial, measured, 1, times)
    assert assignment.run.next() is None
    assignment.folder.close()


def test_what_is_doubted_while_the_robot_stops_in_the_end_is_measured_again():
    left, evaluated, stops = [9, 10], [], []

    def stop():
        stops.append(list(evaluated))
        if len(stops) == 1:
            left.append(10)

    learner = SimpleNamespace(
        run=SimpleNamespace(next=lambda: left[0] if left else None),
        evaluate=lambda trial: evaluated.append(left.pop(0)),
        client=SimpleNamespace(stop=stop),
    )
    Learner.finish_run(learner)
    assert stops == [[9, 10], [9, 10, 10]]


def test_a_run_yaml_without_a_budget_is_another_run(assign, tmp_path):
    (tmp_path / REQUEST).write_text("format: 1\nrequest: {robot: gecko7, task: gait}\n")
    with pytest.raises(RunFolderError, match="is a run without "):
        assign()


def test_rights_that_were_taken_away_lose_nothing(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "run", {"robot": "spider9"}, {})
    folder.append(record(1), trajectory(1))

    def denied(path, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", denied)
        patch.setattr(os, "open", denied)
        with pytest.raises(RunFolderError, match=r"cannot write to .*: Permission denied"):
            folder.append(record(2), trajectory(2))
        assert folder.kept
    folder.close()
    again = RunFolder(tmp_path / "run", {"robot": "spider9"}, {})
    again.append(record(2), trajectory(2))
    again.close()
    assert [r["evaluation"] for r in read_evaluations(tmp_path / "run")] == [1, 2]
