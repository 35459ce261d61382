# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plausibility of a study's best controllers: contacts, energy, a finer time step, and the
paper's real robots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bea_ros.report.paper import REAL_FITNESS
from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE
from bea_ros.robots.motors import MOTORS
from bea_ros.simulation.metered import MeteredWorld
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.world import World
from bea_ros.studies.engine.data import write_table
from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.robots import GAITS
from bea_ros.studies.robots.plan import Plan, Run
from bea_ros.studies.robots.study import RobotStudy
from bea_ros.studies.robots.worker import evaluator_of
from bea_ros.tasks import title_of

LOOK: dict[str, Any] = {"box": box.SIMPLE, "padding": 0, "show_edge": False}
REAL_RANGE = 1.0  # 1/s, of the weights on the real robots (reference: Revolve)


def run(folder: Path) -> None:
    """Print a row for the best controller of each case, and write gaits.csv.

    Raises ValueError if the folder holds no study.
    """
    results = RobotStudy().load(folder)
    rows = list(track(_rows(results), "cases", len(results.cases), transient=True))
    for title, columns, note in TABLES:
        Console().print(_table(title, columns, rows))
        print(f"{note}\n")
    write_table(folder / GAITS, pd.DataFrame(rows))
    print(f"wrote {folder / GAITS}")


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    """For each case: best controller, its measurements, and the real robots' fitness."""
    for case in results.cases:
        runs = [run for run in results.results if run.case == case]
        best = max(runs, key=lambda one: one.final)
        found = measure(results, best)
        robot, task = case
        real = {name: there.get((robot, task), math.nan) for name, there in REAL_FITNESS.items()}
        yield {
            "robot": robot, "task": task, "algorithm": best.algorithm,
            "repetition": best.repetition, "fitness": best.final, **found,
            "real_bo": real["bo"], "real_bea": real["bea"],
            "over_real": best.final / real["bea"],
            "over_real_measured_masses": best.final * found["measured_masses"] / real["bea"],
            **_both(results, case, real),
        }  # fmt: skip


def _both(results: Results, case: tuple[str, ...], real: dict[str, float]) -> dict[str, float]:
    """Mean fitness of BO's and of BEA's best controllers with the real robots' masses."""
    mean = {}
    for name in ("bo", "bea"):
        found = [heavy(results, run) for run in results.of(case, name)]
        mean[name] = float(np.mean(found)) if found else math.nan
    return {
        "bo_measured_masses": mean["bo"],
        "bea_measured_masses": mean["bea"],
        "bea_over_bo_measured_masses": mean["bea"] / mean["bo"] if mean["bo"] > 0 else math.nan,
        "real_bea_over_bo": real["bea"] / real["bo"],
    }


Columns = dict[str, tuple[str, str, float]]  # of a table: heading, format and factor
TABLES: tuple[tuple[str, Columns, str], ...] = (
    (
        "The best controller of each case",
        {
            "fitness": ("fitness", ".3g", 1.0),
            "speed": ("m/s", ".3f", 1.0),
            "turned": ("deg/s", ".0f", 1.0),
            "mean_depth": ("depth\nmm", ".1f", 1000.0),
            "depth": ("at\nmost", ".1f", 1000.0),
            "airborne": ("in\nair", ".1%", 1.0),
            "power": ("motor\nW", ".2f", 1.0),
            "contacts": ("contact\ngives", ".0%", 1.0),
        },
        "depth: of the deepest contact with the floor; motor: mean power; contact gives: share\n"
        "of it, negative where it takes it",
    ),
    (
        "The same elsewhere, of the fitness above",
        {
            "half_step": ("half the\ntime step", ".0%", 1.0),
            "half_torque": ("half the\ntorque", ".0%", 1.0),
            "measured_masses": ("measured\nmasses", ".0%", 1.0),
            "real_weights": ("weights of\n1.0 1/s", ".0%", 1.0),
            "other_motor": ("other\nmotor", ".0%", 1.0),
        },
        "measured masses: those of the real robots; weights of 1.0 1/s: the CPG's, scaled to the\n"
        "range of the real robots; other motor: revolve for servo, servo for revolve",
    ),
    (
        "Beside the paper's real robots",
        {
            "fitness": ("here", ".3g", 1.0),
            "real_bo": ("real,\nBO", ".3g", 1.0),
            "real_bea": ("real,\nBEA", ".3g", 1.0),
            "over_real": ("here /\nreal", ".2f", 1.0),
            "over_real_measured_masses": ("measured\nmasses", ".2f", 1.0),
        },
        "real: fitness of the best controllers of BO and BEA on the paper's real robots; then\n"
        "that here over BEA's there, as learned and with the masses of the real robots",
    ),
    (
        "BO's and BEA's best controllers with the real robots' masses",
        {
            "bo_measured_masses": ("here,\nBO", ".3g", 1.0),
            "bea_measured_masses": ("here,\nBEA", ".3g", 1.0),
            "bea_over_bo_measured_masses": ("BEA /\nBO", ".0%", 1.0),
            "real_bo": ("real,\nBO", ".3g", 1.0),
            "real_bea": ("real,\nBEA", ".3g", 1.0),
            "real_bea_over_bo": ("BEA /\nBO", ".0%", 1.0),
        },
        "here: mean over the runs; real: on the paper's real robots",
    ),
)


