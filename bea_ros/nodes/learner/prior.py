# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The prior of a learner: the fitness of a repertoire in its task."""

from __future__ import annotations

from typing import Any

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.parameters import ParameterError
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.repertoire import load, path_of
from bea_ros.repertoire.ranking import prior_for
from bea_ros.robots import Robot, absolute_robot
from bea_ros.tasks import Task

ONLY = {"algorithm": "bo", "profile": "default", "motor": "servo", "warm_start": ""}


def prior_of(values: dict[str, Any], robot: Robot, task: Task, duration: float) -> Prior | None:
    """Return the prior of the parameters for evaluations of `duration` (s), or None.

    Raises ParameterError if another parameter does not allow a prior, and RepertoireError.
    """
    if not values["prior"]:
        for name in ("enough", "adapt"):
            if values[name]:
                raise ParameterError(f"parameter {name}: only with a prior (parameter prior)")
        return None
    for name, only in ONLY.items():
        if values[name] != only:
            instead = f"only {only!r}" if only else "only without it"
            raise ParameterError(f"parameter prior: not with {name} {values[name]}, {instead}")
    typed = absolute_robot(values["robot"])
    repertoire = load(path_of(values["prior"], robot.name, values["generation"], typed))
    repertoire.check(robot, values["generation"], values["weight_range"])
    return prior_for(repertoire, task, duration, load_arena(robot, values["arena"]))
