# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learning run through the real graph: the same log whatever happens to the machine or to it."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import psutil
import pytest
import yaml
from graph import (
    HANGS,
    alive,
    bea,
    config,
    ending,
    evaluations_in,
    learn_command,
    learn_here,
    load,
    log_of,
    nodes_of,
    start,
    wait_for,
)
from graph import UNDISTURBED as EVALUATIONS

from bea_ros.__main__ import main

pytestmark = pytest.mark.graph
KILLS = 3
STOPS = (signal.SIGINT, signal.SIGHUP)


def test_run_folder_holds_what_was_asked_and_found(undisturbed_run):
    folder, said = undisturbed_run
    records = [json.loads(line) for line in (folder / "evaluations.jsonl").open()]
    assert [r["evaluation"] for r in records] == list(range(1, EVALUATIONS + 1))
    assert set(records[0]) == {
        "evaluation", "stage", "parameters", "fitness", "terms", "attempts", "time",
    }  # fmt: skip
    assert [r["stage"] for r in records] == ["initial"] * 10 + ["bayesian"] * 2
    assert len(records[0]["parameters"]) == 18
    for record in records:
        terms = record["terms"]
        assert record["fitness"] == pytest.approx(terms["displacement"] / terms["duration"])
        assert record["attempts"] == 1
    request = yaml.safe_load((folder / "run.yaml").read_text())
    assert request["request"]["seed"] == 1
    assert request["versions"]["numpy"]
    best = yaml.safe_load((folder / "best.yaml").read_text())
    winner = max(records, key=lambda r: r["fitness"])
    assert best["evaluation"] == winner["evaluation"]
    assert dict(zip(best["names"], best["values"], strict=True)) == winner["parameters"]
    assert f"{EVALUATIONS}/{EVALUATIONS}" in said


def test_same_seed_gives_the_same_log_on_a_busy_machine(undisturbed_run, tmp_path):
    """Busy while the nodes start and at first, and again from the first model on to the end."""
    command = learn_command(tmp_path, EVALUATIONS)
    with load(os.cpu_count() or 1) as burn, ending(subprocess.Popen(command)) as learning:

        def reaches(evaluation):
            ended = learning.poll
            wait_for(lambda: evaluations_in(tmp_path) >= evaluation or ended() is not None)

        for evaluation, change in ((2, signal.SIGSTOP), (10, signal.SIGCONT)):
            reaches(evaluation)
            for process in burn:
                process.send_signal(change)
        assert learning.wait(HANGS) == 0
    assert log_of(tmp_path) == log_of(undisturbed_run[0])


def test_a_learner_and_a_supervisor_that_are_killed_end_with_the_undisturbed_log(
    undisturbed_run, tmp_path
):
    chance = random.Random(7)
    slow = ("--real-time-factor", "2")  # lest all is done before they are killed
    for victim in (*["learner"] * KILLS, "supervisor", "nobody"):
        had = evaluations_in(tmp_path)
        with ending(start(learn_command(tmp_path, EVALUATIONS, 1, *slow))) as process:
            wait_for(lambda had=had: evaluations_in(tmp_path) > had)
            nodes = nodes_of(process)
            time.sleep(chance.uniform(0.0, 0.2))
            if victim == "learner":
                os.kill(nodes["learner"], signal.SIGKILL)
            if victim == "supervisor":
                process.kill()
                wait_for(lambda nodes=nodes: not any(alive(pid) for pid in nodes.values()))
            said = process.communicate(timeout=HANGS)[0]
        assert process.returncode == {"learner": 1, "supervisor": -9, "nobody": 0}[victim]
        assert ("learner ended (killed by SIGKILL)" in said) == (victim == "learner")
        assert not any(alive(pid) for pid in nodes.values())
    assert log_of(tmp_path) == log_of(undisturbed_run[0])


