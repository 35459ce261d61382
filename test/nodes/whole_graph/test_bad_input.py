# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A user's mistakes: one clear line, exit code 2, nothing written over."""

import json

import pytest
import yaml
from graph import SHORT, bea, config, one_line, refusal

from bea_ros.__main__ import main

pytestmark = pytest.mark.graph


def refused(said, *words):
    assert said.returncode == 2, said
    one_line(said.stderr, *words)


def learn_alone(*options):
    """The exit code of `bea learn` without the graph, whose learner refuses in the same words."""
    return main(["learn", "--in-process", *map(str, options)])


def test_unknown_robot(tmp_path):
    said = bea("learn", "--robot", "spider8", "--output", tmp_path / "run")
    refused(said, "spider8", "babyA, gecko7, spider9")
    assert not (tmp_path / "run" / "run.yaml").exists()


def test_unwritable_output(tmp_path):
    (tmp_path / "file").write_text("precious")
    refused(bea("learn", "--output", tmp_path / "file" / "run"), "cannot write to")
    assert (tmp_path / "file").read_text() == "precious"


def test_budget_below_the_initial_samples(tmp_path, capfd):
    assert learn_alone("--evaluations", 5, "--output", tmp_path / "run") == 2
    one_line(capfd.readouterr().err, "5", "10")


def test_log_that_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_LOG_DIR", "/proc/log")
    said = bea("operator", "status")
    refused(said, "bea operator: failed to initialize logging", "ROS_LOG_DIR")


def test_duration_too_short_to_be_measured(tmp_path, capfd):
    assert learn_alone("--duration", 0.01, "--output", tmp_path / "run") == 2
    one_line(capfd.readouterr().err, "a duration of 0.01 s is not within 0.1 to 3600 s")


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ({"learner": {"weigth_range": 2.0}}, ["weigth_range", "weight_range"]),
        ({"lerner": {}}, ["unknown node 'lerner'", "learner"]),
    ],
)
def test_config_with_a_mistake(tmp_path, nodes, words):
    path = config(tmp_path, **nodes)
    said = bea("learn", "--config", path, "--output", tmp_path / "run", "--page", "local")
    refused(said, *words)
    assert "page:" not in said.stdout, "no address is told before the learner refused nothing"
    assert not (tmp_path / "run" / "run.yaml").exists()


def test_parameter_of_another_type(domain):
    assert "control_rate" in refusal("cpg_controller", domain, "-p", "control_rate:=fast")


def test_parameter_out_of_its_range(domain):
    said = refusal("simulator", domain, "-p", "physics.friction:=-1.0")
    assert "friction" in said
    assert "0.01" in said


def test_edge_beyond_the_arena(domain):
    said = refusal("camera_localization", domain, "-p", "edge:=0.76")
    assert "edge is 0.76" in said
    assert "this arena of 4 x 3 m it must be 0 to 0.75 m" in said


def test_physics_that_cannot_be_simulated(tmp_path):
    wild = {"physics.timestep": 0.02, "physics.torque_scale": 10.0, "physics.gain_scale": 100.0}
    path = config(tmp_path, simulator=wild)
    few = (*SHORT, "--evaluations", 4, "--duration", 2)
    said = bea("learn", "--config", path, *few, "--output", tmp_path / "run")
    assert said.returncode == 1
    assert "simulator: simulation of spider9 unstable near" in said.stderr
    assert "Traceback" not in said.stderr


def test_run_folder_of_another_robot(tmp_path, capfd):
    request = {
        "robot": "gecko7", "generation": "small", "masses": "nominal", "task": "gait",
        "algorithm": "bea", "profile": "default", "evaluations": 20, "seed": 1, "duration": 30.0,
        "weight_range": 1.5, "options": {},
    }  # fmt: skip
    before = yaml.safe_dump({"format": 1, "request": request})
    (tmp_path / "run.yaml").write_text(before)
    assert learn_alone("--robot", "spider9", "--output", tmp_path) == 2
    one_line(capfd.readouterr().err, "robot 'gecko7', not 'spider9'")
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


def test_run_resumed_with_another_config(tmp_path, capfd):
    path, run = config(tmp_path, simulator={"seed": 5}), tmp_path / "run"
    few = [*SHORT, "--evaluations", 4, "--duration", 1, "--output", run]
    assert learn_alone(*few, "--config", path) == 0
    config(tmp_path, simulator={"seed": 6})
    capfd.readouterr()
    assert learn_alone("--output", run) == 2
    one_line(capfd.readouterr().err, "config: simulator.seed was 5, is 6", "--config")
    assert learn_alone(*few, "--config", path) == 0
    assert "from evaluation 5 on, config: simulator.seed was 5, is 6" in capfd.readouterr().out


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


def test_the_largest_edge_is_that_of_the_arena_s_smaller_side(tmp_path, capfd):
    for edge, code in ((0.76, 2), (0.75, 0)):
        path = config(tmp_path, camera_localization={"edge": edge})
        run = ("--no-images", "--evaluations", 12, "--duration", 1, "--output", tmp_path / "run")
        assert learn_alone("--config", path, *run) == code
        if code:
            one_line(capfd.readouterr().err, "edge is 0.76", "must be 0 to 0.75 m")
