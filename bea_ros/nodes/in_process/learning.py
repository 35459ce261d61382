# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learning run in simulation in one process. Its folder is the same as that of the graph."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2

from bea_ros.localization.arena import load_arena
from bea_ros.nodes import cpg_controller
from bea_ros.nodes.camera_localization import node as camera_localization
from bea_ros.nodes.in_process.robot import SeveralWorlds, SimulatedRobot
from bea_ros.nodes.learner import parameters as learner
from bea_ros.nodes.learner.assignment import GONE, Assignment
from bea_ros.nodes.shared.parameters import Parameter, ParameterError, check_all
from bea_ros.nodes.shared.robot.answers import RobotSilent
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.nodes.shared.robot.settings import Settings
from bea_ros.nodes.shared.robot_parameters import robot_of
from bea_ros.nodes.simulator import node as simulator
from bea_ros.nodes.simulator.parameters import camera_of, of_robot, robot_asked
from bea_ros.optimizers.threads import single_threaded
from bea_ros.robots.cpg import output_of
from bea_ros.robots.reach import Reach
from bea_ros.runs.folder.head import RunFolderError, read_request
from bea_ros.runs.learning import Trial
from bea_ros.simulation.camera.drawing import DrawingProcess
from bea_ros.simulation.camera.overhead import looks_of
from bea_ros.simulation.physics import RANGES, stored
from bea_ros.simulation.world import SimulationError

FAILED, INTERRUPTED = 1, 130  # exit codes
SAME_AGAIN = (
    "confirm: a repetition measures the same again, as nothing is random here; start.position "
    "and start.yaw of the simulator (--config) put the robot back less exactly"
)
TABLES: dict[str, Iterable[Parameter]] = {
    "simulator": simulator.PARAMETERS,
    "cpg_controller": cpg_controller.PARAMETERS,
    "camera_localization": camera_localization.PARAMETERS,
    "learner": learner.PARAMETERS,
}


class CannotGoOn(RuntimeError):
    """The run cannot continue; the message says why."""


def learn(
    given: Mapping[str, Mapping[str, Any]],
    images: bool = True,
    draws: int = 0,
    told: str = "mean",
) -> int:
    """Learn until the budget is spent; returns the exit code.

    Args:
        given: parameters of the graph's nodes, by executable.
        images: draw the camera's images; else use true poses with the camera's errors.
        draws: number of draws of physics under which each candidate is tried, or 0.
        told: with draws, "mean" or "worst" fitness.

    Raises:
        ValueError: a parameter is wrong.
    """
    of_joints = of_robot(simulator.PARAMETERS, robot_asked(given["simulator"]))
    tables = {**TABLES, "simulator": of_joints}
    values = {name: check_all(table, given[name], name) for name, table in tables.items()}
    asked = learner.with_operator(values["learner"], simulated=True)
    parts = values["simulator"], values["cpg_controller"], values["camera_localization"]
    extra: dict[str, Any] = {} if images else {"images": False}
    with _drawing(values["simulator"]) if images else nullcontext() as drawing:
        robot: SimulatedRobot | SeveralWorlds
        if draws:
            asked["learned_world"] = False  # a robot of several worlds has none to be learned
            ranges = _ranges(Path(asked["output"]))
            extra |= {"physics": draws, "ranges": ranges, "told": told}
            robot = SeveralWorlds(draws, ranges, told, *parts, drawing)
        else:
            robot = SimulatedRobot(*parts, drawing)
        _check_settings(asked, robot)
        exact = not any(values["simulator"][name] for name in ("start.position", "start.yaw"))
        return _carry_out(Assignment(asked, extra), robot, exact)


def _drawing(simulator: dict[str, Any]) -> DrawingProcess:
    """The process that draws the images of the simulator's camera."""
    robot = robot_of(simulator)
    camera = camera_of(simulator, load_arena(robot, simulator["arena"]))
    return DrawingProcess(camera, looks_of(robot))


def _carry_out(run: Assignment, robot: SimulatedRobot | SeveralWorlds, exact: bool) -> int:
    """Evaluate until the budget is spent; returns the exit code.

    `exact` says whether each evaluation begins at the same place.
    """
    run.begin()
    if exact and run.values["confirm"]:
        run.progress.note(SAME_AGAIN)
    run.write_best()
    cv2.setNumThreads(1)  # the images are small: a second thread costs more than it gains
    try:
        with single_threaded():
            while trial := run.run.next():
                began = time.monotonic()
                measurement, attempts = _measure(run, robot, trial)
                times = {"evaluation": time.monotonic() - began, "interruptions": 0}
                record = run.take(trial, measurement, attempts, times)
                run.write_best()
                run.tell_progress(trial, record)
    except KeyboardInterrupt:
        run.stopped()
        return INTERRUPTED
    except (CannotGoOn, RunFolderError, SimulationError) as error:
        run.stopped(str(error))
        return FAILED
    finally:
        run.folder.close()
    if not run.folder.kept:
        run.stopped(GONE)
        return FAILED
    run.finish()
    return 0


def _ranges(folder: Path) -> dict[str, list[float]]:
    """Return the ranges of physics with which a run was begun; today's for a new one."""
    before = read_request(folder)
    if before is None or not before.get("physics"):
        return stored(RANGES)
    if "ranges" not in before:
        raise RunFolderError(
            f"{folder} was begun by an earlier version with other ranges of physics: choose "
            f"another output folder; --warm-start {folder} begins with its best candidates"
        )
    return dict(before["ranges"])


def _check_settings(asked: dict[str, Any], robot: SimulatedRobot | SeveralWorlds) -> None:
    """Raise ParameterError if the nodes' parameters do not fit the learner's, as in the graph."""
    own = robot_of(asked)
    reach = Reach(own, asked["motor"], output_of(asked["profile"]), asked["gain"])
    known = Settings(reach, load_arena(own, asked["arena"]))
    try:
        for who, reported in robot.settings.items():
            known.check(who, reported)
    except RobotSilent as error:
        raise ParameterError(str(error)) from None


def _measure(
    run: Assignment, robot: SimulatedRobot | SeveralWorlds, trial: Trial
) -> tuple[Measurement, int]:
    """Return a valid measurement, or that of a robot that fell each time, and the attempts.

    Raises CannotGoOn.
    """
    limit = run.values["attempts"]
    failures: list[Measurement] = []
    while len(failures) < limit:
        try:
            measurement = robot.evaluate(trial.weights, run.task.name, run.duration)
        except ValueError as error:
            raise CannotGoOn(f"evaluation {trial.evaluation}: {error}") from error
        if measurement.success:
            return measurement, len(failures) + 1
        failures.append(measurement)
    if all(failure.tumbled for failure in failures):
        return replace(measurement, message=f"{measurement.message} at each attempt"), limit
    raise CannotGoOn(
        f"evaluation {trial.evaluation} cannot be trusted: {measurement.message} "
        f"(attempt {limit} of {limit})"
    )
