# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a log can be that of the run in whose folder it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bea_ros.optimizers import create
from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import to_weights
from bea_ros.robots.motion import CommandedMotion
from bea_ros.robots.urdf import hash_of
from bea_ros.runs.folder.budgets import budgets_of
from bea_ros.runs.folder.measurements import Record
from bea_ros.system.versions import commit_of_checkout, versions_of

NEEDED = {"generation", "masses", "algorithm", "profile", "options", "seed", "evaluations"}
NEEDED |= {"robot", "duration", "weight_range"}  # of format 1 not all are there


def wrong_origin(head: Mapping[str, Any], evaluations: Sequence[Record]) -> str:
    """Say why these evaluations are not of the run of this run.yaml; empty if they can be.

    Robot, settings and seed determine the first candidate. It is compared if this computer has
    that robot and the run's version of bea_ros, and if no prior or salvage chose it.
    """
    request = head["request"]
    if not evaluations or not set(request) >= NEEDED:
        return ""
    first = evaluations[0]["parameters"]
    try:
        robot = load_robot(request["robot"], request["generation"], request["masses"])
        if hash_of(robot.urdf) != head.get("files", {}).get("robot", {}).get("sha256"):
            return ""  # the robot was changed since
        if list(first) != list(robot.parameter_names):
            return f"its CPG weights are not those of robot {request['robot']}"
        chosen = "prior" in request or head.get("salvaged", False)
        if chosen or not _same_version(head.get("versions", {})):
            return ""
        expected = to_weights(_first_candidate(request, robot), request["weight_range"])
    except (TypeError, ValueError):  # a robot or settings that are not on this computer
        return ""
    if np.allclose(expected, list(first.values()), rtol=1e-9):  # computers differ in last digits
        return ""
    return f"a run of seed {request['seed']} with the settings of run.yaml begins with another"


def _same_version(versions: Mapping[str, str]) -> bool:
    current = {**versions_of("numpy", "scipy"), "commit": commit_of_checkout() or None}
    return all(
        versions.get(name) == current.get(name) for name in ("bea_ros", "numpy", "scipy", "commit")
    )


def _first_candidate(request: Mapping[str, Any], robot: Robot) -> Any:
    """The first candidate of a run, in [0, 1]^d."""
    return create(
        request["algorithm"],
        len(robot.parameter_names),
        seed=request["seed"],
        budget=budgets_of(request)[0][1],
        profile=request["profile"],
        start=request.get("start", []),
        features=CommandedMotion(robot, request["duration"], request["weight_range"]),
        **request["options"],
    ).ask()
