# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robustness of gaits: best controllers under random physics.

The simulated camera and its tracker measure them as in the graph, in one process.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.progress import track
from rich.table import Column, Table

from bea_ros.localization.arena import load_arena
from bea_ros.localization.window import Untrusted
from bea_ros.robots import robot_name
from bea_ros.runs.learned import Learned, names_of
from bea_ros.simulation.observed import Laboratory
from bea_ros.simulation.physics import RANGES, Physics, draw_physics
from bea_ros.simulation.world import SimulationError
from bea_ros.system.files import replace_file
from bea_ros.system.terminal import plain_console
from bea_ros.tasks import check_duration

TABLE = "other_physics.csv"
MOST_WORLDS = 10_000  # 10^9 would fill the memory before the first is tried
SURVIVED = 0.5  # of the fitness under the usual physics


@dataclass(frozen=True)
class Survival:
    """A controller's fitness under the usual physics, and under n others, shape (n,).

    NaN if the robot fell over, left the arena too early or the simulation became unstable.
    """

    learned: Learned
    usual: float
    others: NDArray[np.float64]

    @property
    def share(self) -> float:
        """Share of worlds with at least half the usual fitness; NaN unless that is above 0."""
        if not self.usual > 0:
            return math.nan
        return float(np.mean(np.nan_to_num(self.others, nan=-np.inf) >= SURVIVED * self.usual))

    @property
    def median(self) -> float:
        """Median fitness under other physics; failures rank lowest, NaN if most trials failed."""
        median = float(np.median(np.nan_to_num(self.others, nan=-np.inf)))
        return median if math.isfinite(median) else math.nan


def survive(run: Learned, worlds: Iterable[Physics], duration: float, motor: str = "") -> Survival:
    """Evaluate a run's best controller for `duration` s (0: the run's own) in every world.

    `motor` is the motor model; by default it is that of the run.
    """
    robot, duration = run.robot(), duration or run.duration
    arena, damages = load_arena(robot, run.arena), run.damages(robot)

    def fitness(physics: Physics) -> float:
        try:
            laboratory = Laboratory(robot, physics, arena, 1, motor or run.motor, damages)
            observed = laboratory.observe(run.network(robot), duration)
            return run.task.evaluate(observed.seen, duration).value
        except (Untrusted, SimulationError):
            return math.nan

    return Survival(run, fitness(Physics()), np.array([fitness(physics) for physics in worlds]))


def run(
    runs: Sequence[Learned], count: int, seed: int, duration: float, output: Path, motor: str = ""
) -> int:
    """`bea validate --physics`: evaluate the controllers in `count` worlds and print the shares.

    An evaluation takes `duration` s (0: the run's own), with the run's motors or `motor`. The
    table is written to the folder `output`.

    Raises ValueError for a count that is not allowed or a duration that cannot be measured.
    """
    if not 1 <= count <= MOST_WORLDS:
        raise ValueError(f"--physics {count}: allowed is 1 to {MOST_WORLDS} worlds")
    if duration:
        check_duration(duration)
    worlds = draw_physics(count, seed)
    name = Column("run", overflow="fold")  # its end distinguishes seeds
    table = Table(name, "usual physics", "median of others", f"keep {SURVIVED:.0%}", "fail")
    survivals = [
        survive(learned, track(worlds, "other worlds"), duration, motor) for learned in runs
    ]
    names = names_of(learned.folder for learned in runs)
    for s in survivals:
        usual = f"{s.usual:.4f} {s.learned.task.unit}"
        share = "-" if math.isnan(s.share) else f"{100 * s.share:.0f} %"
        failed = str(np.isnan(s.others).sum())
        median = f"{s.median:.4f} {s.learned.task.unit}"
        table.add_row(names[s.learned.folder], usual, median, share, failed)
    plain_console().print(table)
    print(f"wrote {save(output, survivals, worlds)}")
    return 0


def save(folder: Path, survivals: Sequence[Survival], worlds: Sequence[Physics]) -> Path:
    """Write a line per controller and world; returns the path."""
    names = names_of(s.learned.folder for s in survivals)
    rows = [
        {
            "run": names[s.learned.folder],
            "robot": robot_name(s.learned.request["robot"]),
            "task": s.learned.task.name,
            **{name: getattr(physics, name) for name in RANGES},
            "fitness": fitness,
            "usual_fitness": s.usual,
        }
        for s in survivals
        for physics, fitness in zip(worlds, s.others, strict=True)
    ]
    table = pd.DataFrame(rows)
    text = table.to_csv(index=False, lineterminator="\n", float_format="%.4f", na_rep="nan")
    replace_file(folder / TABLE, text)
    return folder / TABLE
