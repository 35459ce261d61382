# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph as data: which nodes, what ends it, what may be given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from example_run import record

from bea_ros import bringup
from bea_ros.__main__ import main
from bea_ros.bringup import BACKENDS, LEARN_ARGUMENTS, ROBOT_ARGUMENTS, BringupError, supervisor
from bea_ros.bringup.camera_drivers import DRIVERS, driver_of
from bea_ros.commands import graphs, learn
from bea_ros.localization.camera_info import write_camera_info
from bea_ros.nodes.executables import MODULES, NODES, REAL
from bea_ros.optimizers import OPTIMIZERS, PROFILES
from bea_ros.robots import GENERATIONS, MASSES, load_robot
from bea_ros.robots.motors import MOTORS
from bea_ros.runs.folder import RunFolder
from bea_ros.simulation.camera import default_intrinsics
from bea_ros.system.resources import resource_path
from bea_ros.system.yaml_files import sealed
from bea_ros.tasks import Trajectory

SHARED = ("robot", "generation", "masses", "use_sim_time")


def arguments(**changes: Any) -> dict[str, Any]:
    defaults = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    return {**defaults, **changes}


def names(nodes: list[bringup.NodeSpec]) -> list[str]:
    return [node.executable for node in nodes]


def test_the_learner_comes_last_and_the_simulator_only_when_it_is_the_robot() -> None:
    others = ["cpg_controller", "camera_localization"]
    assert names(bringup.learn_graph(arguments())) == [*others, "simulator", "learner"]
    gazebo = bringup.learn_graph(arguments(robot_backend="gazebo"))
    assert names(gazebo) == [*others, "gazebo", "parameter_bridge", "learner"]
    hardware = bringup.learn_graph(arguments(robot_backend="hardware"))
    assert names(hardware) == [*others, "servo_driver", "learner"]
    controlled = bringup.learn_graph(arguments(robot_backend="ros2_control", controller="legs"))
    assert names(controlled) == [*others, "ros2_control_driver", "learner"]
    assert controlled[2].parameters["controller"] == "legs"


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_nodes_serve_one_robot_on_one_clock(backend: str) -> None:
    wanted = arguments(
        robot="gecko7", generation="small", masses="measured", robot_backend=backend, rviz=True
    )
    graph = bringup.learn_graph(wanted)
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
        for node in bringup.learn_graph(arguments(robot_backend=backend, rviz=True)):
            remapped = dict(node.remappings)
            own = {"/tf": "tf", "/tf_static": "tf_static"}
            assert remapped == ({**own, "/clock": "clock"} if own_clock else own)


def test_a_second_robot_is_shown_by_one_argument() -> None:
    graph = bringup.rviz_graph(arguments(second="bob=gecko7"))
    one, own, relay, other, theirs, rviz = graph
    assert rviz.arguments[1].endswith("config/two_robots.rviz")
    assert relay.parameters["of"] == "/bob"
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
    graph = bringup.learn_graph(arguments(rviz=True))
    watchers = {"monitor", "robot_state_publisher", "rviz2"}
    assert {node.executable for node in graph if not node.essential} == watchers
    assert graph[-1].executable == "learner"
    alone = bringup.rviz_graph(arguments())
    assert set(names(alone)) == watchers
    assert alone[-1].executable == "rviz2"
    assert all(node.essential for node in alone)
    assert "<robot" in alone[1].parameters["robot_description"]
    assert Path(alone[-1].arguments[1]).is_file()


def test_with_rviz_a_simulation_is_as_fast_as_rviz_can_follow_unless_it_is_said() -> None:
    def pace(**changes: Any) -> Any:
        graph = bringup.learn_graph(arguments(**changes))
        assert "real_time_factor" not in str(graph[-1].parameters["surroundings"])
        (simulator,) = [node for node in graph if node.executable == "simulator"]
        return simulator.parameters["real_time_factor"]

    assert pace(rviz=True) == 4.0
    assert pace() == pace(rviz=True, given=["real_time_factor"]) == 0.0


