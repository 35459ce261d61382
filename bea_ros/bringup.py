# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph as plain data: which nodes run, with which parameters. Both `bea learn` and the launch
files start what this says.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bea_ros.cameras import DRIVERS, driver_of
from bea_ros.resources import resource_path
from bea_ros.yaml_files import YamlFileError, read_yaml

# What the nodes are started with, where the user does not say otherwise.
ENVIRONMENT = {
    # Nodes share the machine: one thread each for BLAS, which also makes sums reproducible.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    # Physics needs no window: else MuJoCo looks for one in a process that ours would have to end.
    "MUJOCO_GL": "disable",
}
BACKENDS = ("simulator", "gazebo", "hardware")


@dataclass(frozen=True)
class Argument:
    """A thing the user may choose; its type is that of its default."""

    name: str
    default: bool | int | float | str
    description: str
    choices: tuple[str, ...] = ()


SERVOS = Argument("servos", "", "YAML of a real robot's servos; empty: the robot's own")
CAMERA_ARGUMENTS = (
    Argument("camera", "none", "driver to start for a real camera", ("none", *DRIVERS)),
    Argument("camera_device", "", "its device or number; empty: the first"),
    Argument("camera_info", "", "YAML of its calibration; empty: what the driver publishes"),
    Argument("image_transport", "raw", "images as they are, or JPEGs", ("raw", "compressed")),
)

ROBOT_ARGUMENTS = (
    Argument("robot", "spider9", "robot by name, or path of a NAME.urdf.xacro"),
    Argument("generation", "small", "generation of its modules", ("small", "large")),
    Argument("masses", "nominal", "nominal or measured masses", ("nominal", "measured")),
    Argument("robot_backend", "simulator", "what moves the joints", BACKENDS),
    Argument("arena", "", "YAML file of the arena; empty: config/arena.yaml"),
    Argument("config", "", "ROS parameter file for the nodes; empty: none"),
    Argument("real_time_factor", 0.0, "simulated s per s at most; 0: what the nodes keep up with"),
    Argument("headless", False, "Gazebo without its window"),
    Argument("render_engine", "ogre2", "what draws Gazebo's camera images", ("ogre2", "ogre")),
    *CAMERA_ARGUMENTS,
    SERVOS,
)

LEARN_ARGUMENTS = (
    Argument("task", "gait", "what to learn", ("gait", "directed_locomotion", "rotating")),
    Argument("evaluations", 150, "budget: how many candidates are tried"),
    Argument("seed", 1, "seed of every random draw"),
    Argument("output", "", "folder of the run, resumed if it exists; empty: named after the run"),
    Argument("algorithm", "bea", "optimizer", ("bea", "bo", "ea")),
    Argument("profile", "default", "settings", ("default", "paper", "released")),
    Argument("duration", 0.0, "s of an evaluation; 0: the task's own"),
    Argument("confirm", -1, "repetitions of a new best; -1: 2 with an operator, else 0"),
    Argument("warm_start", "", "folder of a run whose best candidates are tried first"),
    Argument("operator", "auto", "somebody beside the robot can help; auto: not in simulation",
             ("auto", "present", "none")),
)  # fmt: skip

RECORD_ARGUMENTS = (
    Argument("record", False, "record the run as a rosbag2, into its folder"),
    Argument("record_images", False, "the camera's images with it, as JPEGs"),
)

VALIDATE_ARGUMENTS = (
    Argument("runs", "", "folders of the runs, with commas between them"),
    Argument("repetitions", 3, "how often each run's best candidate is tried"),
    Argument("duration", 0.0, "s of an evaluation; 0: the task's own"),
    Argument("output", "validation", "folder for the table and the trajectories"),
)
START_SPREAD = {"start.position": 0.05, "start.yaw": 0.1}  # m, rad

