# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the best controllers of a study are plausible: contacts, energy, a finer time step."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box

if TYPE_CHECKING:
    from bea_ros.studies.engine.results import Result, Results

FOLDER = Path("bench/robots/default")
LOOK: dict[str, Any] = {"box": box.SIMPLE, "padding": 0, "show_edge": False}
REAL_RANGE = 1.0  # 1/s, of the weights on the real robots (reference: Revolve)


@dataclass(frozen=True)
class Plausibility:
    """A controller, measured at every time step.

    `speed` is net displacement over duration (m/s), `turned` the yaw in the end over duration
    (deg/s), `penetration` of the deepest contact with the floor, on average and at most (m),
    `airborne` a share of the time, `power` what the motors give on average (W), `contacts` the
    share of it that contacts give, negative if they take it. The others are the fitness over that
    as learned: with half the time step, with servos of half the torque, with the masses that were
    measured on the real robots, and with the CPG's weights scaled to their range of 1.0 1/s.
    """

    speed: float
    turned: float
    penetration: tuple[float, float]
    airborne: float
    power: float
    contacts: float
    half_step: float
    half_torque: float
    measured_masses: float
    real_weights: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="of the study")


def run(parsed: argparse.Namespace) -> int:
    """Print a row for the best controller of each case.

    Raises ValueError if the folder holds no study.
    """
    from rich.console import Console
    from rich.table import Table

    from bea_ros.studies.robots.study import load
    from bea_ros.tasks import title_of

    results = load(parsed.folder)
    account = Table(title="The best controller of each case", **LOOK)
    others = Table(title="The same elsewhere, of the fitness above", **LOOK)
    for table, headings in (
        (account, ("fitness", "m/s", "deg/s", "depth\nmm", "at\nmost", "in\nair", "motor\nW",
                   "contact\ngives")),
        (others, ("half the\ntime step", "half the\ntorque", "measured\nmasses",
                  "weights of\n1.0 1/s")),
    ):  # fmt: skip
        table.add_column("robot, task", min_width=len("spider9, rotating"))
        for heading in headings:
            table.add_column(heading, justify="right", no_wrap=True)
    for robot, task in results.cases:
        runs = [r for r in results.results if r.case == (robot, task)]
        if runs:
            best = max(runs, key=lambda one: one.final)
            case, p = f"{robot}, {title_of(task)}", measure(results, best)
            account.add_row(
                case, f"{best.final:.3g}", f"{p.speed:.3f}", f"{p.turned:.0f}",
                *(f"{1000 * depth:.1f}" for depth in p.penetration),
                f"{p.airborne:.1%}", f"{p.power:.2f}", f"{p.contacts:.0%}",
            )  # fmt: skip
            shares = (p.half_step, p.half_torque, p.measured_masses, p.real_weights)
            others.add_row(case, *(f"{share:.0%}" for share in shares))
    console = Console()
    console.print(account)
    print(
        "depth: of the deepest contact with the floor; motor: mean power; contact gives: share\n"
        "of it, negative where it takes it\n"
    )
    console.print(others)
    print(
        "measured masses: those of the real robots; weights of 1.0 1/s: the CPG's, scaled to the\n"
        "range of the real robots"
    )
    return 0


def measure(results: Results, result: Result) -> Plausibility:
    """Drive the robot by the best controller of a run of a study, and keep account."""
    import numpy as np

    from bea_ros.robots import Robot, load_robot
    from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE
    from bea_ros.simulation.metered import MeteredWorld
    from bea_ros.simulation.world import Physics, World
    from bea_ros.studies.robots.plan import Run
    from bea_ros.studies.robots.worker import evaluator_of, fitness_of

    settings = ("evaluations", "switch", "profile", "duration", "noise")
    motor = results.settings.get("motor", "servo")
    chosen: dict[str, Any] = {name: results.settings[name] for name in settings}
    chosen |= {"motor": motor, "options": results.settings.get("options", "")}
    run = Run(*result.key, **chosen)
    evaluator = evaluator_of(run)
    candidate = np.array(result.candidate)
    evaluator.world = world = MeteredWorld(evaluator.robot, motor)
    path, duration = evaluator.trajectory(candidate), evaluator.duration
    fitness = evaluator.task.evaluate(path, duration).value

    def share(
        physics: Physics | None = None, robot: Robot = evaluator.robot, scale: float = 1.0
    ) -> float:
        evaluator.world = World(robot, physics, motor)
        return (fitness_of(evaluator, 0.5 + scale * (candidate - 0.5)) or 0.0) / fitness

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
        measured_masses=share(robot=load_robot(result.case[0], masses="measured")),
        real_weights=share(scale=REAL_RANGE / PUBLISHED_WEIGHT_RANGE),
    )
