# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out one run of the study; its file is written only when the run is finished."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers import Optimizer, Record
from bea_ros.studies.functions.plan import TRANSFERS, Run
from bea_ros.studies.functions.problems import Function

clock = time.thread_time  # does not count other processes, or other runs in a worker of Dask

Array = NDArray[np.float64]

_begun: dict[Run, list[Record]] = {}  # first stage of the last BEA, for its other transfers


class Outcome(NamedTuple):
    """A finished run: f (minimised) and overhead (s) of each evaluation, both shape (n,), the
    evaluations before the EA, and the best candidate.
    """

    f: Array
    overhead: Array
    switch: int
    candidate: Array


def execute(run: Run, folder: Path) -> None:
    """Carry out a run, unless `folder` has its file."""
    run.once(folder, _result)


def _result(run: Run) -> dict[str, Any]:
    f, overhead, switch, candidate = carry_out(run)
    return {
        "f": f.tolist(), "overhead": overhead.tolist(), "switch": switch,
        "candidate": candidate.tolist(),
    }  # fmt: skip


def carry_out(run: Run) -> Outcome:
    """Carry out a run from its first evaluation to its last.

    Published transfers differ only in the EA's initial population. So their BO is carried out once
    for each repetition, and its records are used for all transfers.
    """
    optimizer = run.optimizer(clock)
    shares = run.algorithm in TRANSFERS and run.profile != "default"
    same = replace(run, algorithm="bea")
    for record in _begun.get(same, ()) if shares else ():
        optimizer.absorb(record)
    outcome = minimise(run.objective(), optimizer, run.evaluations)
    if shares:
        _begun.clear()
        _begun[same] = optimizer.history[: run.switch]
    return outcome


def minimise(objective: Function, optimizer: Optimizer, evaluations: int) -> Outcome:
    """Outcome of an optimizer after `evaluations`, including those that it already has."""
    for _ in range(len(optimizer.history), evaluations):
        x = optimizer.ask()
        optimizer.tell(x, objective(x))
    history = optimizer.history
    best = optimizer.best
    assert best is not None
    return Outcome(
        np.array([-record.fitness for record in history]),
        np.array([record.overhead_time for record in history]),
        sum(record.stage != "evolutionary" for record in history),
        best[0],
    )


def read(run: Run, folder: Path) -> Outcome | None:
    """Result of a run, None if it is not finished; raises ValueError as `Run.read` does."""
    if (stored := run.read(folder)) is None:
        return None
    f, overhead, candidate = (np.array(stored[name]) for name in ("f", "overhead", "candidate"))
    return Outcome(f, overhead, stored["switch"], candidate)