@pytest.fixture
def hung_up():
    """Who is started hears of a closed terminal, also where the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_ctrl_z_ctrl_c_and_a_closed_terminal_stop_everything_and_the_run_resumes(
    undisturbed_run, tmp_path, hung_up
):
    command = learn_command(tmp_path, EVALUATIONS, 1, "--real-time-factor", "2")
    # In a shell's job: the kernel does not suspend a process that no shell could wake.
    shell = subprocess.Popen(
        ["bash", "-c", 'set -m; "$@" & wait -n', "bash", *command], start_new_session=True
    )
    with ending(shell):
        wait_for(lambda: evaluations_in(tmp_path) >= 1)
        (learning,) = psutil.Process(shell.pid).children()
        nodes = nodes_of(learning)
        learning.send_signal(signal.SIGTSTP)  # it would suspend nobody else: the robot moved on
        wait_for(lambda: not any(alive(pid) for pid in (learning.pid, *nodes.values())))
        assert shell.wait(HANGS) == 128 + signal.SIGTSTP
    assert evaluations_in(tmp_path) < EVALUATIONS
    chance = random.Random(3)
    for number in STOPS:
        had = evaluations_in(tmp_path)
        with ending(start(command)) as process:
            wait_for(lambda had=had: evaluations_in(tmp_path) > had)
            nodes = nodes_of(process)
            assert set(nodes) == {"learner", "cpg_controller", "camera_localization", "simulator"}
            time.sleep(chance.uniform(0.0, 0.5))
            process.send_signal(number)
            said = process.communicate(timeout=HANGS)[0]
        assert process.returncode == 128 + number
        assert "Traceback" not in said
        assert "What was measured is saved; the same command resumes." in said
        # The controller may have missed the learner before it ended itself.
        silent = r"( +cpg_controller: the learner was silent.*\n)?"
        assert re.search(rf"report {tmp_path}\n{silent}$", said)
        assert not any(alive(pid) for pid in nodes.values())
    assert main(["report", str(tmp_path)]) == 0
    # nothing but the folder need be said to go on
    assert bea("learn", "--output", tmp_path).returncode == 0
    assert log_of(tmp_path) == log_of(undisturbed_run[0])


def test_a_run_that_does_not_say_what_moved_its_joints_goes_on(undisturbed_run, tmp_path):
    shutil.copytree(undisturbed_run[0], tmp_path, dirs_exist_ok=True)
    request = yaml.safe_load((tmp_path / "run.yaml").read_text())["request"]
    assert request.pop("robot_backend") == "simulator"
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": request}))
    log = tmp_path / "evaluations.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    assert main(["learn", "--output", str(tmp_path), "--in-process"]) == 0
    assert log_of(tmp_path) == log_of(undisturbed_run[0])


@pytest.mark.parametrize("victim", ["cpg_controller", "camera_localization", "simulator"])
def test_a_node_that_dies_ends_the_run_with_its_name(victim, tmp_path):
    with ending(start(learn_command(tmp_path, 300))) as process:
        wait_for(lambda: evaluations_in(tmp_path) >= 1)
        nodes = nodes_of(process)
        os.kill(nodes[victim], signal.SIGKILL)
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == 1
    assert f"{victim} ended (killed by SIGKILL)" in said
    assert not any(alive(pid) for pid in nodes.values())


def test_a_robot_that_cannot_be_seen_is_never_given_a_fitness(tmp_path):
    dark = config(tmp_path, simulator={"camera.brightness": 0.0, "camera.noise": 0.0})
    done = subprocess.run(
        learn_command(tmp_path / "run", EVALUATIONS, 1, "--config", dark),
        capture_output=True, text=True, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 1
    assert "evaluation 1 cannot be trusted: the robot was not seen at the start" in done.stdout
    assert "image is black" in done.stdout
    # On a busy machine it is tried again for other reasons, too.
    assert len(re.findall(r"cannot be trusted: .*; trying again", done.stdout)) == 2
    assert evaluations_in(tmp_path / "run") == 0


def test_another_seed_gives_another_log(undisturbed_run, tmp_path):
    assert learn_here(tmp_path, 10, "--seed", "2", "--no-images") == 0
    (first, *_), (other, *_) = (log_of(run) for run in (undisturbed_run[0], tmp_path))
    assert json.loads(first)["parameters"] != json.loads(other)["parameters"]


def test_replay_gets_the_fitness_that_was_learned(undisturbed_run):
    folder, _ = undisturbed_run
    best = max(json.loads(line)["fitness"] for line in (folder / "evaluations.jsonl").open())
    said = bea("replay", folder)
    assert said.returncode == 0
    assert f"fitness {best:.4f} m/s ({best:.4f} when it was learned)" in said.stdout


def test_report_has_every_picture(undisturbed_run):
    folder, said = undisturbed_run
    assert f"see it          {folder / 'report.html'}" in said  # the learner wrote one at the end
    (folder / "report.html").unlink()
    assert bea("report", folder).returncode == 0
    page = (folder / "report.html").read_text()
    for place in ("fitness", "gain", "overhead", "paths", "film", "joints"):
        assert f"<div id={place}" in page
    best = max(json.loads(line)["fitness"] for line in (folder / "evaluations.jsonl").open())
    assert f"<dt>best fitness</dt><dd>{best:.4f} m/s</dd>" in page
    assert "http://" not in page.replace("http://www.w3.org", "")  # nothing is loaded from outside
