# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands that start a graph: options, arguments, the start itself."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bea_ros.bringup.arguments import ROBOT_ARGUMENTS, Argument
from bea_ros.bringup.graphs import SIMULATED_DAMAGE, check_files
from bea_ros.bringup.node_spec import NodeSpec
from bea_ros.bringup.parameter_file import configured
from bea_ros.bringup.supervisor import run_graph
from bea_ros.commands import ROS
from bea_ros.commands.parser import spoken
from bea_ros.nodes.executables import REAL
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.inputs import FILES, changed_since
from bea_ros.runs.learned import Learned
from bea_ros.system.resources import resource_path

# Entries of run.yaml that are no arguments, and their types.
_BESIDE: dict[str, type] = {
    "options": dict,
    "weight_range": float,
    "start": list,
    "before": float,
    "given": list,
    "repertoire": str,
    "budgets": list,
    "ranges": dict,
}
_REAL = ("camera", "camera_device", "camera_info", "image_transport", "servos", "controller")
# Arguments that default to those of the run.
OF_RUN = ("robot", "generation", "masses", "motor", "damage", "arena", "config", *_REAL)


def add_arguments(
    parser: argparse.ArgumentParser, table: Sequence[Argument], of_run: Collection[str] = ()
) -> None:
    """Add the arguments of a graph as options; those `of_run` default to the run's."""
    for argument in table:
        default = "" if argument.default == "" else f" (default {spoken(argument.default)})"
        if argument.name in of_run:
            default = " (default: the run's)"
        kind: dict[str, Any] = {
            "type": type(argument.default),
            "choices": argument.choices or None,
        }
        if isinstance(argument.default, bool):
            kind = {"action": argparse.BooleanOptionalAction, "default": None}
        flag, text = f"--{argument.name.replace('_', '-')}", argument.description + default
        parser.add_argument(flag, dest=argument.name, help=text, **kind)


def values_of(parsed: argparse.Namespace, table: Sequence[Argument]) -> dict[str, Any]:
    """Return all arguments by name; sets `parsed.given` to those on the command line."""
    values = {a.name: getattr(parsed, a.name) for a in table}
    parsed.given = {name for name, value in values.items() if value is not None}
    return {a.name: a.default if values[a.name] is None else values[a.name] for a in table}


def possible(folder: Path, found: Mapping[str, Any], table: Sequence[Argument]) -> dict[str, Any]:
    """Return the entries of a run.yaml; raises RunFolderError if one is not allowed."""
    usual = {a.name: a for a in table}
    for name, value in found.items():
        argument = usual.get(name)
        kind = type(argument.default) if argument else _BESIDE.get(name)
        fits = type(value) is kind or (kind is float and type(value) is int)
        if name == "given":
            fits = fits and all(isinstance(one, str) for one in value)
        if not fits or (argument and argument.choices and value not in argument.choices):
            raise RunFolderError(f"{folder}: its run.yaml has no possible {name}: {value!r}")
    return {**found}


def remind_of_config(learned: Learned, why: str) -> None:
    """Print that a run had a parameter file, and why its gait is tried without it."""
    if learned.config:
        print(f"{learned.folder.name} was learned with --config {learned.config}, {why}")


def damage_for(learned: Learned, backend: str) -> str:
    """Return the damage of a run for a new trial of its gait; prints why if there is none."""
    if learned.damage and backend != "simulator":
        name = learned.folder.name
        print(f"{name} was learned with --damage {learned.damage}, but {SIMULATED_DAMAGE}")
        return ""
    return learned.damage


def equipment(learned: Learned, backend: str, given: Collection[str]) -> dict[str, Any]:
    """Return further arguments of a run for a new trial of its gait, except those `given`.

    They are the parameter file and, for a real robot, camera and servos. Prints which files have
    changed since the run. Raises RunFolderError.
    """
    real = backend in REAL and backend == learned.request.get("robot_backend")
    names = {"config", *(_REAL if real else ())} - set(given)
    found = {name: value for name, value in learned.surroundings.items() if name in names}
    if "config" in found and not Path(learned.config).exists():
        remind_of_config(learned, "which is not there any more")
        del found["config"]
    files = {"arena": learned.arena or resource_path("config/arena.yaml"), **found}
    named = {name: str(files[name]) for name in FILES if name in files and name not in given}
    for change in changed_since(learned.folder, learned.robot(), named):
        print(f"{learned.folder.name}: not as it was learned: {change}")
    return possible(learned.folder, found, ROBOT_ARGUMENTS)


def start(
    nodes: list[NodeSpec],
    arguments: Mapping[str, Any],
    chosen: Collection[str],
    learner: Mapping[str, Any] | None = None,
) -> int:
    """Run a graph to its end, or with `in_process` its equivalent; returns the exit code.

    A parameter file overrides neither `chosen` arguments nor these parameters of the `learner`.
    """
    for name in ROS:  # before anything is written
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
    check_files(arguments)
    nodes = configured(nodes, arguments["config"], chosen)
    if learner:
        *others, last = nodes
        nodes = [*others, replace(last, parameters={**last.parameters, **learner})]
    if arguments.get("in_process"):
        from bea_ros.nodes.in_process.learning import learn  # slow to load

        given = {node.executable: node.parameters for node in nodes}
        return learn(given, arguments["images"], arguments["physics"], arguments["told"])
    return run_graph(nodes, own_domain=arguments["robot_backend"] not in REAL)
