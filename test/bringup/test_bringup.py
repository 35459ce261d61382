# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph as data: which nodes, what ends it, what may be given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from learn_arguments import arguments, names

from bea_ros.__main__ import main
from bea_ros.bringup import graphs, supervisor
from bea_ros.bringup.arguments import (
    BACKENDS,
    GAZEBO_ARGUMENTS,
    LEARN_ARGUMENTS,
    ROBOT_ARGUMENTS,
    RVIZ_ARGUMENTS,
)
from bea_ros.bringup.camera_drivers import DRIVERS
from bea_ros.bringup.graphs import (
    check_files,
    gazebo_graph,
    learn_graph,
    output_folder,
    replay_graph,
)
from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.bringup.rviz import rviz_graph
from bea_ros.nodes.executables import MODULES, NODES, REAL
from bea_ros.optimizers import OPTIMIZERS, PROFILES
from bea_ros.robots import GENERATIONS, MASSES, load_robot
from bea_ros.robots.motors import MOTORS
from bea_ros.system.resources import resource_path

SHARED = ("robot", "generation", "masses", "use_sim_time")


def test_the_learner_comes_last_and_the_simulator_only_when_it_is_the_robot() -> None:
    others = ["cpg_controller", "camera_localization"]
    assert names(learn_graph(arguments())) == [*others, "simulator", "learner"]
    gazebo = learn_graph(arguments(robot_backend="gazebo"))
    assert names(gazebo) == [*others, "gazebo", "parameter_bridge", "learner"]
    hardware = learn_graph(arguments(robot_backend="hardware"))
    assert names(hardware) == [*others, "servo_driver", "learner"]
    controlled = learn_graph(arguments(robot_backend="ros2_control", controller="legs"))
    assert names(controlled) == [*others, "ros2_control_driver", "learner"]
    assert controlled[2].parameters["controller"] == "legs"


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_nodes_serve_one_robot_on_one_clock(backend: str) -> None:
    wanted = arguments(
        robot="gecko7", generation="small", masses="measured", robot_backend=backend, rviz=True
    )
    graph = learn_graph(wanted)
    simulated = backend not in REAL
    for node in graph:
        own_clock = node.executable in ("simulator", "gazebo", "parameter_bridge")
        assert node.parameters["use_sim_time"] is (simulated and not own_clock), node
        if node.package == "bea_ros":
            assert [node.parameters[n] for n in SHARED[:3]] == ["gecko7", "small", "measured"]


def test_simulators_have_clocks_of_their_own_and_every_robot_its_tf() -> None:
    for backend, own_clock in (
        ("simulator", True),
        ("gazebo", True),
        *((real, False) for real in REAL),
    ):
        for node in learn_graph(arguments(robot_backend=backend, rviz=True)):
            remapped = dict(node.remappings)
            own = {"/tf": "tf", "/tf_static": "tf_static"}
            assert remapped == ({**own, "/clock": "clock"} if own_clock else own)


def test_a_second_robot_is_shown_by_one_argument() -> None:
    graph = rviz_graph(arguments(second="bob=gecko7"))
    one, own, relay, other, theirs, rviz = graph
    assert rviz.arguments[1].endswith("config/two_robots.rviz")
    assert (relay.parameters["of"], relay.parameters["beside"]) == ("/bob", 4.0)
    assert (one.parameters["robot"], other.parameters["robot"]) == ("spider9", "gecko7")
    assert own.parameters["robot_description"] != theirs.parameters["robot_description"]
    for node in (other, theirs):
        assert node.parameters["frame_prefix"] == "second/"
        assert dict(node.remappings)["__node"] == f"second_{node.executable}"
    assert dict(other.remappings)["learner/status"] == "/bob/learner/status"
    assert dict(other.remappings)["markers"] == "second/markers"
    assert dict(theirs.remappings)["joint_states"] == "/bob/joint_states"
    assert dict(theirs.remappings)["/tf"] == "tf"


