# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Best controllers of several runs tried again through the real graph."""

import contextlib
import csv
import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from graph import BEA, BESIDE, HANGS, bea, learned_alone, nodes_of, refusal, start, wait_for

from bea_ros.__main__ import main
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.runs.learned import read_learned

pytestmark = pytest.mark.graph


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of two robots and two algorithms."""
    folder = tmp_path_factory.mktemp("runs")
    few = ("--option", "population=4")
    asked = {
        "one": ("--algorithm", "bea", *few),
        "two": ("--algorithm", "bo"),
        "three": ("--robot", "gecko7", "--task", "rotating", *few),
    }
    for name, more in asked.items():
        learned_alone(folder / name, 5, "--option", "initial_samples=3", *more)
    return folder


@pytest.fixture(scope="module")
def validated(runs, tmp_path_factory):
    """Their validation, each twice."""
    folder = tmp_path_factory.mktemp("validated")
    folders = [runs / name for name in ("one", "two", "three")]
    done = bea("validate", *folders, "--repetitions", 2, "--duration", 1, "--output", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_controllers_of_two_robots_in_one_table(validated):
    with (validated / "validation.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["run"], r["robot"], r["task"], r["algorithm"]) for r in rows] == [
        ("one", "spider9", "gait", "bea"),
        ("two", "spider9", "gait", "bo"),
        ("three", "gecko7", "rotating", "bea"),
    ]
    trials = [json.loads(line) for line in (validated / "trials.jsonl").open()]
    assert [r["unit"] for r in rows] == ["m/s", "m/s", "rad"]
    assert [trial["repetition"] for trial in trials] == [1, 2] * 3
    for row, first, second in zip(rows, trials[::2], trials[1::2], strict=True):
        assert float(row["mean"]) == pytest.approx(
            (first["fitness"] + second["fitness"]) / 2, abs=1e-4
        )
        starts = [trial["poses"][0][1:] for trial in (first, second)]
        assert starts[0] != starts[1]  # put back a little apart
        assert all(abs(value) < 0.5 for start in starts for value in start)
        assert first["poses"][-1][0] == 1.0
    page = (validated / "validation.html").read_text()
    assert page.count("<svg") == 2
    assert "spider9, gait (m/s)" in page
    assert "BEA / BO" in page
    assert [r["duration, s"] for r in rows] == ["1"] * 3
    assert "cannot be compared with the mean" in page
    assert "paper&#x27;s real robots" in page
    assert "0.035" in page


def test_a_try_that_the_computer_interrupts_is_repeated(runs, tmp_path):
    words = ["validate", str(runs / "one"), "--repetitions", "2", "--duration", "8"]
    words += ["--real-time-factor", "4"]  # long enough to be suspended in it
    said = tmp_path / "said.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            [*BEA, *words, "--output", str(tmp_path)], stdout=file, stderr=file
        )
    wait_for(lambda: "validator" in nodes_of(process))
    validator = nodes_of(process)["validator"]

    def suspend() -> None:
        """For longer than the controller waits; again, if it was not in a try."""
        with contextlib.suppress(ProcessLookupError):  # all is over
            os.kill(validator, signal.SIGSTOP)
            time.sleep(0.5)
            os.kill(validator, signal.SIGCONT)
            time.sleep(0.5)

    wait_for(lambda: "; trying again" in said.read_text() or process.poll() is not None, suspend)
    assert process.wait(HANGS) == 0, said.read_text()
    assert "; trying again" in said.read_text()
    trials = [json.loads(line) for line in (tmp_path / "trials.jsonl").open()]
    assert [trial["repetition"] for trial in trials] == [1, 2]
    assert all(trial["poses"][-1][0] == 8.0 for trial in trials)


def test_trials_of_a_run_that_was_removed_meanwhile_are_kept(runs, tmp_path):
    run, output = tmp_path / "run", tmp_path / "trials"
    shutil.copytree(runs / "one", run)
    words = ["validate", str(run), "--repetitions", "5", "--duration", "2"]
    process = start([*BEA, *words, "--output", str(output)])
    wait_for(lambda: (output / "trials.jsonl").exists() or process.poll() is not None)
    run.rename(tmp_path / "moved")
    said, _ = process.communicate(timeout=HANGS)
    assert process.returncode == 2
    *trials, why = [line for line in said.splitlines() if not BESIDE.search(line)]
    assert all("of 5: evaluation" in line for line in trials), said
    assert f"{run} is not the folder of a run: put that run back, or choose another" in why
    assert len((output / "trials.jsonl").read_text().splitlines()) == 5


def test_what_is_not_a_run_is_refused_in_one_line(tmp_path, capsys):
    assert main(["validate", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said == f"bea validate: {tmp_path} is not the folder of a run\n"


def test_runs_of_two_robots_make_no_single_graph(runs):
    from bea_ros.bringup.arguments import ROBOT_ARGUMENTS, VALIDATE_ARGUMENTS
    from bea_ros.bringup.graphs import validate_graph
    from bea_ros.bringup.node_spec import BringupError

    arguments = {a.name: a.default for a in (*ROBOT_ARGUMENTS, *VALIDATE_ARGUMENTS)}
    arguments["robot"] = ""
    with pytest.raises(BringupError, match="not of one robot"):
        validate_graph({**arguments, "runs": [str(runs / "one"), str(runs / "three")]})
    graph = validate_graph({**arguments, "runs": [str(runs / "three")]})
    assert {node.parameters["robot"] for node in graph} == {"gecko7"}
    assert graph[-1].executable == "validator"


@pytest.mark.parametrize("wrong", ["fitness", "run"])
def test_nothing_is_added_to_trials_that_cannot_be_trusted(
    runs, validated, tmp_path, wrong, capsys
):
    trial = json.loads((validated / "trials.jsonl").read_text().splitlines()[1])
    trial[wrong] = {"fitness": trial["fitness"] + 0.5, "run": str(tmp_path / "gone")}[wrong]
    (tmp_path / "trials.jsonl").write_text(json.dumps(trial) + "\n")
    words = ("--duration", "1", "--output", str(tmp_path), "--append")
    assert main(["validate", str(runs / "one"), *words]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert {"fitness": "line 1 is damaged", "run": "is not the folder of a run"}[wrong] in told
    assert json.loads((tmp_path / "trials.jsonl").read_text()) == trial


def refused(domain, run, output, *more):
    """What a validator says that ends before it needs a robot."""
    words = ("-p", f"runs:=['{run}']", "-p", f"output:={output}", *more)
    return refusal("validator", domain, *words)


def test_a_validation_that_was_stopped_is_added_to_by_one_at_a_time_and_not_lost(
    runs, validated, domain, tmp_path
):
    """And a run that found a better gait is not mixed with its earlier best."""
    one, two, log = str(runs / "one"), str(runs / "two"), tmp_path / "trials.jsonl"
    slow = ("--repetitions", "1000", "--real-time-factor", "1")
    first = start([*BEA, "validate", one, "--output", str(tmp_path), "--duration", "4", *slow])
    wait_for(lambda: log.exists() or first.poll() is not None)
    in_use = f"{tmp_path} is in use by another validation"
    assert in_use in refused(domain, two, tmp_path, "-p", "append:=true")
    first.send_signal(signal.SIGINT)
    said, _ = first.communicate(timeout=HANGS)
    assert f"stopped; the trials are in {tmp_path}, and --append adds others" in said
    before = log.read_text()
    trials = [json.loads(line) for line in before.splitlines()]
    assert 0 < len(trials) < 1000
    assert [trial["repetition"] for trial in trials] == list(range(1, len(trials) + 1))
    assert {trial["run"] for trial in trials} == {one}
    assert f"{len(trials)} trial" in (tmp_path / "validation.html").read_text()
    again = refused(domain, one, tmp_path)
    assert f"{log} is of an earlier validation: keep its trials beside the new ones" in again
    assert "--append" in again
    assert "choose another --output" in again
    shorter = refused(domain, one, tmp_path, "-p", "append:=true", "-p", "duration:=2.0")
    assert f"{tmp_path} has trials of one over 4 s, not 2 s: choose another" in shorter
    assert log.read_text() == before

    run = tmp_path / "run"
    shutil.copytree(runs / "one", run)
    best, first = read_learned(run), read_evaluations(run)[0]
    assert best.evaluation > 1
    trial = json.loads((validated / "trials.jsonl").read_text().splitlines()[0])
    assert trial["evaluation"] == best.evaluation
    with log.open("a") as file:
        file.write(json.dumps(trial | {"run": str(run), "evaluation": 1}) + "\n")
    words = ("--repetitions", 1, "--duration", 4, "--output", tmp_path, "--append")
    assert bea("validate", one, two, run, *words).returncode == 0
    *kept, earlier, again, other, later = [json.loads(line) for line in log.open()]
    assert kept == trials
    assert (again["run"], again["repetition"]) == (one, len(trials) + 1)
    assert (other["run"], other["repetition"]) == (two, 1)
    assert again["poses"][0] not in [trial["poses"][0] for trial in kept]
    assert (earlier["evaluation"], later["evaluation"]) == (1, best.evaluation)
    with (tmp_path / "validation.csv").open() as file:
        rows = [(row["run"], row["learned"], row["trials"]) for row in csv.DictReader(file)]
    assert [row for row in rows if row[0].startswith("run")] == [
        ("run, evaluation 1", f"{first['fitness']:.4f}", "1"),
        ("run", f"{best.fitness:.4f}", "1"),
    ]
