# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The launch files, as launch itself reads them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

LAUNCH = Path(__file__).resolve().parents[2] / "launch"
FILES = sorted(LAUNCH.glob("*.launch.py"))

# No wheel has launch: these run where ROS 2 is installed.
actions = pytest.importorskip("launch.actions", reason="launch is not installed")
pytest.importorskip("launch_ros.actions", reason="launch_ros is not installed")


def describe(name: str) -> Any:
    return runpy.run_path(str(LAUNCH / name))["generate_launch_description"]()


def start(name: str, **given: str) -> list[Any]:
    """The actions that a launch file leads to with these arguments."""
    from launch import LaunchContext

    from bea_ros.bringup.launching import StartGraph

    context = LaunchContext()
    context.launch_configurations.update(given)
    for entity in describe(name).entities:
        if isinstance(
            entity,
            actions.OpaqueFunction
            | actions.DeclareLaunchArgument
            | actions.SetEnvironmentVariable,
        ):
            entity.execute(context)
        elif isinstance(entity, StartGraph):
            return entity.execute(context)
    raise AssertionError("starts nothing")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_argument_has_a_description_and_a_default_among_its_choices(path: Path) -> None:
    arguments = describe(path.name).get_launch_arguments()
    names = [argument.name for argument in arguments]
    assert {"robot", "namespace", "use_sim_time"} <= set(names)
    assert len(names) == len(set(names))
    for argument in arguments:
        assert argument.description.strip()
        (default,) = argument.default_value
        assert argument.choices is None or default.text in argument.choices
        if default.text in ("true", "false"):  # any other word would count as false
            assert argument.choices == ["true", "false"]