# What ros2 launch offers beside them.
NAMESPACE = Argument("namespace", "", "namespace of the robot; each robot has its own")
SIM_TIME = Argument("use_sim_time", "auto", "take the time from /clock", ("auto", "true", "false"))
RVIZ = Argument("rviz", False, "show the run in rviz")
_SHOWN = ("robot", "generation", "masses", "robot_backend", "arena")
RVIZ_ARGUMENTS = tuple(a for a in ROBOT_ARGUMENTS if a.name in _SHOWN)
GAZEBO_ARGUMENTS = tuple(
    a
    for a in ROBOT_ARGUMENTS
    if a.name not in ("robot_backend", "servos") and a not in CAMERA_ARGUMENTS
)


class BringupError(ValueError):
    """Arguments that make no graph; the message is one line."""


@dataclass(frozen=True)
class NodeSpec:
    """A node to start. bea_ros's executables are the modules of bea_ros.nodes.

    The graph ends with an `essential` node; without another one it goes on.
    """

    executable: str
    parameters: dict[str, Any] = field(default_factory=dict)
    package: str = "bea_ros"
    arguments: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    essential: bool = True


def robot_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Everything but who asks for evaluations: controller, localization and the robot itself."""
    robot = _common(arguments)
    simulated = arguments["robot_backend"] == "simulator"
    arena = {"arena": arguments["arena"]}
    published = arguments.get("profile", "default") != "default"
    camera = {
        "reliable_images": simulated,
        "identical_images": arguments["robot_backend"] == "gazebo",  # its camera has no noise
        "image_transport": arguments["image_transport"],
        "camera_info_file": arguments["camera_info"].removeprefix("file://"),
    }
    nodes = [
        NodeSpec("cpg_controller", {**robot, "profile": "paper" if published else "default"}),
        NodeSpec("camera_localization", {**robot, **arena, **camera}),
        *_camera_driver(arguments),
    ]
    world = {**arena, "real_time_factor": arguments["real_time_factor"], "use_sim_time": False}
    if simulated:
        seed = {"seed": arguments.get("seed", 1)}
        nodes.append(NodeSpec("simulator", {**robot, **world, **seed}))
    elif arguments["robot_backend"] == "gazebo":
        view = {name: arguments[name] for name in ("headless", "render_engine")}
        bridge = {
            "config_file": str(resource_path("config/gazebo/bridge.yaml")),
            "use_sim_time": False,
        }
        nodes += [
            NodeSpec("gazebo", {**robot, **world, **view}),
            NodeSpec("parameter_bridge", bridge, package="ros_gz_bridge"),
        ]
    else:
        nodes.append(NodeSpec("servo_driver", {**robot, "servos": arguments["servos"]}))
    return _apart(nodes, arguments)


def _camera_driver(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    name = arguments["camera"]
    if name == "none":
        return []
    if arguments["robot_backend"] != "hardware":
        raise BringupError(f"camera {name} is for robot_backend hardware: others have their own")
    chosen = (arguments[key] for key in ("camera_device", "camera_info", "image_transport"))
    driver = NodeSpec(**driver_of(name, *chosen))
    return [replace(driver, parameters={**driver.parameters, "use_sim_time": False})]


def gazebo_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """A robot in Gazebo that obeys `cpg_parameters`, wherever they come from."""
    defaults = {a.name: a.default for a in ROBOT_ARGUMENTS}
    arguments = {**defaults, **arguments, "robot_backend": "gazebo"}
    watchers = rviz_graph(arguments, essential=False) if arguments.get("rviz") else []
    return _apart([*watchers, *robot_graph(arguments)], arguments)


def learn_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The graph of a learning run; the learner comes last, and its end ends the run."""
    learner = {**_common(arguments), **{a.name: arguments[a.name] for a in LEARN_ARGUMENTS}}
    learner["arena"] = arguments["arena"]
    if arguments["warm_start"]:
        learner["warm_start"] = str(Path(arguments["warm_start"]).expanduser().absolute())
    learner["options"] = arguments.get("options") or [""]
    learner["output"] = str(output_folder(arguments))
    if "weight_range" in arguments:
        learner["weight_range"] = arguments["weight_range"]
    watchers = rviz_graph(arguments, essential=False) if arguments.get("rviz") else []
    recorder = _recorder(arguments, learner["output"])
    learner["recorded"] = bool(recorder)
    nodes = [*watchers, *recorder, *robot_graph(arguments), NodeSpec("learner", learner)]
    return _apart(nodes, arguments)


