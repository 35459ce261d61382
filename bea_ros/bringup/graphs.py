# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graphs: which nodes run together, with which parameters."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import (
    LEARN_ARGUMENTS,
    PROCESS_ARGUMENTS,
    RECORD_ARGUMENTS,
    ROBOT_ARGUMENTS,
    SURROUNDINGS,
)
from bea_ros.bringup.devices import camera_driver, joint_driver, refuse_devices
from bea_ros.bringup.node_spec import BringupError, NodeSpec, apart, common
from bea_ros.bringup.rviz import RVIZ_PACE, rviz_graph
from bea_ros.nodes.executables import REAL
from bea_ros.robots.damage import DamageError, by_joint, damages_of
from bea_ros.robots.motors import motor_of
from bea_ros.runs.folder.inputs import FILES
from bea_ros.system.resources import resource_path

NO_AIOHTTP = (
    "no page; the run continues without it: it needs aiohttp (pip install aiohttp, or: "
    "sudo apt install python3-aiohttp)"
)
SIMULATED_DAMAGE = "damage is for robot_backend simulator: others have their own"
START_SPREAD = {"start.position": 0.05, "start.yaw": 0.1}  # m, rad


def robot_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the nodes that a learner or validator needs: controller, localization, robot."""
    refuse_devices(arguments)
    robot = common(arguments)
    simulated = arguments["robot_backend"] == "simulator"
    damages = _damages(arguments)
    arena = {"arena": arguments["arena"]}
    published = arguments.get("profile", "default") != "default"
    motor = {"motor": motor_in(arguments)}
    camera = {
        "reliable_images": simulated,
        "image_transport": arguments["image_transport"],
        "camera_info_file": arguments["camera_info"].removeprefix("file://"),
    }
    nodes = [
        NodeSpec(
            "cpg_controller",
            {
                **robot,
                **motor,
                "shaped": not simulated,
                "profile": "paper" if published else "default",
            },
        ),
        NodeSpec("camera_localization", {**robot, **arena, **camera}),
        *camera_driver(arguments),
    ]
    world = {**arena, "real_time_factor": arguments["real_time_factor"], "use_sim_time": False}
    if simulated:
        world |= {"real_time_factor": _pace(arguments), "seed": arguments.get("seed", 1)}
        world |= START_SPREAD if arguments.get("spread") else {}
        nodes.append(NodeSpec("simulator", {**robot, **motor, **world, **damages}))
    elif arguments["robot_backend"] == "gazebo":
        view = {name: arguments[name] for name in ("headless", "render_engine")}
        bridge = {
            "config_file": str(resource_path("config/gazebo/bridge.yaml")),
            "use_sim_time": False,
        }
        nodes += [
            NodeSpec("gazebo", {**robot, **motor, **world, **view}),
            NodeSpec("parameter_bridge", bridge, package="ros_gz_bridge"),
        ]
    else:
        nodes.append(joint_driver(arguments, robot))
    return apart(nodes, arguments)


def _damages(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the simulator's parameters for broken joints; raises BringupError."""
    asked = arguments.get("damage", "")
    if asked and arguments["robot_backend"] != "simulator":
        raise BringupError(SIMULATED_DAMAGE)
    try:
        return {f"damage.{joint}": word for joint, word in by_joint(asked).items()}
    except DamageError as error:
        raise BringupError(str(error)) from None


def _pace(arguments: Mapping[str, Any]) -> float:
    """Return the largest real-time factor, 0 for no limit; with rviz, one that it can follow."""
    factor = float(arguments["real_time_factor"])
    asked = factor or "real_time_factor" in arguments.get("given", ())
    return RVIZ_PACE if arguments.get("rviz") and not asked else factor


def motor_in(arguments: Mapping[str, Any]) -> str:
    """Return the motor model; a real robot has servos unless another model is given."""
    chosen = str(arguments.get("motor", "auto"))
    if chosen != "auto":
        return chosen
    real = arguments["robot_backend"] in REAL
    return motor_of("default" if real else arguments.get("profile", "default"))


