# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A user's mistakes: one clear line, exit code 2, nothing written over."""

import json

import pytest
import yaml
from graph import BESIDE, SHORT, bea

pytestmark = pytest.mark.graph


def refused(said, *words):
    assert said.returncode == 2, said
    lines = [line for line in said.stderr.splitlines() if line.strip()]
    lines = [line for line in lines if not BESIDE.search(line)]
    assert len(lines) == 1, said.stderr
    for word in words:
        assert word in lines[0]


def test_unknown_robot(tmp_path):
    said = bea("learn", "--robot", "spider8", "--output", tmp_path / "run")
    refused(said, "spider8", "babyA, gecko7, spider9")
    assert not (tmp_path / "run" / "run.yaml").exists()


def test_unwritable_output(tmp_path):
    (tmp_path / "file").write_text("precious")
    refused(bea("learn", "--output", tmp_path / "file" / "run"), "cannot write to")
    assert (tmp_path / "file").read_text() == "precious"


def test_budget_below_the_initial_samples(tmp_path):
    refused(bea("learn", "--evaluations", 5, "--output", tmp_path / "run"), "5", "10")


def test_log_that_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_LOG_DIR", "/proc/log")
    said = bea("operator", "status")
    refused(said, "bea operator: failed to initialize logging", "ROS_LOG_DIR")


def test_duration_too_short_to_be_measured(tmp_path):
    said = bea("learn", "--duration", 0.01, "--output", tmp_path / "run")
    refused(said, "a duration of 0.01 s is not within 0.1 to 3600 s")


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (
            {"learner": {"ros__parameters": {"weigth_range": 2.0}}},
            ["weigth_range", "weight_range"],
        ),
        ({"lerner": {"ros__parameters": {}}}, ["unknown node 'lerner'", "learner"]),
        ({"simulator": {"ros__parameters": {"physics.friction": -1.0}}}, ["friction", "0.01"]),
        ({"cpg_controller": {"ros__parameters": {"control_rate": "fast"}}}, ["control_rate"]),
    ],
)
def test_config_with_a_mistake(tmp_path, config, words):
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    refused(bea("learn", "--config", path, "--output", tmp_path / "run"), *words)
    assert not (tmp_path / "run" / "run.yaml").exists()


def test_physics_that_cannot_be_simulated(tmp_path):
    path = tmp_path / "config.yaml"
    wild = {"physics.timestep": 0.02, "physics.torque_scale": 10.0, "physics.gain_scale": 100.0}
    path.write_text(yaml.safe_dump({"simulator": {"ros__parameters": wild}}))
    said = bea("learn", "--config", path, "--duration", 2, "--output", tmp_path / "run")
    assert said.returncode == 1
    assert "simulator: simulation of spider9 unstable near" in said.stderr
    assert "Traceback" not in said.stderr


def test_run_folder_of_another_robot(tmp_path):
    request = {
        "robot": "gecko7", "generation": "small", "masses": "nominal", "task": "gait",
        "algorithm": "bea", "profile": "default", "evaluations": 20, "seed": 1, "duration": 30.0,
        "weight_range": 1.5, "options": {},
    }  # fmt: skip
    before = yaml.safe_dump({"format": 1, "request": request})
    (tmp_path / "run.yaml").write_text(before)
    said = bea("learn", "--robot", "spider9", "--output", tmp_path)
    refused(said, "robot 'gecko7', not 'spider9'")
    assert (tmp_path / "run.yaml").read_text() == before


def test_run_of_another_backend(tmp_path):
    request = {"robot": "spider9", "robot_backend": "gazebo", "options": {}}
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": request}))
    said = bea("learn", "--robot-backend", "simulator", "--output", tmp_path)
    refused(said, "is a run with robot_backend 'gazebo', not 'simulator'")


def test_run_of_another_algorithm(tmp_path):
    request = {"robot": "spider9", "algorithm": "bea", "options": {"switch": 150}}
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": request}))
    said = bea("learn", "--algorithm", "ea", "--output", tmp_path)
    refused(said, "is a run with algorithm 'bea', not 'ea'")


def test_run_resumed_with_another_config(tmp_path):
    config, run = tmp_path / "lab.yaml", tmp_path / "run"
    config.write_text("simulator: {ros__parameters: {seed: 5}}")
    few = [*SHORT, "--evaluations", 4, "--duration", 1, "--output", run]
    begun = bea("learn", *few, "--config", config, "--in-process")
    assert begun.returncode == 0
    few.append("--no-in-process")
    config.write_text("simulator: {ros__parameters: {seed: 6}}")
    refused(bea("learn", *few[-3:]), "config: simulator.seed was 5, is 6", "--config")
    said = bea("learn", *few, "--config", config)
    assert said.returncode == 0
    assert "from evaluation 5 on, config: simulator.seed was 5, is 6" in said.stdout


def test_replay_and_report_of_a_folder_that_is_no_run(tmp_path):
    refused(bea("replay", tmp_path), "not the folder of a run")
    refused(bea("report", tmp_path), "not the folder of a run")


def test_damaged_log_is_named(tmp_path):
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": {"task": "gait"}}))
    good = {
        "evaluation": 1, "stage": "initial", "parameters": {}, "fitness": 0.1, "terms": {},
        "attempts": 1, "time": {"overhead": 0.1, "evaluation": 1.0},
    }  # fmt: skip
    line = json.dumps(good)
    (tmp_path / "evaluations.jsonl").write_text(f"{line}\nrubbish\n{line}\n")
    refused(bea("report", tmp_path), "evaluations.jsonl: line 2 is damaged")
