# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph of bea_ros.bringup as launch actions; imported by the launch files alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from bea_ros.bringup import Argument, NodeSpec, check_config
from bea_ros.resources import resource_path

RVIZ = Argument("rviz", False, "show the run in rviz")
SIM_TIME = Argument("use_sim_time", "auto", "take the time from /clock", ("auto", "true", "false"))
NAMESPACE = Argument("namespace", "", "namespace of the robot; each robot has its own")


def describe(
    arguments: Sequence[Argument], graph: Callable[[dict[str, Any]], list[NodeSpec]]
) -> LaunchDescription:
    """A launch description with these arguments that starts the graph they make."""
    arguments = [*arguments, NAMESPACE, RVIZ, SIM_TIME]
    declared = [
        DeclareLaunchArgument(
            a.name,
            default_value=_word(a.default),
            description=a.description,
            choices=list(a.choices) or (["true", "false"] if a.default is False else None),
        )
        for a in arguments
    ]

    def start(context: LaunchContext) -> list[Any]:
        words = {a.name: LaunchConfiguration(a.name).perform(context) for a in arguments}
        values = {a.name: _value(a, words[a.name]) for a in arguments}
        nodes = graph(values)
        if values["config"]:
            check_config(values["config"], nodes)
        return _actions(nodes, values)

    # One thread each for BLAS: the nodes share the machine, and sums become reproducible.
    threads = [SetEnvironmentVariable("OPENBLAS_NUM_THREADS", "1")]
    return LaunchDescription([*declared, *threads, OpaqueFunction(function=start)])


def _actions(nodes: Sequence[NodeSpec], values: dict[str, Any]) -> list[Any]:
    actions: list[Any] = []
    for spec in nodes:
        parameters = dict(spec.parameters)
        if values["use_sim_time"] != "auto" and spec.executable != "simulator":
            parameters["use_sim_time"] = values["use_sim_time"] == "true"
        node = Node(
            package="bea_ros",
            executable=spec.executable,
            namespace=values["namespace"],
            parameters=[*([values["config"]] if values["config"] else []), parameters],
            output="screen",
            emulate_tty=True,
        )
        actions += [node, _end_with(node, spec.executable, last=spec is nodes[-1])]
    if values["rviz"]:
        config = str(resource_path("config/learn.rviz"))
        actions.append(
            Node(
                package="rviz2",
                executable="rviz2",
                namespace=values["namespace"],
                arguments=["-d", config],
                parameters=[{"use_sim_time": nodes[0].parameters["use_sim_time"]}],
            )
        )
    return actions


def _end_with(node: Node, name: str, last: bool) -> RegisterEventHandler:
    """The graph ends with any of its nodes: by success with the last, else by naming the node."""

    def on_exit(event: Any, context: LaunchContext) -> list[Any]:
        if context.is_shutdown:
            return []
        if last and event.returncode == 0:
            return [Shutdown(reason=f"{name} finished")]
        reason = f"{name} ended with exit code {event.returncode}"
        return [LogInfo(msg=f"{reason}; everything is stopped"), Shutdown(reason=reason)]

    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=on_exit))


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(argument: Argument, word: str) -> Any:
    if isinstance(argument.default, bool):
        return word.lower() == "true"
    try:
        return type(argument.default)(word)
    except ValueError:
        kind = "a whole number" if isinstance(argument.default, int) else "a number"
        raise ValueError(f"{argument.name}:={word} is not {kind}") from None