def gazebo_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the graph of a robot in Gazebo that follows `cpg_parameters` from any node."""
    defaults = {a.name: a.default for a in ROBOT_ARGUMENTS}
    arguments = {**defaults, **arguments, "robot_backend": "gazebo"}
    watchers = rviz_graph(arguments, essential=False) if arguments.get("rviz") else []
    return apart([*watchers, *robot_graph(arguments)], arguments)


def learn_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the graph of a learning run; the learner is last, and its end ends the run."""
    learner = {**common(arguments), **{a.name: arguments[a.name] for a in LEARN_ARGUMENTS}}
    learner |= {name: arguments[name] for name in ("arena", "robot_backend")}
    learner["motor"] = motor_in(arguments)
    if arguments.get("damage"):
        learner["damage"] = arguments["damage"]
    for name in ("warm_start", "adapt", "prior"):
        if arguments[name] and (name, arguments[name]) != ("prior", "default"):
            learner[name] = str(Path(arguments[name]).expanduser().absolute())
    learner["options"] = arguments.get("options") or [""]
    learner["surroundings"] = _surroundings(arguments) or [""]
    learner["output"] = str(output_folder(arguments))
    said = set(arguments.get("changed", arguments.get("given", ())))
    learner["changed"] = sorted(said & set(FILES)) or [""]
    if "weight_range" in arguments:
        learner["weight_range"] = arguments["weight_range"]
    watchers = rviz_graph(arguments, essential=False) if arguments.get("rviz") else []
    recorder = _recorder(arguments, learner["output"])
    learner["recorded"] = bool(recorder)
    page = _page(arguments, learner["output"])
    nodes = [*watchers, *recorder, *page, *robot_graph(arguments), NodeSpec("learner", learner)]
    return apart(nodes, arguments)


def _surroundings(arguments: Mapping[str, Any]) -> list[str]:
    """Return the SURROUNDINGS that differ from the defaults, as name=value, with absolute paths.

    With a parameter file, `given` lists the arguments that the file did not change.
    """
    from bea_ros.localization.camera_info import local_path

    tables = (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS, *RECORD_ARGUMENTS, *PROCESS_ARGUMENTS)
    usual = {a.name: a.default for a in tables}
    found = {name: arguments.get(name, usual[name]) for name in SURROUNDINGS}
    found = {name: value for name, value in found.items() if value != usual[name]}
    for name in set(found) & set(FILES):
        found[name] = str(local_path(found[name]).absolute())
    if "config" in found and "given" in arguments:
        found["given"] = sorted(arguments["given"])
    return [f"{name}={json.dumps(value)}" for name, value in found.items()]


def _recorder(arguments: Mapping[str, Any], output: str) -> list[NodeSpec]:
    if not (arguments.get("record") or arguments.get("record_images")):
        return []
    if _nothing_left(Path(output), arguments["evaluations"]):
        return []
    parameters = {
        "use_sim_time": arguments["robot_backend"] not in REAL,
        "output": output,
        "images": arguments.get("record_images", False),
        "reliable_images": arguments["robot_backend"] == "simulator",
        "image_transport": arguments["image_transport"],
    }
    return [NodeSpec("recorder", parameters)]


def _nothing_left(output: Path, evaluations: int) -> bool:
    """Whether a run already has all these evaluations; raises RunFolderError."""
    from bea_ros.runs.folder.head import read_request
    from bea_ros.runs.folder.measurements import is_finished
    from bea_ros.runs.folder.run_folder import read_evaluations

    request = read_request(output)
    if request is None or evaluations > request.get("evaluations", 0):
        return False
    return is_finished(request, read_evaluations(output))


def _page(arguments: Mapping[str, Any], output: str) -> list[NodeSpec]:
    """Return the node that shows the run in a browser; its end does not end the run."""
    reach = arguments.get("page", "off")
    if reach == "off" or arguments.get("in_process"):
        return []
    if find_spec("aiohttp") is None:
        print(f"bea: {NO_AIOHTTP}", file=sys.stderr)
        return []
    shown = ("robot", "generation", "masses", "arena", "robot_backend")
    parameters = {name: arguments[name] for name in shown}
    parameters |= {"output": output, "reach": reach, "use_sim_time": False}
    return [NodeSpec("page", parameters, essential=False)]


