# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The learner's parameters, and what of them defines a run."""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bea_ros.nodes.parameters import Parameter, ParameterError
from bea_ros.nodes.robot_parameters import ROBOT_PARAMETERS
from bea_ros.optimizers import OPTIMIZERS, PROFILES
from bea_ros.tasks import TASKS

PARAMETERS = [
    *ROBOT_PARAMETERS,
    Parameter("task", "gait", "what to learn", choices=tuple(TASKS)),
    Parameter("algorithm", "bea", "optimizer", choices=tuple(OPTIMIZERS)),
    Parameter("profile", "default", "the optimizer's settings", choices=PROFILES),
    Parameter("options", [""], "further options of the optimizer, each as name=value"),
    Parameter("evaluations", 150, "budget", 1, 1_000_000),
    Parameter("seed", 1, "seed of every random draw", 0),
    Parameter("output", "", "folder of the run; one that exists is resumed"),
    Parameter("duration", 0.0, "s of an evaluation, 0: the task's own", 0.0, 3600.0),
    Parameter("weight_range", 1.5, "CPG weights lie within +- this, 1/s", 0.01, 100.0),
    Parameter("recorded", False, "wait for the recorder before the first evaluation"),
    Parameter("attempts", 3, "how often a measurement is tried before giving up", 1, 100),
]


def optimizer_options(words: list[str]) -> dict[str, Any]:
    """Options given as name=value; raises ParameterError for one without '='."""
    options = {}
    for word in filter(None, words):
        name, equals, value = word.partition("=")
        if not equals:
            raise ParameterError(f"parameter options: '{word}' is not name=value")
        try:
            options[name.strip()] = json.loads(value)
        except ValueError:  # a word
            options[name.strip()] = value.strip()
    return options


def request_of(values: dict[str, Any], duration: float, options: dict[str, Any]) -> dict[str, Any]:
    """What of the parameters decides the log of a run."""
    names = [
        "robot",
        "generation",
        "masses",
        "task",
        "algorithm",
        "profile",
        "evaluations",
        "seed",
    ]
    return {
        **{name: values[name] for name in names},
        "duration": duration,
        "weight_range": values["weight_range"],
        "options": options,
    }


def versions() -> dict[str, str]:
    """Versions of what a run's numbers depend on."""
    found = {"python": platform.python_version()}
    for name in ("bea_ros", "numpy", "scipy", "scikit-learn", "mujoco"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
