# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The learner's parameters, and the part of them that defines a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bea_ros.hardware.servos import servos_path
from bea_ros.localization.arena import load_arena
from bea_ros.nodes.executables import BACKENDS
from bea_ros.nodes.learner.adaptation import before_of, candidate_of
from bea_ros.nodes.shared.parameters import Parameter, ParameterError
from bea_ros.nodes.shared.robot.whereabouts import MARGIN, SETTLE
from bea_ros.nodes.shared.robot_parameters import ARENA_PARAMETERS, GAIN, MOTOR, ROBOT_PARAMETERS
from bea_ros.optimizers import OPTIMIZERS, PROFILES
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.repertoire import load, path_of
from bea_ros.repertoire.ranking import prior_for
from bea_ros.robots import Robot, absolute_robot
from bea_ros.robots.cpg import USUAL_GAIN
from bea_ros.runs.folder.inputs import FILES
from bea_ros.runs.warm_start import start_candidates
from bea_ros.system.resources import resource_path
from bea_ros.tasks import TASKS, Task

PARAMETERS = [
    *ROBOT_PARAMETERS,
    Parameter("task", "gait", f"{', '.join(TASKS)}; its options behind it: gait:form=path"),
    Parameter("algorithm", "bea", "optimizer", choices=tuple(OPTIMIZERS)),
    Parameter("profile", "default", "the optimizer's settings", choices=PROFILES),
    Parameter("options", [""], "further options of the optimizer, each as name=value"),
    Parameter("evaluations", 150, "budget", 1, 1_000_000),
    Parameter("seed", 1, "seed of every random draw", 0),
    Parameter("output", "", "folder of the run; one that exists is resumed"),
    Parameter("duration", 0.0, "s of an evaluation, 0: the task's own", 0.0, 3600.0),
    Parameter("robot_backend", "simulator", "what moves the joints; the same for a whole run",
              choices=BACKENDS),
    MOTOR,
    Parameter("damage", "", "joints that are broken in the simulator; the same for a whole run"),
    Parameter("weight_range", 1.5, "CPG weights lie within +- this, 1/s", 0.01, 100.0),
    Parameter("surroundings", [""], "further arguments of the run, each as name=value, which "
              "`bea learn` keeps when it resumes"),
    Parameter("changed", [""], f"which of {', '.join(FILES)} may differ from when the run "
              "began"),
    Parameter("recorded", False, "wait for the recorder before the first evaluation"),
    Parameter("attempts", 3, "attempts at an evaluation before the operator is asked", 1, 100),
    Parameter("operator", "auto", "whether somebody stands beside the robot and can help; auto: "
              "present unless time is simulated", choices=("auto", "present", "none")),
    Parameter("reset", "auto", "who puts the robot back: the reset service before an evaluation, "
              "the operator where needed, or both; auto: both if there is an operator",
              choices=("auto", "service", "operator", "both")),
    Parameter("reset_patience", 60.0, "s (wall clock) for the reset service to answer", 0.1,
              3600.0),
    MARGIN,
    SETTLE,
    GAIN,
    Parameter("patience", 0.0, "s (wall clock) to wait for an answer after an evaluation, or "
              "while time stands still; 0: 15 with an operator, else 60", 0.0, 3600.0),
    Parameter("confirm", -1, "repetitions of a new best; -1: 2 with an operator, else 0", -1, 100),
    Parameter("warm_start", "", "folder of a run whose best candidates are tried first"),
    Parameter("warm_start_candidates", 5, "how many of them", 1, 100),
    Parameter("prior", "", "repertoire to learn from: default, or its folder or file"),
    Parameter("learned_world", True, "with a prior: learn the robot's physics from its motion and "
              "search in simulation before each evaluation"),
    Parameter("adapt", "", "folder of a run whose best is measured first; learning ends there "
              "if it kept four fifths of its fitness"),
    Parameter("enough", 0.0, "end when the best is at least this share of what the prior expects "
              "of any other; 0: never", 0.0, 10.0),
    *ARENA_PARAMETERS,
]  # fmt: skip
# All that a prior goes with.
ONLY = {
    "algorithm": "bo", "profile": "default", "motor": "servo", "gain": USUAL_GAIN,
    "warm_start": "",
}  # fmt: skip


