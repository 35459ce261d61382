# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a learner says on the terminal."""

import contextlib
import fcntl
import math
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace

import everything_said
import pytest
from bea_ros_interfaces.msg import LearnerStatus

from bea_ros.nodes.clients.operator import words_of
from bea_ros.nodes.learner.attempts import Attempts
from bea_ros.nodes.learner.progress import Progress
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.tasks import Trajectory


def test_a_resumed_run_says_its_last_evaluation_again_when_it_is_corrected(capsys):
    progress = Progress(budget=20, done=12, best=0.5, unit="m/s")
    progress.began("spider9", "gait", Path("run"))
    progress.evaluated(12, "bo", fitness=0.3, best=0.4)
    progress.evaluated(13, "bo", fitness=0.6, best=0.6)
    began, corrected, better = capsys.readouterr().out.splitlines()
    assert began == "spider9 resumes after 12 of 20 evaluations: gait, into run"
    assert re.fullmatch(r"bo +12/20  fitness +0.3000  best +0.4000 m/s .* left", corrected)
    assert re.fullmatch(r"bo +13/20  fitness +0.6000  best +0.6000 m/s .* left  \*", better)


def test_a_repetition_that_is_skipped_is_not_said_to_be_a_measurement(assign, capsys):
    assignment = assign(confirm=1)
    times = {"evaluation": 1.0, "interruptions": 0}
    path = Trajectory([0.0, 1.0], [0.0, 0.1], [0.0, 0.0], [0.0, 0.0])
    first = assignment.run.next()
    assignment.take(first, Measurement(True, "", 0.1, {}, path), 1, times)
    again = assignment.run.next()
    assert (again.evaluation, again.kind) == (1, "repetition")
    skipped = Measurement(False, "skipped by the operator", 0.0, {}, None)
    assignment.tell_progress(again, assignment.take(again, skipped, 1, times))
    assignment.folder.close()
    skipped, progress = capsys.readouterr().out.splitlines()
    assert skipped == "evaluation 1: skipped by the operator; it counts as the worst"
    assert "1/150" in progress


def test_what_is_to_be_typed_stands_alone_for_a_folder_with_spaces(capsys):
    progress = Progress(budget=20, done=12, best=0.5, unit="m/s")
    progress.paused("no marker", "/learner/resume", Path("my run"), fails=True)
    said, resume, skip, ros = capsys.readouterr().out.splitlines()
    assert said == "PAUSED, the robot stands still: no marker. Put it right, then:"
    assert resume.endswith("bea operator resume 'my run'")
    assert skip.endswith("bea operator skip 'my run'")
    assert ros.endswith("  ros2 service call /learner/resume std_srvs/srv/Trigger")
    progress.stopped(Path("my run"))
    said, report = capsys.readouterr().out.splitlines()
    assert said == "stopped. What was measured is saved; the same command resumes."
    assert report.endswith("bea report 'my run'")
    progress.finished(Path("my run"), Path("my run/report.html"), ("--evaluations", "40"))
    said, *steps = capsys.readouterr().out.splitlines()
    assert said == "finished: best 0.5000 m/s"
    typed = ["my run/report.html", "bea watch 'my run'", "bea replay 'my run'"]
    typed += ["bea validate 'my run' --output 'my run/validation'"]
    typed += ["bea learn --output 'my run' --evaluations 40"]
    assert len(steps) == len(typed)
    for line, command in zip(steps, typed, strict=True):
        assert line.endswith(command), line


def test_the_status_of_a_run_that_has_no_best_names_none():
    status = LearnerStatus(robot="spider9", task="gait", state="waiting", budget=12)
    status.best_fitness, status.message = math.nan, "waiting for reset"
    assert words_of(status) == "spider9, gait: waiting, 0 of 12 evaluations: waiting for reset"
    status.best_fitness, status.message = 0.05, ""
    assert words_of(status) == "spider9, gait: waiting, 0 of 12 evaluations, best 0.0500 m/s"


