# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Parameter files, and what a run that goes on keeps of what it began with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from example_run import record, write_run
from learn_arguments import arguments, names

from bea_ros.__main__ import main
from bea_ros.bringup.graphs import learn_graph
from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.bringup.parameter_file import configured
from bea_ros.commands import graphs, learn
from bea_ros.localization.camera_info import write_camera_info
from bea_ros.simulation.camera.overhead import default_intrinsics
from bea_ros.system.yaml_files import sealed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "names no node"),
        ("learnr: {ros__parameters: {seed: 3}}", "unknown node 'learnr'; known: .*learner"),
        ("learner: {seed: 3}", "'learner' must hold ros__parameters and nothing else"),
        ("learner: {", "not YAML"),
        ("simulator: {ros__parameters: {a.b: 1, a: {b: 2}}}", "a.b is there a second time"),
    ],
)
def test_a_parameter_file_that_no_node_would_read_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(text)
    with pytest.raises(BringupError, match=message):
        configured(learn_graph(arguments()), str(path), ())


@pytest.mark.parametrize(
    ("section", "of_alice", "of_nobody"),
    [
        ("simulator", 0.7, 0.7),
        ("/alice/simulator", 0.7, "'/alice/simulator' is of a namespace"),
        ("/bob/simulator", 1.0, "'/bob/simulator' is of a namespace"),
        ("/simulator", 1.0, 0.7),
        ("/**/simulator", 0.7, 0.7),
        ("/*/simulator", 0.7, "is of a namespace"),
        ("/alice/**", 0.7, "is of a namespace"),
        ("/**", 0.7, 0.7),
        ("/*", 1.0, 0.7),
    ],
)
def test_a_section_for_another_namespace_is_of_another_robot(
    tmp_path: Path, section: str, of_alice: float, of_nobody: float | str
) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(f'"{section}": {{ros__parameters: {{physics.friction: 0.7}}}}')

    def friction(namespace: str) -> float:
        nodes = configured(learn_graph(arguments()), str(path), (), namespace)
        (simulator,) = (node for node in nodes if node.executable == "simulator")
        return simulator.parameters.get("physics.friction", 1.0)

    assert friction("/alice/") == friction("alice") == of_alice
    if isinstance(of_nobody, str):
        with pytest.raises(BringupError, match=of_nobody):
            friction("")
    else:
        assert friction("") == of_nobody


def test_the_controllers_gain_is_the_learners(tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text("cpg_controller: {ros__parameters: {gain: 2.0}}")
    learner = configured(learn_graph(arguments()), str(path), ())[-1]
    assert (learner.executable, learner.parameters["gain"]) == ("learner", 2.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("simulator: {ros__parameters: {motor: revolve}}", "motor is revolve of the simulator"),
        ("cpg_controller: {ros__parameters: {control_rate: 10.0}}", "and 10.0 of the cpg_contr"),
        ("cpg_controller: {ros__parameters: {shaped: true}}", "for joints that have servos"),
        ("'*': {ros__parameters: {control_rate: 10.0}}", ""),
    ],
)
def test_a_simulated_robot_moves_as_its_controller_thinks(
    tmp_path: Path, text: str, said: str
) -> None:
    """Else it was said to be carried: its twin had another motor."""
    path = tmp_path / "nodes.yaml"
    path.write_text(text)
    if said:
        with pytest.raises(BringupError, match=said):
            configured(learn_graph(arguments()), str(path), ())
    else:
        configured(learn_graph(arguments()), str(path), ())


def test_a_missing_parameter_file_is_refused_and_a_good_one_is_not(tmp_path: Path) -> None:
    graph = learn_graph(arguments())
    with pytest.raises(BringupError, match="cannot be read"):
        configured(graph, str(tmp_path / "none.yaml"), ())
    path = tmp_path / "nodes.yaml"
    path.write_text("/**/simulator: {ros__parameters: {physics.friction: 0.7}}")
    configured(graph, str(path), ())


@pytest.mark.parametrize(
    ("recorded", "robot"),
    [({"robot_backend": "hardware"}, "servo_driver"), ({}, "simulator")],
)
def test_a_run_goes_on_with_the_backend_it_began_with(
    recorded: dict[str, str], robot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.yaml").write_text(
        yaml.safe_dump({"format": 1, "request": {"options": {}, **recorded}})
    )
    started: list[str] = []
    monkeypatch.setattr(learn, "start", lambda nodes, *_: started.extend(names(nodes)))
    assert main(["learn", "--output", str(tmp_path)]) == 0
    assert robot in started


def test_an_option_that_is_given_wins_over_the_parameter_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "nodes.yaml"
    config.write_text('learner: {ros__parameters: {options: ["compare=motion"]}}')
    started: list[dict[str, Any]] = []
    monkeypatch.setattr(
        graphs, "run_graph", lambda nodes, **_: started.append(nodes[-1].parameters) or 0
    )
    words = ["learn", "--output", str(tmp_path / "run"), "--config", str(config)]
    assert main(words) == 0
    assert main([*words, "--option", "compare=parameters"]) == 0
    assert [one["options"] for one in started] == [["compare=motion"], ["compare=parameters"]]


