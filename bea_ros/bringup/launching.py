# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph as launch actions; only the launch files import it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ament_index_python.packages import PackageNotFoundError
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
)
from launch.substitutions import LaunchConfiguration, SubstitutionFailure
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from bea_ros.bringup.arguments import (
    LEARN_ARGUMENTS,
    NAMESPACE,
    PAGE,
    RECORD_ARGUMENTS,
    ROBOT_ARGUMENTS,
    RVIZ,
    SIM_TIME,
    Argument,
)
from bea_ros.bringup.graphs import RVIZ_PACE, check_files, learn_graph
from bea_ros.bringup.launch_end import Course, heed_termination
from bea_ros.bringup.node_spec import ENVIRONMENT, BringupError, NodeSpec, not_installed
from bea_ros.bringup.parameter_file import configured
from bea_ros.system.enclaves import enclave_arguments

LAUNCHS_OWN = {"launch-prefix", "launch-prefix-filter"}  # options of ros2 launch
Graph = Callable[[dict[str, Any]], list[NodeSpec]]


def describe_learning(task: str) -> LaunchDescription:
    """Return the launch description of learning, with this default for the argument `task`."""
    arguments = [replace(a, default=task) if a.name == "task" else a for a in LEARN_ARGUMENTS]
    return describe([*arguments, *ROBOT_ARGUMENTS, *RECORD_ARGUMENTS, RVIZ, PAGE], learn_graph)


def describe(arguments: Sequence[Argument], graph: Graph) -> LaunchDescription:
    """Return a launch description with these arguments that starts their graph."""
    arguments = [*arguments, NAMESPACE, SIM_TIME]
    declared = [
        DeclareLaunchArgument(
            a.name,
            default_value=_word(a.default),
            description=a.description,
            choices=list(a.choices) or (["true", "false"] if type(a.default) is bool else None),
        )
        for a in arguments
    ]
    environment = [
        SetEnvironmentVariable(name, os.environ.get(name, value))
        for name, value in ENVIRONMENT.items()
    ]
    start = StartGraph(arguments, graph)
    first = [OpaqueFunction(function=do) for do in (heed_termination, start.note_given)]
    return LaunchDescription([*first, *declared, *environment, start])


class StartGraph(Action):
    """Starts the graph of the launch arguments."""

    def __init__(self, arguments: Sequence[Argument], graph: Graph) -> None:
        super().__init__()
        self.arguments, self.graph = arguments, graph
        self.given: set[str] = set()

    def note_given(self, context: LaunchContext) -> None:
        """Remember the user's arguments, before the declared ones get their defaults."""
        self.given = set(context.launch_configurations)

    def __repr__(self) -> str:
        """Return the text that `ros2 launch --print` shows."""
        nodes = self.graph({a.name: a.default for a in self.arguments})
        return f"StartGraph({', '.join(node.executable for node in nodes)})"

    def execute(self, context: LaunchContext) -> list[Action]:
        """Return nodes and handlers of their ends; raises ValueError for a user's mistake."""
        words = {a.name: LaunchConfiguration(a.name).perform(context) for a in self.arguments}
        values = {a.name: _value(a, words[a.name]) for a in self.arguments}
        check_files(values)
        chosen = [a.name for a in self.arguments if a.name in self.given]
        nodes = self.graph({**values, "given": chosen})
        nodes = configured(nodes, values.get("config", ""), chosen, values["namespace"])
        for node in nodes:
            _check_installed(node, context)
        actions: list[Action] = []
        if values["namespace"] and "GZ_PARTITION" not in os.environ:  # separates Gazebos
            partition = values["namespace"].strip("/")
            actions.append(SetEnvironmentVariable("GZ_PARTITION", partition))
        if any(_paced_by_rviz(node) for node in nodes) and "real_time_factor" not in self.given:
            said = f"real_time_factor:={RVIZ_PACE:g}, for rviz to follow (0: no limit)"
            actions.append(LogInfo(msg=said))
        if unknown := sorted(self.given - words.keys() - LAUNCHS_OWN):
            said = f"ignored, no argument of this launch file: {', '.join(unknown)}"
            actions.append(LogInfo(msg=f"{said} (--show-args lists them)"))
        started = [(spec, _node(spec, values)) for spec in nodes]
        course = Course(started)
        for spec, node in started:
            actions += [node, course.end_with(spec, node)]
        return actions


def _check_installed(node: NodeSpec, context: LaunchContext) -> None:
    """Raise BringupError before any node starts; launch itself would leave nodes running."""
    try:
        ExecutableInPackage(node.executable, node.package).perform(context)
    except (PackageNotFoundError, SubstitutionFailure):
        if node.package != "bea_ros":
            raise not_installed(node) from None
        said = f"bea_ros has no executable {node.executable}: build it again"
        raise BringupError(said) from None


def _paced_by_rviz(node: NodeSpec) -> bool:
    return (node.executable, node.parameters.get("real_time_factor")) == ("simulator", RVIZ_PACE)


def _node(spec: NodeSpec, values: dict[str, Any]) -> Node:
    parameters = dict(spec.parameters)
    if values["use_sim_time"] != "auto" and spec.executable != "simulator":
        parameters["use_sim_time"] = values["use_sim_time"] == "true"
    # Otherwise launch parses words as YAML: a robot named "1" as a number, a URDF as an error.
    typed = {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in parameters.items()
    }
    return Node(
        package=spec.package,
        executable=spec.executable,
        namespace=values["namespace"],
        parameters=[typed],
        remappings=list(spec.remappings),
        arguments=list(spec.arguments),
        ros_arguments=enclave_arguments(spec.executable, spec.package),
        output="screen",
        sigterm_timeout="2.0",
        sigkill_timeout="0.8",
    )


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(argument: Argument, word: str) -> Any:
    if isinstance(argument.default, bool):
        return word.lower() == "true"
    if isinstance(argument.default, str):
        return os.path.expanduser(word)  # shells do not expand it after :=
    try:
        return type(argument.default)(word)
    except ValueError:
        kind = "a whole number" if isinstance(argument.default, int) else "a number"
        raise BringupError(f"{argument.name}:={word} is not {kind}") from None