def test_without_aiohttp_there_is_no_page_and_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bringup.graphs, "find_spec", lambda name: None)
    found = names(bringup.learn_graph(arguments(page="local")))
    assert "learner" in found
    assert "page" not in found
    (line,) = capsys.readouterr().err.splitlines()
    assert "it needs aiohttp (pip install aiohttp" in line


def test_in_process_there_is_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "--in-process", "--page", "lan"]) == 2
    assert "page lan is for the graph: in process there is none" in capsys.readouterr().err


def test_the_page_is_of_the_run_and_may_end_before_it() -> None:
    assert "page" not in names(bringup.learn_graph(arguments(page="off")))
    for backend, reach in (("simulator", "local"), ("hardware", "lan")):
        page, *_, learner = bringup.learn_graph(arguments(robot_backend=backend, page=reach))
        assert page.executable == "page"
        assert not page.essential
        for shared in ("output", "robot", "robot_backend", "arena"):
            assert page.parameters[shared] == learner.parameters[shared]
        assert page.parameters["reach"] == reach


def test_what_may_end_before_the_run_ends_alone(capfd: pytest.CaptureFixture) -> None:
    graph = [bringup.NodeSpec("page", essential=False), bringup.NodeSpec("learner")]
    commands = {"page": ["false"], "learner": ["sh", "-c", "sleep 0.5; echo learned"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervisor, "command_of", lambda node: commands[node.executable])
        assert supervisor.run_graph(graph) == 0
    said = capfd.readouterr()
    assert "learned" in said.out
    assert "page ended (exit code 1); the run goes on without it" in said.err


def test_a_recorded_learner_waits_for_its_recorder_in_the_same_run() -> None:
    *_, plain = bringup.learn_graph(arguments())
    assert not plain.parameters["recorded"]
    for wanted in ({"record": True}, {"record_images": True}):
        recorder, *_, learner = bringup.learn_graph(arguments(**wanted))
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


@pytest.mark.parametrize("name", DRIVERS)
def test_a_camera_s_driver_is_told_of_device_calibration_and_size(
    name: str, tmp_path: Path
) -> None:
    calibration = tmp_path / "camera.yaml"
    write_camera_info(calibration, "overhead", default_intrinsics(1280, 960))
    wanted = arguments(
        robot_backend="hardware", camera=name, camera_device="/dev/video2",
        camera_info=str(calibration), image_transport="compressed",
    )  # fmt: skip
    graph = bringup.learn_graph(wanted)
    (driver,) = [node for node in graph if node.package == name]
    values = driver.parameters
    assert values["camera_info_url"] == f"file://{calibration}"
    assert "/dev/video2" in (values.get("video_device"), values.get("camera"))
    sides = values.get("image_size") or [values.get(f"{prefix}width") for prefix in ("image_", "")]
    assert 1280 in sides
    assert not values["use_sim_time"]
    assert dict(driver.remappings)["/tf"] == "tf"
    if name == "usb_cam":  # ends at a format that it does not know
        assert values["pixel_format"] == "mjpeg2rgb"
        assert driver_of(name, "", "", "raw")["parameters"]["pixel_format"] == "yuyv"
    if name == "camera_ros":  # has private topics
        assert dict(driver.remappings)["~/image_raw"] == "image_raw"
        assert driver_of(name, "1", "", "raw")["parameters"]["camera"] == 1
    (localization,) = [node for node in graph if node.executable == "camera_localization"]
    assert localization.parameters["camera_info_file"] == str(calibration)
    assert localization.parameters["image_transport"] == "compressed"
    assert localization.parameters["reliable_images"] is False


def test_a_camera_s_driver_can_be_set_in_the_parameter_file(tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text("usb_cam_node_exe: {ros__parameters: {framerate: 10.0}}")
    graph = bringup.learn_graph(arguments(robot_backend="hardware", camera="usb_cam"))
    changed = bringup.configured(graph, str(path), ())
    (driver,) = [node for node in changed if node.package == "usb_cam"]
    assert driver.parameters["framerate"] == 10.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("camera", "usb_cam"), ("camera_info", "camera.yaml"), ("image_transport", "compressed"),
     ("camera_device", "1"), ("servos", "servos.yaml"), ("controller", "legs")],
)  # fmt: skip
def test_a_simulated_robot_has_no_real_camera_nor_servos(name: str, value: str) -> None:
    for backend in ("simulator", "gazebo"):
        with pytest.raises(
            BringupError, match=f"{name} {value} is for robot_backend (hardware|ros2)"
        ):
            bringup.learn_graph(arguments(robot_backend=backend, **{name: value}))