def test_a_run_goes_on_with_what_its_parameter_file_said_to_each_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "nodes.yaml"
    config.write_text(
        "simulator: {ros__parameters: {seed: 5}}\n"
        "cpg_controller: {ros__parameters: {profile: paper}}\n"
        "learner: {ros__parameters: {evaluations: 12, confirm: 1}}\n"
    )
    started: list[list[NodeSpec]] = []
    monkeypatch.setattr(graphs, "run_graph", lambda nodes, **_: started.append(nodes) or 0)
    run = tmp_path / "run"
    words = ["learn", "--config", str(config), "--output", str(run), "--record"]
    assert main([*words, "--task", "rotating"]) == 0
    learner = {node.executable: node.parameters for node in started[0]}["learner"]
    words_said = dict(word.split("=", 1) for word in learner["surroundings"])
    surroundings = {name: json.loads(value) for name, value in words_said.items()}
    names = ("robot", "generation", "masses", "task", "seed", "profile", "evaluations", "confirm")
    request = {n: learner[n] for n in names} | {"options": {}}
    write_run(run, request, record(1), surroundings=surroundings)
    assert main(["learn", "--output", str(run)]) == 0
    assert main([*words, "--task", "rotating"]) == 0
    config.write_text("learner: {ros__parameters: {evaluations: 99}}")
    assert main(["learn", "--output", str(run), "--no-record"]) == 0
    first, *again, changed = ({n.executable: n.parameters for n in nodes} for nodes in started)
    for nodes in (first, *again):
        assert nodes["simulator"]["seed"] == 5
        assert nodes["cpg_controller"]["profile"] == "paper"
        assert nodes["learner"]["profile"] == "default"
        assert nodes["learner"]["seed"] == 1
        assert (nodes["learner"]["evaluations"], nodes["learner"]["task"]) == (12, "rotating")
        assert "recorder" in nodes
    assert changed["learner"]["evaluations"] == 12, "a run's budget is its own"
    assert "recorder" not in changed


def test_a_parameter_file_that_would_make_it_another_run_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, config = tmp_path / "run", tmp_path / "nodes.yaml"
    write_run(run, {"weight_range": 1.5, "seed": 1, "evaluations": 12}, record(1))
    monkeypatch.setattr(learn, "start", lambda *_: 0)
    words = ["learn", "--output", str(run), "--config", str(config)]
    config.write_text("learner: {ros__parameters: {weight_range: 3.0, patience: 30.0}}")
    assert main(words) == 2
    assert "is a run with weight_range 1.5, not 3.0" in capsys.readouterr().err
    config.write_text("learner: {ros__parameters: {weight_range: 1.5, evaluations: 99}}")
    assert main(words) == 0
    config.write_text("learner: {ros__parameters: {seed: 2}}")
    assert main(words) == 2
    assert main([*words, "--seed", "1"]) == 0, "an option wins over the file"


def test_a_run_from_before_motors_had_names_goes_on_with_servos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, learner = learn_graph(arguments(profile="paper"))
    names = ("robot", "task", "robot_backend", "profile")
    request = {n: learner.parameters[n] for n in names} | {"options": {}}
    write_run(tmp_path, request, record(1))
    started: list[list[NodeSpec]] = []
    monkeypatch.setattr(learn, "start", lambda nodes, *_: started.append(nodes))
    assert main(["learn", "--output", str(tmp_path)]) == 0
    nodes = {node.executable: node.parameters for node in started[0]}
    for name in ("learner", "cpg_controller", "simulator"):
        assert nodes[name]["motor"] == "servo"


def test_a_run_goes_on_in_the_surroundings_it_began_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    write_camera_info(tmp_path / "camera.yaml", "overhead", default_intrinsics())
    given = {
        "arena": "lab.yaml", "camera": "v4l2_camera", "camera_info": "camera.yaml",
        "image_transport": "compressed", "servos": "servos.yaml", "robot_backend": "hardware",
    }  # fmt: skip
    *others, first = learn_graph(arguments(**given))
    pairs = (word.split("=", 1) for word in first.parameters["surroundings"])
    words = {name: json.loads(value) for name, value in pairs}
    assert words["arena"] == str(tmp_path / "lab.yaml")
    request = {name: first.parameters[name] for name in ("robot", "task", "robot_backend")}
    write_run(tmp_path, {**request, "options": {}}, record(1), surroundings=words)
    started: list[list[NodeSpec]] = []
    monkeypatch.setattr(learn, "start", lambda nodes, *_: started.append(nodes))
    assert main(["learn", "--output", str(tmp_path), "--page", "off"]) == 0
    assert (
        main(["learn", "--output", str(tmp_path), "--arena", "other.yaml", "--page", "off"]) == 0
    )
    for nodes, arena in zip(started, ("lab.yaml", "other.yaml"), strict=True):
        assert names(nodes) == names([*others, first])
        parameters = {node.executable: node.parameters for node in nodes}
        tracking = parameters["camera_localization"]
        assert Path(tracking["arena"]).name == arena
        assert tracking["camera_info_file"] == str(tmp_path / "camera.yaml")
        assert tracking["image_transport"] == "compressed"
        assert parameters["servo_driver"]["servos"] == str(tmp_path / "servos.yaml")
    head = yaml.safe_load((tmp_path / "run.yaml").read_text())
    for name, wrong in (("camera", "film"), ("given", [{"camera": 1}])):
        there = {**head["surroundings"], name: wrong}
        (tmp_path / "run.yaml").write_bytes(sealed({**head, "surroundings": there}))
        assert main(["learn", "--output", str(tmp_path)]) == 2
        assert (
            f"no possible {name}: {wrong}".replace(" film", " 'film'") in capsys.readouterr().err
        )
