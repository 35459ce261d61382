# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the best controllers of a study are plausible: contacts, energy, a finer time step."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bea_ros.experiments.robot_study.results import Result, Results

FOLDER = Path("bench/robots/default")


@dataclass(frozen=True)
class Plausibility:
    """A controller, measured at every time step.

    `speed` is net displacement over duration (m/s), `turned` the yaw in the end over duration
    (deg/s), `penetration` of the deepest contact with the floor, on average and at most (m),
    `airborne` a share of the time, `power` what the motors give on average (W), `contacts` the
    share of it that contacts give, negative if they take it; `half_step` and `half_torque` are the
    fitness with half the time step and with servos of half the torque, over that without.
    """

    speed: float
    turned: float
    penetration: tuple[float, float]
    airborne: float
    power: float
    contacts: float
    half_step: float
    half_torque: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folder", nargs="?", type=Path, default=FOLDER, help=f"of the study (default: {FOLDER})"
    )


def run(parsed: argparse.Namespace) -> int:
    """Print a row for the best controller of each case.

    Raises ValueError if the folder holds no study.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from bea_ros.experiments.robot_study.results import load

    results = load(parsed.folder)
    table = Table(
        title="The best controller of each case", box=box.SIMPLE, padding=0, show_edge=False
    )
    table.add_column("robot, task", min_width=len("spider9, rotating"))
    for heading in (
        "fitness", "m/s", "deg/s", "depth\nmm", "at\nmost", "in\nair", "motor\nW",
        "contact\ngives", "half\nstep", "half\ntorque",
    ):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for robot, task in results.cases:
        runs = [r for r in results.results if (r.robot, r.task) == (robot, task)]
        if runs:
            best = max(runs, key=lambda one: float(one.best[-1]))
            p = measure(results, best)
            table.add_row(
                f"{robot}, {task.replace('_', ' ')}", f"{best.best[-1]:.3g}",
                f"{p.speed:.3f}", f"{p.turned:.0f}",
                *(f"{1000 * depth:.1f}" for depth in p.penetration),
                f"{p.airborne:.1%}", f"{p.power:.2f}", f"{p.contacts:.0%}", f"{p.half_step:.0%}",
                f"{p.half_torque:.0%}",
            )  # fmt: skip
    Console().print(table)
    print(
        "depth: of the deepest contact with the floor; motor: mean power; contact gives: share\n"
        "of it, negative where it takes it; half step, half torque: fitness with that over\n"
        "fitness without"
    )
    return 0


def measure(results: Results, result: Result) -> Plausibility:
    """Drive the robot by the best controller of a run of a study, and keep account."""
    import numpy as np

    from bea_ros.experiments.robot_study.plan import Run
    from bea_ros.experiments.robot_study.worker import evaluator_of, fitness_of
    from bea_ros.simulation.metered import MeteredWorld
    from bea_ros.simulation.world import Physics, World

    settings = ("evaluations", "switch", "profile", "duration")
    run = Run(*result.key, **{name: results.settings[name] for name in settings})
    evaluator = evaluator_of(run)
    candidate = np.array(result.candidate)
    evaluator.world = world = MeteredWorld(evaluator.robot)
    path, duration = evaluator.trajectory(candidate), evaluator.duration
    fitness = evaluator.task.evaluate(path, duration).value

    def share(physics: Physics) -> float:
        evaluator.world = World(evaluator.robot, physics)
        return (fitness_of(evaluator, candidate) or 0.0) / fitness

    depths = np.array(world.penetrations)
    return Plausibility(
        speed=float(np.hypot(path.x[-1] - path.x[0], path.y[-1] - path.y[0])) / duration,
        turned=float(np.degrees(path.yaw[-1] - path.yaw[0])) / duration,
        penetration=(float(depths.mean()), float(depths.max())),
        airborne=world.airborne / len(depths),
        power=world.work["motors"] / duration,
        contacts=world.work["contacts"] / world.work["motors"],
        half_step=share(Physics(timestep=Physics().timestep / 2)),
        half_torque=share(Physics(torque_scale=0.5)),
    )