def test_a_driver_that_is_not_installed_is_named_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("ament_index_python")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    driver = bringup.NodeSpec(**driver_of("v4l2_camera", "", "", "raw"))
    with pytest.raises(BringupError, match=r"not installed: sudo apt install ros-.*-v4l2-camera"):
        supervisor.run_graph([driver])


def test_every_executable_of_ours_is_installed() -> None:
    replay = bringup.replay_graph(arguments(run="runs/x"))
    gazebo = bringup.gazebo_graph(arguments())
    learning = bringup.learn_graph(arguments(rviz=True, record=True, page="local"))
    real = [n for backend in REAL for n in bringup.learn_graph(arguments(robot_backend=backend))]
    two = bringup.rviz_graph(arguments(second="bob"))
    graphs = [*learning, *real, *replay, *gazebo, *two]
    assert {node.executable for node in graphs if node.package == "bea_ros"} == set(NODES)


def test_every_parameter_given_is_one_the_node_has_and_allows() -> None:
    pytest.importorskip("rclpy")
    pytest.importorskip("bea_ros_interfaces")
    from importlib import import_module

    for profile in PROFILES:
        wanted = arguments(profile=profile, rviz=True, record=True)
        graph = bringup.learn_graph(wanted) + bringup.replay_graph({**wanted, "run": "runs/x"})
        graph += bringup.gazebo_graph(wanted)
        for backend in REAL:
            graph += bringup.learn_graph({**wanted, "robot_backend": backend})
        for node in graph:
            if node.package != "bea_ros":
                continue
            table = import_module(MODULES[node.executable]).PARAMETERS
            known = {parameter.name: parameter for parameter in table}
            for name, value in node.parameters.items():
                assert name == "use_sim_time" or known[name].check(value) == value


def test_a_run_without_a_name_is_told_apart_by_what_is_asked() -> None:
    default = bringup.output_folder(arguments())
    assert default == Path("runs/spider9-gait-bea-seed1").absolute()
    changes: list[dict[str, Any]] = [{"robot": "gecko7"}, {"task": "rotating"}, {"seed": 2}]
    changes += [{"algorithm": "ea"}, {"profile": "paper"}]
    folders = [bringup.output_folder(arguments(**change)) for change in changes]
    assert len({default, *folders}) == 1 + len(changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "names no node"),
        ("learnr: {ros__parameters: {seed: 3}}", "unknown node 'learnr'; known: .*learner"),
        ("learner: {seed: 3}", "'learner' must hold ros__parameters and nothing else"),
        ("learner: {", "not YAML"),
    ],
)
def test_a_parameter_file_that_no_node_would_read_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(text)
    with pytest.raises(BringupError, match=message):
        bringup.configured(bringup.learn_graph(arguments()), str(path), ())