def with_operator(values: dict[str, Any], simulated: bool) -> dict[str, Any]:
    """Return the parameters, with defaults that depend on the operator and the prior."""
    present = values["operator"] == "present"
    if values["operator"] == "auto":
        present = not simulated
    chosen = dict(values, operator="present" if present else "none")
    if values["reset"] == "auto":
        chosen["reset"] = "both" if present else "service"
    chosen["patience"] = values["patience"] or (15.0 if present else 60.0)
    if values["confirm"] < 0:
        chosen["confirm"] = 2 if present else 0
    if values["prior"] and values["algorithm"] == "bea":  # too few evaluations for a second stage
        chosen["algorithm"] = "bo"
    return chosen


def files_of(values: dict[str, Any], surroundings: dict[str, Any]) -> dict[str, str | Path]:
    """Return the input files, by argument, that affect measurements, except the robot's."""
    files: dict[str, str | Path] = {"arena": values["arena"] or resource_path("config/arena.yaml")}
    files |= {n: v for n, v in surroundings.items() if n in ("camera_info", "config")}
    if values["robot_backend"] == "hardware":
        files["servos"] = surroundings.get("servos") or servos_path(values["robot"])
    return files


def optimizer_options(words: list[str]) -> dict[str, Any]:
    """Parse options such as name=value; raises ParameterError if one has no '='."""
    options = {}
    for word in filter(None, words):
        name, equals, value = word.partition("=")
        if not equals:
            raise ParameterError(f"parameter options: '{word}' is not name=value")
        try:
            options[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):  # a word
            options[name.strip()] = value.strip()
    return options


def start_of(
    values: dict[str, Any], names: list[str], before: dict[str, Any] | None
) -> list[list[float]]:
    """Return the first candidates in [0, 1]^d; a run resumed from `before` keeps its own."""
    if before is not None:
        return list(before.get("start", []))
    if values["adapt"]:
        return [candidate_of(Path(values["adapt"]), names, values["weight_range"]).tolist()]
    if not values["warm_start"]:
        return []
    folder, count = Path(values["warm_start"]), values["warm_start_candidates"]
    return start_candidates(folder, names, values["weight_range"], count).tolist()


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


def fitness_before(
    values: dict[str, Any], duration: float, before: dict[str, Any] | None
) -> float | None:
    """Return the best fitness of the run to adapt, or None without one; `duration` in s."""
    if before is not None:
        return before.get("before")
    if not values["adapt"]:
        return None
    return before_of(Path(values["adapt"]), values["task"], duration)


def request_of(
    values: dict[str, Any],
    duration: float,
    options: dict[str, Any],
    start: list[list[float]],
    reached: float | None,
    before: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the parameters that determine the log of a run.

    `reached` is the best fitness of the run to adapt. Old runs, `before`, do not have
    `robot_backend`. They resume with any.
    """
    recorded = before is None or "robot_backend" in before
    names = ["generation", "masses", "task", "algorithm", "profile", "evaluations", "seed"]
    return {
        "robot": absolute_robot(values["robot"]),
        **{name: values[name] for name in names},
        "duration": duration,
        "weight_range": values["weight_range"],
        "options": options,
        **({"robot_backend": values["robot_backend"]} if recorded else {}),
        "motor": values["motor"],
        **{name: values[name] for name in ("damage", "confirm", "warm_start") if values[name]},
        **({"start": start} if start else {}),
        **({} if reached is None else {"adapt": values["adapt"], "before": reached}),
        **({"prior": values["prior"]} if values["prior"] else {}),
        **({"learned_world": True} if values["prior"] and values["learned_world"] else {}),
    }
