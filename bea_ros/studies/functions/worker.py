# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out one run of the study; its file is written only when the run is finished."""

from __future__ import annotations

import io
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bea_ros.optimizers import Optimizer, Record
from bea_ros.studies.functions.plan import TRANSFERS, Run
from bea_ros.studies.functions.problems import Function
from bea_ros.system.files import read_whole

SUFFIX = ".npz"
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
    path = folder / f"{run.name}{SUFFIX}"
    if path.exists():
        return
    with threadpool_limits(1):
        outcome = carry_out(run)
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{run.name}.{os.getpid()}"
    with temporary.open("wb") as file:
        fields: dict[str, Any] = outcome._asdict()
        np.savez_compressed(file, run=json.dumps(run.head), **fields)
    os.replace(temporary, path)


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
    """Result of a run, None if it is not finished.

    Raises ValueError for a damaged file, or one of another run.
    """
    path = folder / f"{run.name}{SUFFIX}"
    if not path.exists():
        return None
    try:
        with np.load(io.BytesIO(read_whole(path))) as stored:
            same = json.loads(str(stored["run"])) == run.head
            values = {key: stored[key] for key in Outcome._fields}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path} is damaged: remove it to repeat the run") from error
    if not same:
        raise ValueError(f"{path} is of another run: choose another --output")
    return Outcome(values["f"], values["overhead"], int(values["switch"]), values["candidate"])