def _table(title: str, columns: Columns, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=title, **LOOK)
    table.add_column("robot, task", min_width=len("spider9, rotating"))
    for heading, _, _ in columns.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cells = (f"{row[name] * by:z{form}}" for name, (_, form, by) in columns.items())
        table.add_row(f"{row['robot']}, {title_of(row['task'])}", *cells)
    return table


def heavy(results: Results, result: Result) -> float:
    """Fitness of a run's best controller with the real robots' masses; 0 if the robot falls."""
    plan = Plan.of(results.settings)
    evaluator = evaluator_of(Run(*result.key, **plan.decisive))
    evaluator.world = World(load_robot(result.case[0], masses="measured"), None, plan.motor)
    return evaluator.fitness_or_none(np.array(result.candidate)) or 0.0


def measure(results: Results, result: Result) -> dict[str, float]:
    """Drive the robot with a run's best controller and measure every time step.

    `speed` is the net displacement over the duration (m/s), `turned` the final yaw over the
    duration (deg/s), `airborne` a share of the time, and `power` the motors' mean power (W).
    `contacts` is the contacts' power over the motors', negative if contacts dissipate it.
    `depth` and `mean_depth` (m) are of the deepest contact with the floor. The others are the
    fitness relative to that learned: with half the time step, with servos of half the torque,
    with the masses of the real robots, with CPG weights scaled to the real robots' range of
    1.0 1/s, and with the other motor model.
    """
    plan = Plan.of(results.settings)
    motor = plan.motor
    evaluator = evaluator_of(Run(*result.key, **plan.decisive))
    candidate = np.array(result.candidate)
    evaluator.world = world = MeteredWorld(evaluator.robot, motor)
    path, duration = evaluator.trajectory(candidate), evaluator.duration
    fitness = evaluator.task.evaluate(path, duration).value

    def share(
        physics: Physics | None = None,
        robot: Robot = evaluator.robot,
        scale: float = 1.0,
        motor: str = motor,
    ) -> float:
        evaluator.world = World(robot, physics, motor)
        return (evaluator.fitness_or_none(0.5 + scale * (candidate - 0.5)) or 0.0) / fitness

    depths = np.array(world.penetrations)
    return {
        "speed": float(np.hypot(path.x[-1] - path.x[0], path.y[-1] - path.y[0])) / duration,
        "turned": float(np.degrees(path.yaw[-1] - path.yaw[0])) / duration,
        "airborne": world.airborne / len(depths),
        "power": world.work["motors"] / duration,
        "contacts": world.work["contacts"] / world.work["motors"],
        "half_step": share(Physics(timestep=Physics().timestep / 2)),
        "half_torque": share(Physics(torque_scale=0.5)),
        "measured_masses": share(robot=load_robot(result.case[0], masses="measured")),
        "real_weights": share(scale=REAL_RANGE / PUBLISHED_WEIGHT_RANGE),
        "other_motor": share(motor=next(name for name in MOTORS if name != motor)),
        "mean_depth": float(depths.mean()),
        "depth": float(depths.max()),
    }