def _recorder(arguments: Mapping[str, Any], output: str) -> list[NodeSpec]:
    if not (arguments.get("record") or arguments.get("record_images")):
        return []
    parameters = {
        "use_sim_time": arguments["robot_backend"] != "hardware",
        "output": output,
        "images": arguments.get("record_images", False),
        "reliable_images": arguments["robot_backend"] == "simulator",
        "image_transport": arguments["image_transport"],
    }
    return [NodeSpec("recorder", parameters)]


def replay_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The graph that runs the best candidate of a run again."""
    return validate_graph(
        {**arguments, "runs": arguments["run"], "repetitions": 1, "output": "", "spread": False}
    )


def validate_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The graph that runs the best candidates of runs, all of one robot, again.

    Without a `robot` it is that of the runs. Repetitions in the simulator start a little apart, as
    those of a robot that somebody puts back.
    """
    runs = [run.strip() for run in arguments["runs"].split(",")]
    if not arguments["robot"]:
        arguments = {**arguments, **_platform(runs)}
    node = {**_common(arguments), "runs": runs}
    node |= {name: arguments[name] for name in ("repetitions", "duration", "output")}
    nodes = robot_graph(arguments)
    if arguments.get("spread", True):
        nodes = [
            replace(n, parameters={**n.parameters, **START_SPREAD})
            if n.executable == "simulator"
            else n
            for n in nodes
        ]
    return _apart([*nodes, NodeSpec("validator", node)], arguments)


def _platform(runs: Sequence[str]) -> dict[str, Any]:
    """The robot that all of these runs are of; raises RunFolderError or BringupError."""
    from bea_ros.learned import by_platform, read_learned

    if runs == [""]:  # which the validator refuses
        return {"robot": ROBOT_ARGUMENTS[0].default}
    groups = by_platform(read_learned(Path(run)) for run in runs)
    if len(groups) > 1:
        first, second = (group[0].folder for group in groups[:2])
        raise BringupError(f"{first} and {second} are not of one robot and controller")
    return groups[0][0].platform


def rviz_graph(arguments: Mapping[str, Any], essential: bool = True) -> list[NodeSpec]:
    """rviz, and what it shows beside what the robot's own nodes publish."""
    from bea_ros.robots import load_robot

    robot = _common(arguments)
    time = {"use_sim_time": robot["use_sim_time"]}
    urdf = load_robot(arguments["robot"], arguments["generation"], arguments["masses"]).urdf
    layout = ("-d", str(resource_path("config/learn.rviz")))
    nodes = [
        NodeSpec("monitor", {**robot, "arena": arguments["arena"]}),
        NodeSpec(
            "robot_state_publisher",
            {"robot_description": urdf, **time},
            package="robot_state_publisher",
        ),
        NodeSpec("rviz2", time, package="rviz2", arguments=layout),
    ]
    return _apart([replace(node, essential=essential) for node in nodes], arguments)


