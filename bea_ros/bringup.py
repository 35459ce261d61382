# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph as plain data: which nodes run, with which parameters. Both `bea learn` and the launch
files start what this says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

BACKENDS = ("simulator", "gazebo", "hardware")


@dataclass(frozen=True)
class Argument:
    """A thing the user may choose; its type is that of its default."""

    name: str
    default: bool | int | float | str
    description: str
    choices: tuple[str, ...] = ()


ROBOT_ARGUMENTS = (
    Argument("robot", "spider9", "robot by name, or path of a NAME.urdf.xacro"),
    Argument("generation", "small", "generation of its modules", ("small", "large")),
    Argument("masses", "nominal", "nominal or measured masses", ("nominal", "measured")),
    Argument("robot_backend", "simulator", "what moves the joints", BACKENDS),
    Argument("arena", "", "YAML file of the arena; empty: config/arena.yaml"),
    Argument("config", "", "ROS parameter file for the nodes; empty: none"),
    Argument("real_time_factor", 0.0, "simulated s per s at most; 0: as fast as possible"),
)

LEARN_ARGUMENTS = (
    Argument("task", "gait", "what to learn", ("gait", "directed_locomotion", "rotating")),
    Argument("evaluations", 150, "budget: how many candidates are tried"),
    Argument("seed", 1, "seed of every random draw"),
    Argument("output", "", "folder of the run, resumed if it exists; empty: named after the run"),
    Argument("algorithm", "bea", "optimizer", ("bea", "bo", "ea")),
    Argument("profile", "default", "settings", ("default", "paper", "released")),
    Argument("duration", 0.0, "s of an evaluation; 0: the task's own"),
)


class BringupError(ValueError):
    """Arguments that make no graph; the message is one line."""


@dataclass(frozen=True)
class NodeSpec:
    """A node to start: executable of bea_ros (and module in bea_ros.nodes), and its parameters."""

    executable: str
    parameters: dict[str, Any] = field(default_factory=dict)


def robot_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """Everything but who asks for evaluations: controller, localization and the robot itself."""
    robot = {name: arguments[name] for name in ("robot", "generation", "masses")}
    robot["use_sim_time"] = arguments["robot_backend"] != "hardware"
    simulated = arguments["robot_backend"] == "simulator"
    arena = {"arena": arguments["arena"]}
    published = arguments.get("profile", "default") != "default"
    nodes = [
        NodeSpec("cpg_controller", {**robot, "profile": "paper" if published else "default"}),
        NodeSpec("camera_localization", {**robot, **arena, "reliable_images": simulated}),
    ]
    if simulated:
        world = {"real_time_factor": arguments["real_time_factor"]}
        seed = {"seed": arguments.get("seed", 1)}
        nodes.append(
            NodeSpec("simulator", {**robot, **arena, **world, **seed, "use_sim_time": False})
        )
    return nodes


def learn_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The graph of a learning run; the learner comes last, and its end ends the run."""
    names = ("robot", "generation", "masses", *(a.name for a in LEARN_ARGUMENTS))
    learner = {name: arguments[name] for name in names}
    learner["options"] = arguments.get("options") or [""]
    learner["output"] = str(output_folder(arguments))
    if "weight_range" in arguments:
        learner["weight_range"] = arguments["weight_range"]
    learner["use_sim_time"] = arguments["robot_backend"] != "hardware"
    return [*robot_graph(arguments), NodeSpec("learner", learner)]


def output_folder(arguments: Mapping[str, Any]) -> Path:
    """Where a run goes: what the user says, or a name that tells runs apart."""
    if arguments["output"]:
        return Path(arguments["output"]).expanduser().absolute()
    robot = Path(arguments["robot"]).name.removesuffix(".urdf.xacro")
    parts = [robot, arguments["task"], arguments["algorithm"]]
    if arguments["profile"] != "default":
        parts.append(arguments["profile"])
    return (Path("runs") / "-".join([*parts, f"seed{arguments['seed']}"])).absolute()


def check_config(path: str, nodes: Sequence[NodeSpec]) -> None:
    """Refuse a parameter file that no node would read, or that speaks of nodes there are not.

    Which parameters a node has, the node itself checks. Raises BringupError.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BringupError(f"config {path} cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise BringupError(f"config {path}: not YAML: {' '.join(str(error).split())}") from error
    known = [node.executable for node in nodes]
    if not isinstance(content, dict):
        raise BringupError(f"config {path}: names no node; known: {', '.join(known)}")
    for name, section in content.items():
        if str(name).rsplit("/", 1)[-1] not in [*known, "**", "*"]:
            raise BringupError(f"config {path}: unknown node '{name}'; known: {', '.join(known)}")
        if not isinstance(section, dict) or set(section) != {"ros__parameters"}:
            raise BringupError(f"config {path}: {name} must hold ros__parameters and nothing else")


def replay_graph(arguments: Mapping[str, Any]) -> list[NodeSpec]:
    """The graph that runs the best candidate of a run again."""
    names = ("robot", "generation", "masses", "task", "duration", "run")
    replayer = {name: arguments[name] for name in names}
    replayer["use_sim_time"] = arguments["robot_backend"] != "hardware"
    return [*robot_graph(arguments), NodeSpec("replayer", replayer)]
