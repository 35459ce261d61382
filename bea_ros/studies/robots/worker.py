# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out one run of the study, and resumes it if it was interrupted."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from bea_ros.optimizers import Optimizer
from bea_ros.robots import load_robot
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.observed import PoseNoise
from bea_ros.studies.engine.ablation import without
from bea_ros.studies.robots.plan import Run
from bea_ros.studies.robots.store import Entry, RunFile, StoreError, checksum
from bea_ros.tasks import find_task, worst_of

clock = time.thread_time  # does not count other processes, or other runs in a worker of Dask


def evaluator_of(run: Run) -> Evaluator:
    """The evaluator of a run's candidates."""
    robot, task = load_robot(run.robot), find_task(run.task)
    noise = PoseNoise() if run.noise else None
    return Evaluator(
        robot,
        task,
        run.evaluation_duration,
        profile=run.profile,
        motor=run.motor,
        noise=noise,
        seed=run.noise_seed,
    )


def execute(run: Run, folder: Path) -> None:
    """Carry out a run to its end; evaluations that its file in `folder` has are not repeated.

    Raises StoreError.
    """
    with threadpool_limits(1), without(run.without), RunFile(run.path(folder), run.head) as file:
        if len(file.entries) >= run.evaluations:
            return
        optimizer = run.optimizer(clock)
        _live_through(optimizer, run, file)
        evaluator = evaluator_of(run)
        best = max((entry.fitness for entry in file.entries), default=-np.inf)
        while len(file.entries) < run.evaluations:
            candidate, stage = optimizer.ask(), optimizer.stage
            began = clock()
            fitness = evaluator.fitness_or_none(candidate)
            took = clock() - began
            told = worst_of(e.fitness for e in file.entries) if fitness is None else fitness
            optimizer.tell(candidate, told, evaluation_time=run.evaluation_duration)
            overhead = optimizer.history[-1].overhead_time
            kept = tuple(candidate.tolist()) if told > best else ()
            file.append(
                Entry(stage, told, fitness is not None, overhead, took, checksum(candidate), kept)
            )
            best = max(best, told)


def _live_through(optimizer: Optimizer, run: Run, file: RunFile) -> None:
    """Replay the file's evaluations to the optimizer; raises StoreError if a candidate differs."""
    for number, entry in enumerate(file.entries, 1):
        candidate = optimizer.ask()
        if checksum(candidate) != entry.check:
            raise StoreError(
                f"{file.path} cannot be resumed: evaluation {number} has another candidate "
                "than this version of bea_ros would try there; remove it or take another folder"
            )
        optimizer.tell(
            candidate,
            entry.fitness,
            evaluation_time=run.evaluation_duration,
            overhead_time=entry.overhead,
        )
