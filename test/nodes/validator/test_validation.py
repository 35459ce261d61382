# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Best controllers of several runs tried again through the real graph."""

import csv
import json
import signal
import time

import psutil
import pytest
from graph import BEA, bea, learned_alone, nodes_of, start

pytestmark = pytest.mark.graph


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of two robots and two algorithms."""
    folder = tmp_path_factory.mktemp("runs")
    asked = {
        "one": ("--algorithm", "bea"),
        "two": ("--algorithm", "bo"),
        "three": ("--robot", "gecko7", "--task", "rotating"),
    }
    for name, more in asked.items():
        learned_alone(folder / name, 10, *more)
    return folder


def test_controllers_of_two_robots_in_one_table(runs, tmp_path):
    folders = [runs / name for name in ("one", "two", "three")]
    done = bea("validate", *folders, "--repetitions", 2, "--duration", 4, "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "validation.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["run"], r["robot"], r["task"], r["algorithm"]) for r in rows] == [
        ("one", "spider9", "gait", "bea"),
        ("two", "spider9", "gait", "bo"),
        ("three", "gecko7", "rotating", "bea"),
    ]
    trials = [json.loads(line) for line in (tmp_path / "trials.jsonl").open()]
    assert [r["unit"] for r in rows] == ["m/s", "m/s", "rad"]
    assert [trial["repetition"] for trial in trials] == [1, 2] * 3
    for row, first, second in zip(rows, trials[::2], trials[1::2], strict=True):
        assert float(row["mean"]) == pytest.approx(
            (first["fitness"] + second["fitness"]) / 2, abs=1e-4
        )
        starts = [trial["poses"][0][1:] for trial in (first, second)]
        assert starts[0] != starts[1]  # put back a little apart
        assert all(abs(value) < 0.5 for start in starts for value in start)
        assert first["poses"][-1][0] == 4.0
    page = (tmp_path / "validation.html").read_text()
    assert page.count("<svg") == 2
    assert "spider9, gait (m/s)" in page
    assert "BEA / BO" in page
    assert [r["duration, s"] for r in rows] == ["4"] * 3
    assert "cannot be compared with the mean" in page
    assert "paper&#x27;s real robots" in page
    assert "0.035" in page


def test_a_try_that_the_computer_interrupts_is_repeated(runs, tmp_path):
    words = ["validate", str(runs / "one"), "--repetitions", "2", "--duration", "20"]
    process = start([*BEA, *words, "--output", str(tmp_path)])
    assert process.stdout is not None
    said = ""
    while "1 of 2: evaluation" not in said:
        said += process.stdout.readline()
    validator = psutil.Process(nodes_of(process)["validator"])
    time.sleep(0.5)  # some way into the second
    validator.suspend()
    time.sleep(0.5)
    validator.resume()
    said += process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    assert "; trying again" in said
    trials = [json.loads(line) for line in (tmp_path / "trials.jsonl").open()]
    assert [trial["repetition"] for trial in trials] == [1, 2]
    assert all(trial["poses"][-1][0] == 20.0 for trial in trials)


def test_what_was_measured_is_kept_when_it_is_stopped(runs, tmp_path):
    words = ["validate", str(runs / "one"), "--repetitions", "2", "--duration", "20"]
    process = start([*BEA, *words, "--output", str(tmp_path)])
    assert process.stdout is not None
    while "1 of 2: evaluation" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    (trial,) = (json.loads(line) for line in (tmp_path / "trials.jsonl").open())
    assert trial["repetition"] == 1
    assert "1 trial" in (tmp_path / "validation.html").read_text()


def test_what_is_not_a_run_is_refused_in_one_line(tmp_path):
    done = bea("validate", tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == f"bea validate: {tmp_path} is not the folder of a run"


def test_runs_of_two_robots_make_no_single_graph(runs):
    from bea_ros.bringup import ROBOT_ARGUMENTS, VALIDATE_ARGUMENTS, BringupError, validate_graph

    arguments = {a.name: a.default for a in (*ROBOT_ARGUMENTS, *VALIDATE_ARGUMENTS)}
    arguments["robot"] = ""
    with pytest.raises(BringupError, match="not of one robot"):
        validate_graph({**arguments, "runs": [str(runs / "one"), str(runs / "three")]})
    graph = validate_graph({**arguments, "runs": [str(runs / "three")]})
    assert {node.parameters["robot"] for node in graph} == {"gecko7"}
    assert graph[-1].executable == "validator"


def test_an_earlier_validation_is_not_lost(runs, tmp_path):
    earlier = tmp_path / "trials.jsonl"
    earlier.touch()
    done = bea("validate", runs / "one", "--output", tmp_path)
    assert done.returncode == 2
    assert f"{tmp_path} holds an earlier validation" in done.stderr
    words = ("--repetitions", 1, "--duration", 2, "--output", tmp_path)
    assert bea("validate", runs / "one", *words, "--append").returncode == 0
    assert bea("validate", runs / "two", *words, "--append").returncode == 0
    kept = [json.loads(line)["run"] for line in earlier.open()]
    assert [run.rpartition("/")[2] for run in kept] == ["one", "two"]
