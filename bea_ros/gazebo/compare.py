# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compare Gazebo with the embedded simulator: `python -m bea_ros.gazebo.compare RUN` evaluates
the candidates of a run in Gazebo here, too, and prints both fitnesses.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from bea_ros.localization.arena import load_arena
from bea_ros.localization.window import Untrusted
from bea_ros.robots import Robot
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.log import Record
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.runs.learned import Learned, read_learned
from bea_ros.simulation.observed import Laboratory


def embedded_fitness(run: Learned, robot: Robot, records: Sequence[Record]) -> dict[int, float]:
    """Fitness of the candidates of a run's records in the embedded simulator, NaN if not trusted.

    Measured as the graph does it: through the camera, for as long as in the run.
    """
    duration = run.duration
    arena, seed = load_arena(robot, run.arena), run.request["seed"]
    laboratory = Laboratory(robot, arena=arena, seed=seed, motor=run.motor)
    fitness = {}
    for record in records:
        observed = laboratory.observe(run.controller(robot, record["parameters"]), duration)
        try:
            fitness[record["evaluation"]] = run.task.evaluate(observed.seen, duration).value
        except Untrusted:
            fitness[record["evaluation"]] = float("nan")
    return fitness


def table(folder: Path) -> str:
    """Markdown: a line for each candidate, and how well the two agree; raises RunFolderError."""
    records = [record for record in read_evaluations(folder) if not record.get("given_up")]
    if not records:
        raise RunFolderError(f"{folder} has no evaluation that was measured, or not yet")
    run = read_learned(folder)
    if (backend := run.request.get("robot_backend")) != "gazebo":
        raise RunFolderError(f"{folder} is a run with robot_backend {backend}, not gazebo")
    robot = run.robot()
    gazebo = {record["evaluation"]: record["fitness"] for record in records}
    embedded = embedded_fitness(run, robot, records)
    lines = [
        f"{robot.name}, {run.task.name}, {run.duration:g} s, fitness in {run.task.unit}",
        "",
        "| evaluation | Gazebo | embedded simulator |",
        "| ---: | ---: | ---: |",
        *(f"| {i} | {gazebo[i]:.4f} | {embedded[i]:.4f} |" for i in gazebo),
    ]
    pairs = np.array([(gazebo[i], embedded[i]) for i in gazebo if np.isfinite(embedded[i])])
    if len(pairs):
        means = pairs.mean(0)
        lines.append(f"| mean | {means[0]:.4f} | {means[1]:.4f} |")
    if len(pairs) > 2:
        lines += ["", agreement(pairs[:, 0], pairs[:, 1])]
    return "\n".join(lines)


def agreement(gazebo: np.ndarray, embedded: np.ndarray) -> str:
    """How well the fitnesses of the same candidates agree, in words."""
    ranks = spearmanr(gazebo, embedded)
    apart = 100 * np.abs(gazebo - embedded).mean() / np.ptp(gazebo)
    return (
        f"Rank correlation (Spearman) {ranks.statistic:.2f}, p = {ranks.pvalue:.2g}. "
        f"Mean difference: {apart:.0f} % of the range in Gazebo."
    )


def main(args: list[str] | None = None) -> int:
    """Print the table of a run; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bea_ros.gazebo.compare", description=str(__doc__)
    )
    parser.add_argument("run", type=Path, help="folder of a run that Gazebo was the robot of")
    try:
        print(table(parser.parse_args(args).run))
    except ValueError as error:  # the folder's, its robot's, its task's
        print(f"compare: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