def _common(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of every node."""
    robot = {name: arguments[name] for name in ("robot", "generation", "masses")}
    return {**robot, "use_sim_time": arguments["robot_backend"] != "hardware"}


def _apart(nodes: Sequence[NodeSpec], arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The nodes with names that a namespace applies to, also where ROS has absolute ones.

    So each robot has its own tf tree, and each simulator's time is its own.
    """
    own = ["tf", "tf_static", *(["clock"] if arguments["robot_backend"] != "hardware" else [])]
    relative = {f"/{name}": name for name in own}
    return [
        replace(node, remappings=tuple({**dict(node.remappings), **relative}.items()))
        for node in nodes
    ]


def output_folder(arguments: Mapping[str, Any]) -> Path:
    """Where a run goes: what the user says, or a name that tells runs apart."""
    if arguments["output"]:
        return Path(arguments["output"]).expanduser().absolute()
    robot = Path(arguments["robot"]).name.removesuffix(".urdf.xacro")
    parts = [robot, arguments["task"], arguments["algorithm"]]
    if arguments["profile"] != "default":
        parts.append(arguments["profile"])
    return (Path("runs") / "-".join([*parts, f"seed{arguments['seed']}"])).absolute()


def configured(nodes: Sequence[NodeSpec], path: str, chosen: Collection[str]) -> list[NodeSpec]:
    """The nodes with the values of a ROS parameter file; arguments the user has `chosen` stay.

    Refuses a file that speaks of nodes there are not. Which parameters a node has, the node itself
    checks. Raises BringupError.
    """
    if not path:
        return list(nodes)
    sections = _sections(path, [node.executable for node in nodes])
    return [
        replace(
            node,
            parameters={
                **node.parameters,
                **{
                    key: value
                    for name, section in sections
                    if name == node.executable
                    or (name in ("*", "**") and node.package == "bea_ros")
                    for key, value in section.items()
                    if key not in chosen or key not in node.parameters
                },
            },
        )
        for node in nodes
    ]


def _sections(path: str, known: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Node and parameters of each section of a parameter file, `a: {b: 1}` as `a.b`."""
    try:
        content = read_yaml(path)
    except OSError as error:
        raise BringupError(f"config {path} cannot be read: {error.strerror}") from error
    except YamlFileError as error:
        raise BringupError(f"config {error}") from error
    if not isinstance(content, dict):
        raise BringupError(f"config {path}: names no node; known: {', '.join(known)}")
    sections = []
    for name, section in content.items():
        node = str(name).rsplit("/", 1)[-1]
        if node not in [*known, "**", "*"]:
            raise BringupError(f"config {path}: unknown node '{name}'; known: {', '.join(known)}")
        values = section.get("ros__parameters") if isinstance(section, dict) else None
        if not isinstance(values, dict) or len(section) != 1:
            raise BringupError(f"config {path}: {name} must hold ros__parameters and nothing else")
        parameters = _flat(values)
        for key, value in parameters.items():
            _check_value(f"config {path}: {name}", key, value)
        sections.append((node, parameters))
    return sections


def _check_value(where: str, key: str, value: Any) -> None:
    """Refuse what ROS cannot pass on: odd names, dates, nothing, mixed or nested lists."""
    if not re.fullmatch(r"[A-Za-z0-9_./]+", key):
        raise BringupError(f"{where}: {key!r} is no name of a parameter")
    parts = value if isinstance(value, list) else [value]
    kinds = {type(part) for part in parts}
    if not parts or len(kinds) > 1 or not kinds <= {bool, int, float, str}:
        raise BringupError(
            f"{where}: {key} is {value!r}: allowed are true or false, a number, a word, or a list "
            "of one of them"
        )
    if kinds == {int} and not all(-(2**63) <= part < 2**63 for part in parts):
        raise BringupError(f"{where}: {key} is a number of more than 64 bits")


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def check_robot(arguments: Mapping[str, Any]) -> None:
    """Refuse once what each node would refuse.

    Raises RobotError, ServosError, ArenaError or CameraInfoError.
    """
    from bea_ros.hardware.servos import load_servos, servos_path
    from bea_ros.localization.arena import Arena
    from bea_ros.localization.camera_info import read_camera_info
    from bea_ros.robots import load_robot

    if arguments["robot"]:  # else it is that of the runs
        robot = load_robot(arguments["robot"], arguments["generation"], arguments["masses"])
        if arguments["robot_backend"] == "hardware" and "servos" in arguments:  # rviz has none
            load_servos(arguments["servos"] or servos_path(arguments["robot"]), robot)
    if arguments["arena"]:
        Arena.load(arguments["arena"])
    if arguments.get("camera_info"):  # rviz has none
        read_camera_info(arguments["camera_info"])


def how_it_ended(code: int) -> str:
    """A process's end in words, from its exit code, or minus the signal that killed it."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def how_to_get(node: NodeSpec) -> str:
    """How another package's node is installed."""
    distribution = os.environ.get("ROS_DISTRO", "<distribution>")
    return f"sudo apt install ros-{distribution}-{node.package.replace('_', '-')}"