def replay_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the graph that repeats a run's best candidate."""
    return validate_graph(
        {**arguments, "runs": [arguments["run"]], "repetitions": 1, "output": "", "spread": False}
    )


def validate_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Return the graph that repeats the best candidates of `runs`, folders of one robot.

    Without a `robot`, robot and arena are those of the runs. In the simulator, start poses vary a
    little, like those of a robot that is put back by hand. Raises BringupError, RunFolderError.
    """
    runs = arguments["runs"]
    arguments = {"spread": True, **arguments}
    if not arguments["robot"]:
        platform = _platform(runs)
        if arguments["robot_backend"] != "simulator" or arguments.get("damage"):
            del platform["damage"]
        motor = platform["motor"] if arguments["motor"] == "auto" else arguments["motor"]
        arena = arguments["arena"] or platform["arena"]
        arguments = {**arguments, **platform, "arena": arena, "motor": motor}
    node = {**common(arguments), "runs": runs}
    own = ("robot_backend", "arena", "repetitions", "duration", "output")
    node |= {name: arguments[name] for name in own}
    node |= {"append": arguments.get("append", False), "motor": motor_in(arguments)}
    return apart([*robot_graph(arguments), NodeSpec("validator", node)], arguments)


def _platform(runs: Sequence[str]) -> dict[str, Any]:
    """Return the common robot of these runs; raises RunFolderError or BringupError."""
    from bea_ros.runs.learned import by_platform, read_learned

    if runs == [""]:  # the validator refuses it
        return {"robot": ROBOT_ARGUMENTS[0].default, "arena": "", "motor": "auto", "damage": ""}
    groups = by_platform(read_learned(Path(run)) for run in runs)
    if len(groups) > 1:
        first, second = (group[0].folder for group in groups[:2])
        raise BringupError(f"{first} and {second} are not of one robot, controller and arena")
    return {**groups[0][0].platform, "damage": groups[0][0].damage}


def output_folder(arguments: Mapping[str, Any]) -> Path:
    """Return a run's folder: the one given, or one named after robot, task and settings."""
    from bea_ros.robots import robot_name

    if arguments["output"]:
        return Path(arguments["output"]).expanduser().absolute()
    task = re.sub("[:=]", "-", arguments["task"])
    how = "prior" if arguments.get("prior") else arguments["algorithm"]
    parts = [robot_name(arguments["robot"]), task, how]
    if arguments["profile"] != "default":
        parts.append(arguments["profile"])
    return (Path("runs") / "-".join([*parts, f"seed{arguments['seed']}"])).absolute()


def check_files(arguments: Mapping[str, Any]) -> None:
    """Check robot, damage, servos, arena, calibration and task once, before any node does.

    Raises RobotError, DamageError, ServosError, ArenaError, CameraInfoError or TaskError.
    """
    from bea_ros.hardware.servos import load_servos, servos_path
    from bea_ros.localization.arena import load_arena
    from bea_ros.localization.camera_info import read_camera_info
    from bea_ros.robots import load_robot
    from bea_ros.tasks import find_task

    if arguments["robot"]:  # else the runs name it
        robot = load_robot(arguments["robot"], arguments["generation"], arguments["masses"])
        load_arena(robot, arguments["arena"])
        damages_of(by_joint(arguments.get("damage", "")), robot)
        servos, config = arguments.get("servos"), arguments.get("config")
        hardware = arguments.get("robot_backend") == "hardware" and servos is not None
        if hardware and (servos or not config):  # a parameter file may name others
            load_servos(servos or servos_path(arguments["robot"]), robot)
    if arguments.get("camera_info"):  # rviz has no such argument
        read_camera_info(arguments["camera_info"])
    if "task" in arguments:
        find_task(arguments["task"])