def test_rviz_may_be_closed_while_the_robot_learns_but_ends_a_graph_of_its_own() -> None:
    graph = learn_graph(arguments(rviz=True))
    watchers = {"monitor", "robot_state_publisher", "rviz2"}
    assert {node.executable for node in graph if not node.essential} == watchers
    assert graph[-1].executable == "learner"
    alone = rviz_graph(arguments())
    assert set(names(alone)) == watchers
    assert alone[-1].executable == "rviz2"
    assert all(node.essential for node in alone)
    assert "<robot" in alone[1].parameters["robot_description"]
    assert Path(alone[-1].arguments[1]).is_file()


def test_with_rviz_a_simulation_is_as_fast_as_rviz_can_follow_unless_it_is_said() -> None:
    def pace(**changes: Any) -> Any:
        graph = learn_graph(arguments(**changes))
        assert "real_time_factor" not in str(graph[-1].parameters["surroundings"])
        (simulator,) = [node for node in graph if node.executable == "simulator"]
        return simulator.parameters["real_time_factor"]

    assert pace(rviz=True) == 4.0
    assert pace() == pace(rviz=True, given=["real_time_factor"]) == 0.0


def test_without_aiohttp_there_is_no_page_and_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(graphs, "find_spec", lambda name: None)
    found = names(learn_graph(arguments(page="local")))
    assert "learner" in found
    assert "page" not in found
    (line,) = capsys.readouterr().err.splitlines()
    assert "it needs aiohttp (pip install aiohttp" in line


def test_in_process_there_is_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "--in-process", "--page", "lan"]) == 2
    assert "page lan is for the graph: in process there is none" in capsys.readouterr().err


def test_the_page_is_of_the_run_and_may_end_before_it() -> None:
    assert "page" not in names(learn_graph(arguments(page="off")))
    for backend, reach in (("simulator", "local"), ("hardware", "lan")):
        page, *_, learner = learn_graph(arguments(robot_backend=backend, page=reach))
        assert page.executable == "page"
        assert not page.essential
        for shared in ("output", "robot", "robot_backend", "arena"):
            assert page.parameters[shared] == learner.parameters[shared]
        assert page.parameters["reach"] == reach


def test_a_node_gets_any_name_of_a_folder_as_it_is() -> None:
    """Beyond 16 bits JSON has a pair of escapes, which rcl refuses."""
    for name in ("runs/\U0001f98e", "a \\ud83d 'b'", "caf\xe9\x7f", ["a", "\ufffe"]):
        *_, told = supervisor.command_of(NodeSpec("page", {"output": name}))
        assert told.isascii()
        assert yaml.safe_load(told.removeprefix("output:=")) == name
    with pytest.raises(BringupError, match="takes names in UTF-8 only"):
        supervisor.command_of(NodeSpec("page", {"output": "caf\udce9"}))


def test_what_may_end_before_the_run_ends_alone(capfd: pytest.CaptureFixture) -> None:
    graph = [NodeSpec("page", essential=False), NodeSpec("learner")]
    commands = {"page": ["false"], "learner": ["sh", "-c", "sleep 0.5; echo learned"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervisor, "command_of", lambda node: commands[node.executable])
        assert supervisor.run_graph(graph) == 0
    said = capfd.readouterr()
    assert "learned" in said.out
    assert "page ended (exit code 1); the run continues without it" in said.err


def test_a_recorded_learner_waits_for_its_recorder_in_the_same_run() -> None:
    *_, plain = learn_graph(arguments())
    assert not plain.parameters["recorded"]
    for wanted in ({"record": True}, {"record_images": True}):
        recorder, *_, learner = learn_graph(arguments(**wanted))
        assert recorder.executable == "recorder"
        assert recorder.essential
        assert recorder.parameters["output"] == learner.parameters["output"]
        assert recorder.parameters["images"] is ("record_images" in wanted)
        assert learner.parameters["recorded"]


def test_choices_are_those_of_the_optimizers_robots_and_tasks() -> None:
    choices = {a.name: set(a.choices) for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS) if a.choices}
    assert choices == {
        "algorithm": set(OPTIMIZERS),
        "profile": set(PROFILES),
        "generation": set(GENERATIONS),
        "masses": set(MASSES),
        "motor": {"auto", *MOTORS},
        "robot_backend": set(BACKENDS),
        "operator": {"auto", "present", "none"},
        "camera": {"none", *DRIVERS},
        "image_transport": {"raw", "compressed"},
        "render_engine": {"ogre", "ogre2"},
    }


