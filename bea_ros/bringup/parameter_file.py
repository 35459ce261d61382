# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the user's ROS parameter file, and passes its values to the nodes of a graph."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bea_ros.bringup.camera_drivers import EXECUTABLES
from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.nodes.executables import NODES
from bea_ros.robots.cpg import USUAL_GAIN
from bea_ros.system.yaml_files import read_yaml

_OF_ROS = ("parameter_bridge", "robot_state_publisher", "rviz2")


def configured(
    nodes: Sequence[NodeSpec], path: str, chosen: Collection[str], namespace: str = ""
) -> list[NodeSpec]:
    """Return the nodes with a ROS parameter file's values; arguments the user has `chosen` stay.

    The file may name known nodes that are not in this graph, so one file serves learning and
    validating, and with a `namespace` nodes of other namespaces, so one file serves two robots.
    Raises BringupError for unknown nodes or a file that cannot be used. Each node itself checks
    the names of its parameters.
    """
    if not path:
        return list(nodes)
    known = dict.fromkeys([*(node.executable for node in nodes), *NODES, *EXECUTABLES, *_OF_ROS])
    sections = _sections(path, known, namespace.strip("/"))
    changed = []
    for node in nodes:
        parameters, own = dict(node.parameters), node.parameters.keys() & set(chosen)
        for name, section in sections:
            if name == node.executable or (name in ("*", "**") and node.package == "bea_ros"):
                parameters |= {key: value for key, value in section.items() if key not in own}
        changed.append(replace(node, parameters=parameters))
    chosen_by_file = {node.executable: node.parameters for node in changed}
    _share_gain(path, chosen_by_file)
    _check_pair(path, chosen_by_file)
    return changed


def _share_gain(path: str, parameters: Mapping[str, dict[str, Any]]) -> None:
    """Give the controller's gain to those that have to know it; raises BringupError."""
    gain = parameters.get("cpg_controller", {}).get("gain", USUAL_GAIN)
    for name in {"learner", "validator"} & parameters.keys():
        if (own := parameters[name].setdefault("gain", gain)) != gain:
            raise BringupError(
                f"config {path}: gain {own} of the {name} is not that of the cpg_controller, "
                f"{gain}: give it to the cpg_controller alone"
            )


def _check_pair(path: str, parameters: Mapping[str, dict[str, Any]]) -> None:
    """Raise BringupError unless a simulated robot has its controller's motor, and their rates."""
    from bea_ros.nodes.shared.robot_parameters import CONTROL_RATE  # loads rclpy

    controller = parameters.get("cpg_controller", {})
    usual = {"control_rate": CONTROL_RATE.default, "motor": "servo"}
    for who, names in (("simulator", ("control_rate", "motor")), ("gazebo", ("motor",))):
        for name in names if controller and who in parameters else ():
            own, other = (one.get(name, usual[name]) for one in (parameters[who], controller))
            if own != other:
                raise BringupError(
                    f"config {path}: {name} is {own} of the {who} and {other} of the "
                    "cpg_controller: make them equal"
                )
    if "simulator" in parameters and controller.get("shaped"):
        raise BringupError(f"config {path}: shaped commands are for joints that have servos")


def _sections(
    path: str, known: Collection[str], namespace: str
) -> list[tuple[str, dict[str, Any]]]:
    """Return node and parameters of each section for a namespace, `a: {b: 1}` as `a.b`."""
    content = read_yaml("config", path, BringupError)
    if not isinstance(content, dict):
        raise BringupError(f"config {path}: names no node; known: {', '.join(known)}")
    sections = []
    for name, section in content.items():
        of_robot, slash, node = str(name).rpartition("/")
        if node not in [*known, "**", "*"]:
            raise BringupError(f"config {path}: unknown node {name!r}; known: {', '.join(known)}")
        values = section.get("ros__parameters") if isinstance(section, dict) else None
        if not isinstance(values, dict) or len(section) != 1:
            raise BringupError(
                f"config {path}: {name!r} must hold ros__parameters and nothing else"
            )
        where = f"config {path}: {name!r}"
        parameters = _flat(values, where)
        for key, value in parameters.items():
            _check_value(where, key, value)
        below = "/**" if node == "**" else ""  # of all namespaces below, too
        if not slash or _covers(of_robot + below, namespace):
            sections.append((node, parameters))
        elif not namespace:
            raise BringupError(f"{where} is of a namespace, and this robot has none")
    return sections


def _covers(pattern: str, namespace: str) -> bool:
    """Whether ROS's pattern of a namespace, where * is any name and ** any names, fits one."""
    parts = (part for part in pattern.split("/") if part)
    words = {"*": r"/[^/]+", "**": r"(/[^/]+)*"}
    wanted = "".join(words.get(part, f"/{re.escape(part)}") for part in parts)
    return re.fullmatch(wanted, f"/{namespace}" if namespace else "") is not None


def _check_value(where: str, key: str, value: Any) -> None:
    """Raise BringupError for odd names, dates, null, and mixed or nested lists."""
    if not re.fullmatch(r"[A-Za-z0-9_./]+", key):
        raise BringupError(f"{where}: {key!r} is not the name of a parameter")
    parts = value if isinstance(value, list) else [value]
    kinds = {type(part) for part in parts}
    if not parts or len(kinds) > 1 or not kinds <= {bool, int, float, str}:
        raise BringupError(
            f"{where}: {key} is {value!r}: allowed are true or false, a number, a word, or a list "
            "of one of them"
        )
    if kinds == {int} and not all(-(2**63) <= part < 2**63 for part in parts):
        raise BringupError(f"{where}: {key} is a number of more than 64 bits")


def _flat(values: Mapping[str, Any], where: str, prefix: str = "") -> dict[str, Any]:
    """`a: {b: 1}` as `a.b: 1`; raises BringupError if a name is there in both ways."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        inner = _flat(value, where, f"{key}.") if isinstance(value, Mapping) else {key: value}
        if twice := flat.keys() & inner.keys():
            raise BringupError(f"{where}: {min(twice)} is there a second time")
        flat.update(inner)
    return flat