def test_a_missing_parameter_file_is_refused_and_a_good_one_is_not(tmp_path: Path) -> None:
    graph = bringup.learn_graph(arguments())
    with pytest.raises(BringupError, match="cannot be read"):
        bringup.configured(graph, str(tmp_path / "none.yaml"), ())
    path = tmp_path / "nodes.yaml"
    path.write_text("/**/simulator: {ros__parameters: {physics.friction: 0.7}}")
    bringup.configured(graph, str(path), ())


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
    started: list[list[bringup.NodeSpec]] = []
    monkeypatch.setattr(graphs, "run_graph", lambda nodes, **_: started.append(nodes) or 0)
    run = tmp_path / "run"
    words = ["learn", "--config", str(config), "--output", str(run), "--record"]
    assert main([*words, "--task", "rotating"]) == 0
    learner = {node.executable: node.parameters for node in started[0]}["learner"]
    words_said = dict(word.split("=", 1) for word in learner["surroundings"])
    surroundings = {name: json.loads(value) for name, value in words_said.items()}
    names = ("robot", "generation", "masses", "task", "seed", "profile", "evaluations", "confirm")
    folder = RunFolder(run, {n: learner[n] for n in names} | {"options": {}}, {}, surroundings)
    folder.append(record(1), Trajectory([0, 1], [0, 1], [0, 1], [0, 1]))
    folder.close()
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
    nodes = {n.executable: n.parameters for n in bringup.learn_graph(arguments(**given))}
    backend = given.get("robot_backend", "simulator")
    for name in ("learner", "cpg_controller", *({"simulator", "gazebo"} & {backend})):
        assert nodes[name]["motor"] == motor
    assert nodes["cpg_controller"]["shaped"] is (backend != "simulator")


def test_a_run_from_before_motors_had_names_goes_on_with_servos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, learner = bringup.learn_graph(arguments(profile="paper"))
    names = ("robot", "task", "robot_backend", "profile")
    run = RunFolder(tmp_path, {n: learner.parameters[n] for n in names} | {"options": {}}, {})
    t = np.arange(3.0)
    run.append(record(1), Trajectory(t, t, t, t))
    run.close()
    started: list[list[bringup.NodeSpec]] = []
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
    *others, first = bringup.learn_graph(arguments(**given))
    pairs = (word.split("=", 1) for word in first.parameters["surroundings"])
    words = {name: json.loads(value) for name, value in pairs}
    assert words["arena"] == str(tmp_path / "lab.yaml")
    request = {name: first.parameters[name] for name in ("robot", "task", "robot_backend")}
    run = RunFolder(tmp_path, {**request, "options": {}}, {}, words)
    t = np.arange(3.0)
    run.append(record(1), Trajectory(t, t, t, t))
    run.close()
    started: list[list[bringup.NodeSpec]] = []
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
    text = (tmp_path / "run.yaml").read_text().replace("v4l2_camera", "film")
    (tmp_path / "run.yaml").write_bytes(sealed(yaml.safe_load(text)))
    assert main(["learn", "--output", str(tmp_path)]) == 2
    assert "no possible camera: 'film'" in capsys.readouterr().err


def test_an_unknown_robot_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown robot 'spider8'"):
        bringup.check_files(arguments(robot="spider8"))
    with pytest.raises(ValueError, match="cannot be read"):
        bringup.check_files(arguments(arena="/nowhere.yaml"))
    bringup.check_files(arguments())
    for table in (bringup.ROBOT_ARGUMENTS, bringup.RVIZ_ARGUMENTS, bringup.GAZEBO_ARGUMENTS):
        bringup.check_files({a.name: a.default for a in table})  # each launch file has its own
    arena = yaml.safe_load(resource_path("config/arena.yaml").read_text())
    arena["floor_markers"][0]["id"] = load_robot("spider9").marker.id
    arena["robot_marker"]["id"] = 40
    (tmp_path / "arena.yaml").write_text(yaml.safe_dump(arena))
    with pytest.raises(ValueError, match="is used twice"):
        bringup.check_files(arguments(arena=str(tmp_path / "arena.yaml")))