def test_every_executable_of_ours_is_installed() -> None:
    replay = replay_graph(arguments(run="runs/x"))
    gazebo = gazebo_graph(arguments())
    learning = learn_graph(arguments(rviz=True, record=True, page="local"))
    real = [n for backend in REAL for n in learn_graph(arguments(robot_backend=backend))]
    two = rviz_graph(arguments(second="bob"))
    graphs = [*learning, *real, *replay, *gazebo, *two]
    assert {node.executable for node in graphs if node.package == "bea_ros"} == set(NODES)


def test_every_parameter_given_is_one_the_node_has_and_allows() -> None:
    pytest.importorskip("rclpy")
    pytest.importorskip("bea_ros_interfaces")
    from importlib import import_module

    for profile in PROFILES:
        wanted = arguments(profile=profile, rviz=True, record=True)
        graph = learn_graph(wanted) + replay_graph({**wanted, "run": "runs/x"})
        graph += gazebo_graph(wanted)
        for backend in REAL:
            graph += learn_graph({**wanted, "robot_backend": backend})
        for node in graph:
            if node.package != "bea_ros":
                continue
            table = import_module(MODULES[node.executable]).PARAMETERS
            known = {parameter.name: parameter for parameter in table}
            for name, value in node.parameters.items():
                assert name == "use_sim_time" or known[name].check(value) == value


def test_a_run_without_a_name_is_told_apart_by_what_is_asked() -> None:
    default = output_folder(arguments())
    assert default == Path("runs/spider9-gait-bea-seed1").absolute()
    changes: list[dict[str, Any]] = [{"robot": "gecko7"}, {"task": "rotating"}, {"seed": 2}]
    changes += [{"algorithm": "ea"}, {"profile": "paper"}]
    folders = [output_folder(arguments(**change)) for change in changes]
    assert len({default, *folders}) == 1 + len(changes)


@pytest.mark.parametrize(
    ("given", "motor"),
    [
        ({}, "servo"),
        ({"profile": "paper"}, "revolve"),
        ({"profile": "released", "robot_backend": "gazebo"}, "revolve"),
        ({"profile": "paper", "robot_backend": "hardware"}, "servo"),
        ({"profile": "paper", "motor": "servo"}, "servo"),
        ({"motor": "revolve", "robot_backend": "hardware"}, "revolve"),
    ],
)
def test_the_motor_is_the_profile_s_unless_somebody_says_otherwise(
    given: dict[str, str], motor: str
) -> None:
    nodes = {n.executable: n.parameters for n in learn_graph(arguments(**given))}
    backend = given.get("robot_backend", "simulator")
    for name in ("learner", "cpg_controller", *({"simulator", "gazebo"} & {backend})):
        assert nodes[name]["motor"] == motor
    assert nodes["cpg_controller"]["shaped"] is (backend != "simulator")


def test_an_unknown_robot_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown robot 'spider8'"):
        check_files(arguments(robot="spider8"))
    with pytest.raises(ValueError, match="cannot be read"):
        check_files(arguments(arena="/nowhere.yaml"))
    check_files(arguments())
    for table in (ROBOT_ARGUMENTS, RVIZ_ARGUMENTS, GAZEBO_ARGUMENTS):
        check_files({a.name: a.default for a in table})  # each launch file has its own
    arena = yaml.safe_load(resource_path("config/arena.yaml").read_text())
    arena["floor_markers"][0]["id"] = load_robot("spider9").marker.id
    arena["robot_marker"]["id"] = 40
    (tmp_path / "arena.yaml").write_text(yaml.safe_dump(arena))
    with pytest.raises(ValueError, match="is used twice"):
        check_files(arguments(arena=str(tmp_path / "arena.yaml")))