def test_the_time_left_is_of_the_evaluations_after_the_first(monkeypatch, capsys):
    """With a prior there is a search before each but the first, which takes as long."""
    clock = iter([0.0, 0.0, 10.0, 40.0, 70.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    progress = Progress(budget=13, done=0, best=None, unit="m/s")
    progress.began("spider9", "gait", Path("r"))
    for number in (1, 2, 3):
        progress.evaluated(number, "repertoire", fitness=0.1, best=0.1)
    told = re.findall(r"(\S+) left", capsys.readouterr().out)
    assert told == ["2:00", "5:30", "5:00"]


def test_the_time_left_is_not_that_of_a_pause(monkeypatch, tmp_path, capsys):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def an_hour(spin):
        nonlocal now
        now += 3600.0

    progress = Progress(budget=13, done=0, best=None, unit="m/s")
    silent = SimpleNamespace(say=lambda *words: None)
    operator = SimpleNamespace(wait=an_hour, resume_service="learner/resume")
    assignment = SimpleNamespace(progress=progress, folder=SimpleNamespace(path=tmp_path))
    attempts = Attempts(assignment, silent, operator, None, silent)
    progress.began("spider9", "gait", Path("r"))
    for number in (1, 2, 3):
        now += 30.0
        if number != 2:
            attempts._pause("the operator has lunch")
        progress.evaluated(number, "initial", fitness=0.1, best=0.1)
    told = re.findall(r"(\S+) left", capsys.readouterr().out)
    assert told == ["6:00", "5:30", "5:00"]


def on_a_terminal(columns, *words, **environment):
    """Everything that is said on a terminal so wide, its escape sequences left in."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    usual = {n: v for n, v in os.environ.items() if n not in ("NO_COLOR", "COLUMNS", "LINES")}
    child = subprocess.Popen(
        [sys.executable, everything_said.__file__, *words],
        stdin=theirs,
        stdout=theirs,
        env={**usual, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # which is how a terminal ends
        while more := os.read(ours, 4096):
            said += more
    os.close(ours)
    assert child.wait() == 0
    return said.decode()


@pytest.fixture(scope="module")
def said():
    return on_a_terminal(80)


def test_nothing_wraps_on_a_terminal_of_80_columns(said):
    for line in re.split(r"\r\n|\r", re.sub(r"\x1b\[[0-9;]*[mK]", "", said)):
        assert len(line) <= 80, line
    assert len(re.findall(r"\d+:\d\d:\d\d left", said)) == 8


def test_colours_are_by_stage_and_for_a_new_best_unless_nobody_wants_them(said, capsys):
    plain = on_a_terminal(80, NO_COLOR="1")
    found = dict(re.findall(r"\x1b\[(3\d)m([a-z]+) *\x1b", said))
    stages = {"repertoire", "initial", "bayesian", "evolutionary"}
    assert set(found.values()) == stages, "a colour each"
    assert re.search(r"\x1b\[1;32mbest", said)
    assert not re.search(r"\x1b\[[0-9;]*3\dm", plain)
    everything_said.say_everything()
    assert "\x1b" not in capsys.readouterr().out  # no terminal


def test_learning_continues_when_the_working_directory_is_gone(tmp_path, monkeypatch, capsys):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    progress = Progress(3, 0, None, "m")
    progress.paused("it fell", "/learner/resume", tmp_path / "run", fails=False)
    assert f"bea operator resume {tmp_path}/run" in capsys.readouterr().out


def test_learning_continues_when_the_terminal_is_gone():
    """As after a lost ssh connection, if the run was detached from the shell."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, everything_said.__file__, "gone"],
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=-1,
    )
    os.close(theirs)
    while not os.read(ours, 4096).endswith(b"\n"):
        pass
    os.close(ours)
    assert child.communicate()[1] == b""
    assert child.returncode == 0
