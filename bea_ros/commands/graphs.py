# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the commands that start a graph share."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bea_ros.bringup import Argument, NodeSpec, check_files, configured
from bea_ros.bringup.supervisor import run_graph
from bea_ros.runs.learned import Learned


def add_arguments(parser: argparse.ArgumentParser, table: Sequence[Argument]) -> None:
    """Offer the arguments of a graph as options."""
    for argument in table:
        if isinstance(argument.default, bool):
            parser.add_argument(
                f"--{argument.name.replace('_', '-')}",
                dest=argument.name,
                action=argparse.BooleanOptionalAction,
                default=None,
                help=argument.description,
            )
            continue
        default = "" if argument.default == "" else f" (default {argument.default})"
        parser.add_argument(
            f"--{argument.name.replace('_', '-')}",
            dest=argument.name,
            type=type(argument.default),
            choices=argument.choices or None,
            help=argument.description + default,
        )


def values_of(parsed: argparse.Namespace, table: Sequence[Argument]) -> dict[str, Any]:
    """Every argument by name; `parsed.given` are those on the command line."""
    values = {a.name: getattr(parsed, a.name) for a in table}
    parsed.given = {name for name, value in values.items() if value is not None}
    return {a.name: a.default if values[a.name] is None else values[a.name] for a in table}


def remind_of_config(learned: Learned, given: set[str]) -> None:
    """Say where a run had a parameter file, of which another graph may know only a part."""
    config = learned.surroundings.get("config")
    if config and "config" not in given:
        print(f"{learned.folder.name} was learned with --config {config}, which is not used here")


def start(
    nodes: list[NodeSpec],
    arguments: Mapping[str, Any],
    chosen: Collection[str],
    learner: Mapping[str, Any] | None = None,
) -> int:
    """Run a graph to its end; returns the exit code.

    No parameter file changes what was `chosen`, nor these parameters of the `learner`.
    """
    check_files(arguments)
    nodes = configured(nodes, arguments["config"], chosen)
    if learner:
        *others, last = nodes
        nodes = [*others, replace(last, parameters={**last.parameters, **learner})]
    return run_graph(nodes, own_domain=arguments["robot_backend"] != "hardware")