@pytest.mark.parametrize("task", ["gait", "directed_locomotion", "rotating"])
def test_a_learning_launch_file_learns_what_it_is_named_after(task: str) -> None:
    arguments = describe(f"learn_{task}.launch.py").get_launch_arguments()
    (argument,) = [a for a in arguments if a.name == "task"]
    assert argument.default_value[0].text == task


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every package were built: the tests may run from a checkout."""
    from bea_ros.bringup import launching

    monkeypatch.setattr(launching, "_check_installed", lambda node, context: None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_launch_file_starts_nodes(installed: None, path: Path) -> None:
    from launch_ros.actions import Node

    assert [action for action in start(path.name) if isinstance(action, Node)]


def test_nodes_start_in_their_namespace_with_names_of_their_own(installed: None) -> None:
    from launch_ros.actions import Node

    said = {"namespace": "one", "page": "off"}
    nodes = [a for a in start("learn_gait.launch.py", **said) if isinstance(a, Node)]
    assert [node.node_executable for node in nodes] == [
        "cpg_controller",
        "camera_localization",
        "simulator",
        "learner",
    ]


def test_with_sros2_each_node_starts_in_its_enclave(
    installed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from launch_ros.actions import Node

    monkeypatch.setenv("ROS_SECURITY_ENABLE", "true")
    nodes = [a for a in start("learn_gait.launch.py") if isinstance(a, Node)]
    assert nodes
    for node in nodes:
        words = [getattr(part, "text", "") for word in node.cmd for part in word]
        enclave = words[words.index("--enclave") + 1]
        assert enclave == f"/bea_ros/{node.node_executable}"


@pytest.mark.parametrize("seed", ["1", "3"])
def test_what_is_said_counts_more_than_a_parameter_file(
    installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: str
) -> None:
    from bea_ros.bringup import launching

    made: list[Any] = []
    configured = launching.configured
    monkeypatch.setattr(
        launching, "configured", lambda *words: made.append(configured(*words)) or made[-1]
    )
    config = tmp_path / "lab.yaml"
    config.write_text("learner: {ros__parameters: {seed: 7}}")
    start("learn_gait.launch.py", config=str(config), seed=seed)  # 1 is the default, too
    start("learn_gait.launch.py", config=str(config))
    assert [nodes[-1].parameters["seed"] for nodes in made] == [int(seed), 7]


def test_an_argument_that_a_launch_file_does_not_have_is_named(installed: None) -> None:
    def said(**given: str) -> str:
        begun = start("learn_gait.launch.py", **given)
        logged = [action.msg for action in begun if isinstance(action, actions.LogInfo)]
        return "".join(part.text for message in logged for part in message)

    assert "ignored, no argument of this launch file: arnea, evaluation (" in said(
        evaluation="3", seed="2", arnea="mine.yaml"
    )
    assert said(**{"seed": "2", "launch-prefix": "gdb"}) == ""


def test_trials_that_are_added_are_of_the_same_run_and_begin_at_other_places(
    installed: None, make_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bea_ros.bringup import launching
    from bea_ros.report.trials import Trial, save_trials

    made: list[Any] = []
    monkeypatch.setattr(launching, "configured", lambda nodes, *_: made.append(nodes) or nodes)
    run, output = make_run(), tmp_path / "validation"
    monkeypatch.chdir(run.parent)
    given = {"runs": f"{run.name}, ", "output": str(output)}
    start("validate_gait.launch.py", **given)
    save_trials(output, [Trial(run, n, None, None) for n in (1, 2, 3)])
    start("validate_gait.launch.py", **given, append="true")
    seeds, runs = zip(
        *((nodes[-2].parameters["seed"], nodes[-1].parameters["runs"]) for nodes in made),
        strict=True,
    )
    assert seeds == (1, 4)
    assert runs == ([str(run)], [str(run)])  # as `bea validate` names it


def test_home_is_written_as_no_shell_would() -> None:
    from bea_ros.bringup.arguments import Argument
    from bea_ros.bringup.launching import _value

    assert _value(Argument("output", "", ""), "~/run") == str(Path.home() / "run")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"evaluations": "many"}, "evaluations:=many is not a whole number"),
        ({"duration": "long"}, "duration:=long is not a number"),
        ({"robot": "spider8"}, "unknown robot 'spider8'"),
        ({"config": "/nowhere.yaml"}, "config /nowhere.yaml cannot be read"),
    ],
)
def test_bad_words_are_refused_before_anything_starts(
    installed: None, given: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        start("learn_gait.launch.py", **given)


def test_a_missing_package_is_named_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    with pytest.raises(ValueError, match="has no executable cpg_controller: build it again"):
        start("learn_gait.launch.py", page="off")


def test_a_node_that_ends_ends_the_launch_and_is_named() -> None:
    from bea_ros.bringup.launch_end import Course
    from bea_ros.bringup.node_spec import NodeSpec

    page, robot = NodeSpec("page", essential=False), NodeSpec("simulator")
    rviz, learner = NodeSpec("rviz2", package="rviz2", essential=False), NodeSpec("learner")

    def course(*specs: NodeSpec) -> Course:
        return Course([(spec, object()) for spec in (*specs, page, robot, learner)])

    assert isinstance(course().ended(learner, 0)[0], actions.Shutdown)
    assert course().ended(page, -9) == []
    with pytest.raises(RuntimeError, match="learner ended \\(killed by SIGKILL\\)"):
        course(rviz).ended(learner, -9)
    with pytest.raises(RuntimeError, match="simulator ended \\(exit code 0\\)"):
        course().ended(robot, 0)
    watched = course(rviz)
    said, *ends = watched.ended(learner, 0)
    assert isinstance(said, actions.LogInfo)
    assert len(ends) == 2  # page and simulator
    assert watched.ended(robot, 0) == watched.ended(page, 0) == []
    assert isinstance(watched.ended(rviz, 0)[0], actions.Shutdown)
    closed = course(rviz)
    assert closed.ended(rviz, 0) == []
    assert isinstance(closed.ended(learner, 0)[0], actions.Shutdown)
