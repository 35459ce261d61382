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
from contextlib import contextmanager, suppress

import psutil
import pytest
import yaml
from graph import (
    BEA,
    HANGS,
    alive,
    bea,
    config,
    ending,
    evaluations_in,
    learn_command,
    learn_here,
    log_of,
    nodes_of,
    pause,
    start,
    wait_for,
)
from graph import UNDISTURBED as EVALUATIONS

from bea_ros.__main__ import main

pytestmark = pytest.mark.graph
CHANCE = random.Random(7)
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


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run that the tests below end, each in its way; the last has it finished."""
    return tmp_path_factory.mktemp("runs") / "run"


def resumed(run):
    """The run's command; slow, lest all is done before it is ended."""
    return learn_command(run, EVALUATIONS, 1, "--real-time-factor", "1")


@contextmanager
def going_on(run):
    """The process and the nodes of the run, soon after it has measured once more."""
    had = evaluations_in(run)
    with ending(start(resumed(run))) as process:
        wait_for(lambda: evaluations_in(run) > had)
        nodes = nodes_of(process)
        assert set(nodes) == {"learner", "cpg_controller", "camera_localization", "simulator"}
        time.sleep(CHANCE.uniform(0.0, 0.5))
        yield process, nodes
    assert not any(alive(pid) for pid in nodes.values())


@pytest.mark.parametrize(
    "victim", ["learner", "cpg_controller", "camera_localization", "simulator"]
)
def test_a_node_that_dies_ends_the_run_with_its_name(victim, run):
    with going_on(run) as (process, nodes):
        os.kill(nodes[victim], signal.SIGKILL)
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == 1
    assert re.findall(r"(\w+) ended \(killed by SIGKILL\)", said) == [victim]


def test_the_nodes_of_a_supervisor_that_is_killed_end(run):
    with going_on(run) as (process, nodes):
        process.kill()
        wait_for(lambda: not any(alive(pid) for pid in nodes.values()))
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == -9
    assert "learner ended (killed by SIGKILL)" not in said


def without_a_turn(pid):
    """A process waits for a moment, as where others are served first."""
    with suppress(psutil.NoSuchProcess):  # it has just ended
        process = psutil.Process(pid)
        process.suspend()
        time.sleep(CHANCE.uniform(0.0, 0.2))
        process.resume()


@pytest.fixture
def hung_up():
    """Who is started hears of a closed terminal, also where the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_ctrl_z_ctrl_c_and_a_closed_terminal_stop_everything_and_the_run_resumes(
    undisturbed_run, run, hung_up
):
    """It resumes, after all that was done to it, to the undisturbed log.

    Each node is without a turn now and then, as on a busy machine.
    """
    had = evaluations_in(run)
    # In a shell's job: the kernel does not suspend a process that no shell could wake.
    shell = subprocess.Popen(
        ["bash", "-c", 'set -m; "$@" & wait -n', "bash", *resumed(run)], start_new_session=True
    )
    with ending(shell):
        wait_for(lambda: evaluations_in(run) > had)
        (learning,) = psutil.Process(shell.pid).children()
        nodes = nodes_of(learning)
        learning.send_signal(signal.SIGTSTP)  # it would suspend nobody else: the robot moved on
        wait_for(lambda: not any(alive(pid) for pid in (learning.pid, *nodes.values())))
        assert shell.wait(HANGS) == 128 + signal.SIGTSTP
    for number in STOPS:
        with going_on(run) as (process, _):
            process.send_signal(number)
            said = process.communicate(timeout=HANGS)[0]
        assert process.returncode == 128 + number
        assert "Traceback" not in said
        assert "What was measured is saved; the same command resumes." in said
        # The controller may have missed the learner before it ended itself.
        silent = r"( +cpg_controller: the learner was silent.*\n)?"
        assert re.search(rf"report {run}\n{silent}$", said)
    assert main(["report", str(run)]) == 0
    assert evaluations_in(run) < EVALUATIONS
    # nothing but the folder need be said to go on
    with ending(start([*BEA, "learn", "--output", str(run), "--page", "off"])) as process:
        while process.poll() is None:
            pause()
            for pid in nodes_of(process).values():
                without_a_turn(pid)
        assert process.returncode == 0, process.communicate()[0]
    assert log_of(run) == log_of(undisturbed_run[0])


def test_a_run_that_does_not_say_what_moved_its_joints_goes_on(undisturbed_run, tmp_path):
    shutil.copytree(undisturbed_run[0], tmp_path, dirs_exist_ok=True)
    request = yaml.safe_load((tmp_path / "run.yaml").read_text())["request"]
    assert request.pop("robot_backend") == "simulator"
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": request}))
    log = tmp_path / "evaluations.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    assert main(["learn", "--output", str(tmp_path), "--in-process"]) == 0
    assert log_of(tmp_path) == log_of(undisturbed_run[0])


def test_a_robot_that_cannot_be_seen_is_never_given_a_fitness(tmp_path, capsys):
    dark = config(tmp_path, simulator={"camera.brightness": 0.0, "camera.noise": 0.0})
    assert learn_here(tmp_path / "run", EVALUATIONS, "--config", dark) == 1
    said = capsys.readouterr().out
    assert "evaluation 1 cannot be trusted: the robot was not seen at the start" in said
    assert "image is black" in said
    assert "(attempt 3 of 3)" in said
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
