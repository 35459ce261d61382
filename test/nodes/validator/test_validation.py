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
from pathlib import Path

import pytest
import rclpy
from graph import BEA, HANGS, bea, learned_alone, nodes_of, refusal, start, wait_for

from bea_ros.__main__ import main
from bea_ros.nodes.validator import Validator
from bea_ros.runs.folder.head import RunFolderError
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


def test_a_try_that_the_computer_interrupts_is_repeated_and_kept_without_its_run(runs, tmp_path):
    run, output, log = (tmp_path / name for name in ("run", "trials", "trials/trials.jsonl"))
    shutil.copytree(runs / "one", run)
    words = ["validate", str(run), "--repetitions", "3", "--duration", "2"]
    words += ["--real-time-factor", "1"]  # long enough to be suspended in it
    said = tmp_path / "said.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            [*BEA, *words, "--output", str(output)], stdout=file, stderr=file
        )
    wait_for(lambda: log.exists() or process.poll() is not None)
    run.rename(tmp_path / "moved")
    validator = nodes_of(process)["validator"]

    def suspend() -> None:
        """For longer than the controller waits; again, if it was not in a try."""
        with contextlib.suppress(ProcessLookupError):  # all is over
            os.kill(validator, signal.SIGSTOP)
            time.sleep(0.5)
            os.kill(validator, signal.SIGCONT)
            time.sleep(0.5)

    wait_for(lambda: "; trying again" in said.read_text() or process.poll() is not None, suspend)
    assert process.wait(HANGS) == 2, said.read_text()
    # The other nodes' lines are indented.
    *tries, why = [line for line in said.read_text().splitlines() if not line.startswith("  ")]
    assert any("; trying again" in line for line in tries)
    assert all("of 3: evaluation" in line or "; trying again" in line for line in tries), tries
    assert f"{run} is not the folder of a run: put that run back, or choose another" in why
    trials = [json.loads(line) for line in log.open()]
    assert [trial["repetition"] for trial in trials] == [1, 2, 3]
    assert all(trial["poses"][-1][0] == 2.0 for trial in trials)


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


@pytest.mark.parametrize("wrong", ["nothing is asked for", "another duration"])
def test_trials_of_an_earlier_validation_are_not_mixed_with_others(
    runs, validated, domain, tmp_path, wrong
):
    log = shutil.copy(validated / "trials.jsonl", tmp_path)
    words = ["-p", f"runs:=['{runs / 'one'}']", "-p", f"output:={tmp_path}"]
    if wrong == "another duration":
        words += ["-p", "append:=true", "-p", "duration:=2.0"]
    rclpy.init(args=["--ros-args", *words], domain_id=domain)
    try:
        with pytest.raises(RunFolderError) as why:
            Validator()
    finally:
        rclpy.shutdown()
    said = {
        "nothing is asked for": f"{log} is of an earlier validation: keep its trials beside the "
        "new ones (--append, append:=true), or choose another --output",
        "another duration": f"{tmp_path} has trials of one over 1 s, not 2 s: choose another",
    }
    assert said[wrong] in str(why.value)
    assert Path(log).read_text() == (validated / "trials.jsonl").read_text()


def test_a_validation_that_was_stopped_has_added_its_trials_and_others_are_added_to_it(
    runs, validated, domain, tmp_path
):
    """One at a time. And a run that found a better gait is not mixed with its earlier best."""
    run, log = tmp_path / "run", tmp_path / "trials.jsonl"
    shutil.copytree(runs / "one", run)
    best, first = read_learned(run), read_evaluations(run)[0]
    assert best.evaluation > 1
    before = [json.loads(line) for line in (validated / "trials.jsonl").open()]
    assert before[0]["evaluation"] == best.evaluation
    before.append(before[0] | {"run": str(run), "evaluation": 1})
    log.write_text("".join(json.dumps(trial) + "\n" for trial in before))

    words = ("--append", "--repetitions", "1000", "--duration", "1", "--real-time-factor", "1")
    process = start([*BEA, "validate", str(run), "--output", str(tmp_path), *words])
    wait_for(lambda: len(log.read_text().splitlines()) > 7 or process.poll() is not None)
    more = ("-p", f"runs:=['{runs / 'one'}']", "-p", f"output:={tmp_path}", "-p", "append:=true")
    in_use = f"{tmp_path} is in use by another validation"
    assert in_use in refusal("validator", domain, *more)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=HANGS)
    assert f"stopped; the trials are in {tmp_path}, and --append adds others" in said
    trials = [json.loads(line) for line in log.open()]
    assert trials[:7] == before
    added = trials[7:]
    assert 0 < len(added) < 1000
    assert [trial["repetition"] for trial in added] == list(range(2, len(added) + 2))
    assert {(trial["run"], trial["evaluation"]) for trial in added} == {
        (str(run), best.evaluation)
    }
    assert added[0]["poses"][0] not in [trial["poses"][0] for trial in before]
    with (tmp_path / "validation.csv").open() as file:
        rows = [(row["run"], row["learned"], row["trials"]) for row in csv.DictReader(file)]
    assert [row for row in rows if row[0].startswith("run")] == [
        ("run, evaluation 1", f"{first['fitness']:.4f}", "1"),
        ("run", f"{best.fitness:.4f}", str(len(added))),
    ]
    assert f"{len(trials)} trial" in (tmp_path / "validation.html").read_text()

    others = [str(runs / name) for name in ("one", "two")]
    words = ("--append", "--repetitions", 1, "--duration", 1, "--output", tmp_path)
    assert bea("validate", *others, *words).returncode == 0
    *kept, again, other = [json.loads(line) for line in log.open()]
    assert kept == trials
    assert [(new["run"], new["repetition"]) for new in (again, other)] == [(o, 3) for o in others]
    assert again["poses"][0] not in [trial["poses"][0] for trial in kept]
